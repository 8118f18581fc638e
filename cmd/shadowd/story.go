package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/term"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// story tells a person what happens in a run: a line for each output as it
// comes, and at the end the failures, what the commanders were told, and a
// table of before and after.
type story struct {
	w     io.Writer
	paint func(style, string) string
	// width of the terminal in columns; 0 where there is none.
	width int
}

type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// newStory makes a story on w, in colour if w is a terminal and colour is
// wanted.
func newStory(w io.Writer, colour bool) *story {
	s := &story{w: w, paint: func(_ style, text string) string { return text }}
	if f, ok := w.(*os.File); ok && isTerminal(w) {
		s.width, _, _ = term.GetSize(int(f.Fd()))
	}
	if colour && isTerminal(w) {
		s.paint = func(st style, text string) string { return "\x1b[" + string(st) + "m" + text + "\x1b[0m" }
	}
	return s
}

func (s *story) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

func (s *story) heading(text string) { s.printf("\n%s\n", s.paint(bold, text)) }

// look is how a level is shown: the spec's indicator and a colour.
func look(l shadow.Level) (string, style) {
	colour := red
	switch l {
	case shadow.Perfect, shadow.Minor:
		colour = green
	case shadow.Moderate, shadow.Significant:
		colour = yellow
	}
	return render.Icon(l), colour
}

// show prints the line of one output.
func (s *story) show(o output) error {
	line := func(what string, format string, args ...any) {
		s.printf("  %s %s\n", s.paint(cyan, fmt.Sprintf("%-11s", what)), fmt.Sprintf(format, args...))
	}
	t := newTracker()
	if err := t.heard(o); err != nil {
		return err
	}
	r := t.run(o.Addr.Run)
	switch d := o.Addr.Domain; o.Addr.Name {
	case shadow.EnvelopeSealed:
		line("sealed", "%s: %s for %s, committed to as %.19s…", r.ID, criteria(r.Commitment.CriteriaCount), plural(r.Commitment.Domains, "domain"), r.Commitment.SealedHash)
	case shadow.GapReport:
		rep := r.Reports[d][0]
		icon, colour := look(rep.Report.Level)
		line("gap report", "%-16s cycle %d  %s %s  %s", d, rep.Swarm.Cycle, icon, s.paint(colour, fmt.Sprintf("%5s %%", rep.Report.ShadowScore)), s.verdict(rep))
	case shadow.HardeningRequest:
		h := r.Requests[d][0]
		line("hardening", "%-16s %s put to %s, fix %d due by %s", d, plural(len(h.Issues), "issue"), h.CommanderID, h.Cycle, h.Deadline.Local().Format("15:04:05"))
	case shadow.BundleQuarantined:
		line("quarantine", "%-16s for a second review", d)
	case shadow.Attestation:
		line("signed", "%-16s the final report", d)
	case shadow.RunScored:
		line("run scored", "%s: median %s %%", r.ID, r.Scored.Median)
	case shadow.EventRejected:
		for _, x := range t.runs {
			for _, rej := range x.Rejected {
				line("rejected", "%s: %s", rej.Reason, shadow.Printable(rej.Message))
			}
		}
	}
	return nil
}

// verdict says in a few words what a report leads to.
func (s *story) verdict(rep *shadow.Report) string {
	sw := &rep.Swarm
	words := string(sw.Gate.Action)
	switch {
	case !sw.Final:
		words = "a fix is awaited"
	case !sw.Gate.Enforced:
		words += " (observe mode)"
	}
	if sw.Final && sw.Cycle > 0 {
		switch {
		case sw.Hardening.TimedOut:
			words += ", no fix came in time"
		case sw.Hardening.Regressed:
			words += ", the fix was worse: the earlier bundle stands"
		}
	}
	if sw.SealBroken != "" {
		words += s.paint(red, ", SEAL BROKEN")
	}
	if len(sw.AdvisoryReasons) > 0 {
		words += s.paint(yellow, " [ADVISORY]")
	}
	return words
}

// end prints what there is to say when everything is over.
func (s *story) end(t *tracker, where string) {
	ids := make([]string, 0, len(t.runs))
	for id := range t.runs {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		r := t.runs[id]
		if id == "" {
			s.heading("Events of no run")
			s.rejected(r)
			continue
		}
		s.failures(r)
		s.told(r)
		s.table(r)
		s.rejected(r)
	}
	s.printf("\nEverything is stored in %s: streams %s and %s, bucket %s (sealed).\n", s.paint(bold, where), bus.StreamIn, bus.StreamOut, bus.BucketEnvelopes)
	if filepath.IsAbs(where) { // a directory that only this program knows of
		s.printf("It holds sealed text. When you have seen enough: rm -r %s\n", where)
	}
}

