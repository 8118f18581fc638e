package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Live shows what happens in runs: a line for each event, and at the end what was found, before and after.
type Live struct {
	*Terminal
	// Brief leaves out what the demo has no room for: what a criterion expects, and all requests but the first.
	Brief bool
	// Head is what the line of an event begins with; nil is two spaces.
	Head  func(history.Event) string
	waits []string // the last lines of Waits
}

// NewLive shows runs on a terminal.
func NewLive(t *Terminal, brief bool) *Live {
	return &Live{Terminal: t, Brief: brief}
}

// Waits prints for which judges bundles wait, where that has changed, and at first how long that may take.
func (l *Live) Waits(lines []string) {
	if slices.Equal(lines, l.waits) {
		return
	}
	began := len(l.waits) == 0
	l.waits = lines
	if len(lines) == 0 {
		lines = []string{"nothing waits for a judge any more"}
	} else if began {
		lines = append(slices.Clone(lines), "what waits longer than judging.wait (30m unless changed) is undecided")
	}
	for _, line := range lines {
		l.Printf("  %s %s\n", l.Paint(Yellow, fmt.Sprintf("%-11s", "judges")), shadow.Printable(line))
	}
}

// Event prints the line of one event. One that could not be decoded is left to its rejection.
func (l *Live) Event(e history.Event) error {
	head := "  "
	if l.Head != nil {
		head = l.Paint(Dim, l.Head(e)) + "  "
	}
	line := func(what string, format string, args ...any) {
		l.Printf("%s%s %s\n", head, l.Paint(Cyan, fmt.Sprintf("%-11s", what)), fmt.Sprintf(format, args...))
	}
	domain := func(name string) string { return fmt.Sprintf("%-14s", name) }
	switch data := e.Payload.(type) {
	case *shadow.Decomposition:
		line("decomposed", "%s: %s, %s", data.RunID, shadow.Count(len(data.Domains), "domain"), passage(data.Task))
	case *shadow.Submission:
		what, said := "bundle", "status "+data.Bundle.Status
		if e.Name == shadow.FixSubmitted {
			what, said = "fix", fmt.Sprintf("cycle %d", data.Cycle)
		}
		line(what, "%s  from %s, %s", domain(data.Bundle.Domain), data.Bundle.CommanderID, said)
	case *shadow.Commitment:
		line("sealed", "%s: up to %s for each of %s, committed to as %.19s…", e.Run, criteria(data.Most()), shadow.Count(len(data.CriteriaByDomain), "domain"), data.SealedHash)
	case *shadow.Report:
		s := Of(data)
		line("gap report", "%s  cycle %d  %s %s  %s  %s", domain(e.Domain), data.Swarm.Cycle, s.Look().Icon, l.Paint(s.Look().colour, fmt.Sprintf("%5s %% %-11s", data.Report.ShadowScore, s.Look().Word)),
			cell(data.Swarm.Counts), l.verdict(s))
	case *shadow.HardeningData:
		line("hardening", "%s  %s put to %s, fix %d due by %s", domain(e.Domain), shadow.Count(len(data.Issues), "issue"), data.CommanderID, data.Cycle, data.Deadline.Local().Format("15:04:05"))
	case *shadow.QuarantineData:
		line("quarantine", "%s  for a second review", domain(e.Domain))
	case *shadow.ReviewedData:
		s := Subject{Review: data}
		line("reviewed", "%s  %s", domain(e.Domain), s.ReviewText())
	case *shadow.RunData:
		line("run scored", "%s: %s; %s", e.Run, LookOf(data.Verdict).Score("median "+data.Median.String()), data.Counts)
	case *shadow.Rejection:
		line("rejected", "%s, from %s: %s", data.Reason, e.Author, shadow.Printable(data.Message))
	}
	return l.Err()
}

// verdict says in a few words what a report leads to.
func (t *Terminal) verdict(s *Subject) string {
	sw, words := s.Swarm, string(s.Swarm.Gate.Action)
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
	if s.Review != nil {
		words += ", reviewed: " + string(s.Review.After.Gate)
	}
	if sw.SealBroken != "" {
		words += t.Paint(Red, ", SEAL BROKEN")
	}
	if len(sw.AdvisoryReasons) > 0 {
		words += t.Paint(Yellow, " [ADVISORY]")
	}
	return words
}

