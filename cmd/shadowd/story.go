package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

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
	// names is how wide the names of domains have been, so that what stands
	// behind them lines up.
	names int
	// brief leaves out what the demo has no room for: signatures, what a
	// criterion expects, and all requests but the first.
	brief bool
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
	s := &story{w: w, names: 14, paint: func(_ style, text string) string { return text }}
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

// look is how a level is shown: its indicator, its word and a colour. A good one
// is not shown as that where too little was read.
func look(l shadow.Level, unread bool) (icon, word string, colour style) {
	icon, word = render.LevelText(l, unread)
	switch {
	case l == shadow.Critical:
		return icon, word, red
	case unread || l == shadow.Moderate || l == shadow.Significant:
		return icon, word, yellow
	}
	return icon, word, green
}

// lookOf is how the level of a report is shown.
func lookOf(rep *shadow.Report) (icon, word string, colour style) {
	return look(rep.Report.Level, render.Unread(&rep.Swarm))
}

// readText is how much was read as a cell of a table: "4 of 9".
func readText(r shadow.Read) string {
	if r.Items == 0 {
		return "-"
	}
	return r.String()
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
	s.names = max(s.names, len([]rune(o.Addr.Domain)))
	switch d := fmt.Sprintf("%-*s", s.names, o.Addr.Domain); o.Addr.Name {
	case shadow.EnvelopeSealed:
		line("sealed", "%s: %s for %s, committed to as %.19s…", r.ID, criteria(r.Commitment.CriteriaCount), plural(r.Commitment.Domains, "domain"), r.Commitment.SealedHash)
	case shadow.GapReport:
		rep := r.Reports[o.Addr.Domain][0]
		icon, _, colour := lookOf(rep)
		line("gap report", "%s  cycle %d  %s %s  %s read  %s", d, rep.Swarm.Cycle, icon, s.paint(colour, fmt.Sprintf("%5s %%", rep.Report.ShadowScore)),
			fmt.Sprintf("%8s", readText(rep.Swarm.Read)), s.verdict(rep))
	case shadow.HardeningRequest:
		h := r.Requests[o.Addr.Domain][0]
		line("hardening", "%s  %s put to %s, fix %d due by %s", d, plural(len(h.Issues), "issue"), h.CommanderID, h.Cycle, h.Deadline.Local().Format("15:04:05"))
	case shadow.BundleQuarantined:
		line("quarantine", "%s  for a second review", d)
	case shadow.Attestation:
		if !s.brief {
			line("signed", "%s  the final report", d)
		}
	case shadow.RunScored:
		line("run scored", "%s: median %s %%, %s", r.ID, r.Scored.Median, render.ReadText(r.Scored.Read))
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
	switch {
	case render.Unread(sw):
		words += s.paint(yellow, " [ADVISORY: unread]")
	case len(sw.AdvisoryReasons) > 0:
		words += s.paint(yellow, " [ADVISORY]")
	}
	return words
}

// end prints what there is to say when everything is over.
func (s *story) end(t *tracker) {
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
}

// stored says where everything is.
func (s *story) stored(where string) {
	s.printf("\nEverything is stored in %s: streams %s and %s, bucket %s (sealed).\n", s.paint(bold, where), bus.StreamIn, bus.StreamOut, bus.BucketEnvelopes)
	if filepath.IsAbs(where) { // a directory that only this program knows of
		s.printf("It holds sealed text. When you have seen enough: rm -r %s\n", where)
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