// domains of a run in the order of its decomposition; by name where neither
// that nor the run's sum is known.
func (r *trackedRun) domains() []string {
	var names []string
	if r.Decomposition != nil {
		for _, d := range r.Decomposition.Domains {
			names = append(names, d.Domain)
		}
		return names
	}
	if r.Scored != nil {
		for _, d := range r.Scored.Domains {
			names = append(names, d.Domain)
		}
		return append(names, r.Scored.Missing...)
	}
	for d := range r.Reports {
		names = append(names, d)
	}
	sort.Strings(names)
	return names
}

// failures lists what the bundles lacked, as consensus services see it.
func (s *story) failures(r *trackedRun) {
	if len(r.Reports) == 0 {
		return
	}
	s.heading("What the sealed criteria found in " + r.ID + " (for consensus and the operator)")
	for _, d := range r.domains() {
		for i, rep := range r.Reports[d] {
			if i > 0 && (rep.Swarm.Hardening.TimedOut || rep.Swarm.AcceptedCycle != rep.Swarm.Cycle) {
				continue // it repeats the report before
			}
			s.reportFailures(d, rep)
		}
	}
}

func (s *story) reportFailures(domain string, rep *shadow.Report) {
	title := fmt.Sprintf("%s, cycle %d", domain, rep.Swarm.Cycle)
	if len(rep.Failures) == 0 {
		s.printf("  %s: %s\n", title, s.paint(green, "nothing amiss"))
	} else {
		s.printf("  %s: %d of %d criteria not passed\n", title, rep.Swarm.Score.Failed, rep.Swarm.Score.Total)
	}
	for _, f := range rep.Failures {
		s.printf("    %s %s %s\n", s.paint(red, "✗"), s.paint(bold, f.TestName), s.paint(dim, string(f.Category)))
		s.printf("      expected  %s\n", s.wrap(short(f.Expected), 16))
		s.printf("      found     %s\n", s.wrap(short(f.Actual), 16))
	}
	if r := rep.Swarm.Read; r.Read < r.Items {
		s.printf("    %s %s items read\n", s.paint(yellow, "?"), r)
	}
	for _, why := range rep.Swarm.AdvisoryReasons {
		s.printf("    %s %s\n", s.paint(yellow, "ADVISORY"), shadow.Printable(why))
	}
}

// told shows what the commanders received, whole: they get nothing else.
func (s *story) told(r *trackedRun) {
	for _, d := range r.domains() {
		for _, h := range r.Requests[d] {
			s.heading(fmt.Sprintf("What commander %s received for %s (and nothing else)", h.CommanderID, d))
			for line := range strings.Lines(h.Text) {
				text := strings.ReplaceAll(s.wrap(shadow.Printable(strings.TrimSpace(line)), 4), "\n   ", "\n  "+s.paint(dim, "│"))
				s.printf("  %s %s\n", s.paint(dim, "│"), text)
			}
		}
	}
}

// table shows each domain before and after hardening, and the run's median.
func (s *story) table(r *trackedRun) {
	s.heading("Run " + r.ID)
	wide := len("domain")
	for _, d := range r.domains() {
		wide = max(wide, len(d))
	}
	row := func(icon, domain, before, after, level, read, gate string) {
		s.printf("  %s %-*s  %8s  %8s  %-11s  %8s  %s\n", icon, wide, domain, before, after, level, read, gate)
	}
	row("  ", "domain", "before", "after", "level", "read", "gate")
	for _, d := range r.domains() {
		reps := r.Reports[d]
		if len(reps) == 0 {
			row("· ", d, "-", "-", "-", "-", "no bundle came")
			continue
		}
		final := reps[len(reps)-1]
		icon, colour := look(final.Report.Level)
		row(icon, d, percent(final.Swarm.Cycles[0].Score), percent(final.Swarm.Score),
			string(final.Report.Level), final.Swarm.Read.String(), s.paint(colour, s.verdict(final)))
	}
	switch {
	case r.Scored != nil:
		icon, colour := look(r.Scored.Level)
		words := "median of " + fmt.Sprint(len(r.Scored.Domains))
		if r.Scored.Advisory {
			words += s.paint(yellow, " [ADVISORY: at least one score above is]")
		}
		row(icon, "run", "", r.Scored.Median.String()+" %", string(r.Scored.Level), r.Scored.Read.String(), s.paint(colour, words))
	case r.unsealable:
		s.printf("  %s\n", s.paint(red, "not scored: its decomposition was rejected"))
	default:
		s.printf("  %s\n", s.paint(yellow, "not scored yet: no bundle of "+strings.Join(r.missing(), ", ")))
	}
}

// rejected lists the events of a run that were refused.
func (s *story) rejected(r *trackedRun) {
	for _, rej := range r.Rejected {
		s.printf("  %s %s: %s\n", s.paint(red, "rejected"), rej.Reason, shadow.Printable(rej.Message))
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func percent(s shadow.Score) string { return s.Percent().String() + " %" }

// wrap breaks text that stands in column indent.
func (s *story) wrap(text string, indent int) string { return render.Wrap(text, indent, s.width) }

// short fits untrusted text into a line or two.
func short(text string) string {
	const most = 220
	text = shadow.Printable(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