// End prints what there is to say of a run at its end: what was found, what commanders received, and the scores.
func (l *Live) End(r *history.Run) {
	if r.ID == "" {
		l.heading("Events of no run")
		l.rejected(r)
		return
	}
	if len(r.Reports) > 0 {
		l.heading("What the sealed criteria found in %s (for consensus and the operator)", r.ID)
	}
	for _, d := range r.Domains() {
		for i, rep := range r.Reports[d] {
			if i > 0 && (rep.Swarm.Hardening.TimedOut || rep.Swarm.AcceptedCycle != rep.Swarm.Cycle) {
				continue // it repeats the report before
			}
			l.err = cmp.Or(l.err, execute(l, "found.tmpl", struct {
				*Live
				V *Subject
			}{l, Of(rep)}))
		}
	}
	l.requests(r)
	l.table(r)
	l.rejected(r)
}

// requests shows what the commanders received; in brief only one of them.
func (l *Live) requests(r *history.Run) {
	for _, d := range r.Domains() {
		for _, h := range r.Requests[d] {
			l.request(d, h)
			if l.Brief {
				return
			}
		}
	}
}

// request shows what a commander received, whole: it gets nothing else.
func (t *Terminal) request(domain string, h *shadow.HardeningData) {
	t.heading("What commander %s received for %s (and nothing else)", h.CommanderID, domain)
	bar := t.Paint(Dim, "│")
	for line := range strings.Lines(h.Text) {
		text := t.Wrap(shadow.Printable(strings.TrimSpace(line)), 4)
		t.Printf("  %s %s\n", bar, strings.ReplaceAll(text, "\n   ", "\n  "+bar))
	}
}

// table shows each domain before and after hardening, and the run's median.
func (l *Live) table(r *history.Run) {
	l.heading("Run %s", r.ID)
	icons := []string{"  "}
	rows := [][]string{{"domain", "before", "after", "verdict", "items", "gate"}}
	for _, d := range r.Domains() {
		final := r.Last(d)
		if final == nil {
			icons = append(icons, "· ")
			rows = append(rows, []string{d, "-", "-", "-", "-", "no bundle came"})
			continue
		}
		s, sw := Of(final), &final.Swarm
		s.Review = r.Review(final)
		icons = append(icons, s.Look().Icon)
		rows = append(rows, []string{d, percent(sw.Cycles[0].Score), percent(sw.Score), s.Look().Word, cell(sw.Counts), l.Paint(s.Look().colour, l.verdict(s))})
	}
	if r.Scored != nil {
		look := LookOf(r.Scored.Verdict)
		words := "median of " + fmt.Sprint(len(r.Scored.Domains))
		if r.Scored.Advisory {
			words += " [ADVISORY]"
		}
		icons = append(icons, look.Icon)
		rows = append(rows, []string{"run", "", r.Scored.Median.String() + " %", look.Word, cell(r.Scored.Counts), l.Paint(look.colour, words)})
	}
	for i, line := range aligned(rows, 1, 2) {
		l.Printf("  %s %s\n", icons[i], line)
	}
	if why := (&Run{Run: r}).Unassigned(); why != "" {
		l.Printf("  %s\n", l.Paint(Yellow, l.Wrap(why, 2)))
	}
	switch {
	case r.Scored != nil:
	case r.Refused():
		l.Printf("  %s\n", l.Paint(Red, "not scored: its decomposition was rejected"))
	case r.Decomposition == nil && r.Commitment == nil:
		l.Printf("  %s\n", l.Paint(Red, "not scored: no decomposition of it is here"))
	default:
		l.Printf("  %s\n", l.Paint(Yellow, "not scored yet: no bundle of "+strings.Join(r.Missing(), ", ")))
	}
}

// rejected lists the events of a run that were refused.
func (l *Live) rejected(r *history.Run) {
	for _, rej := range r.Rejected {
		l.Printf("  %s %s: %s\n", l.Paint(Red, "rejected"), rej.Reason, shadow.Printable(rej.Message))
	}
}
