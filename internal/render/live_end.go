package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// End prints what there is to say of a run when everything is over: what its
// criteria found, what its commanders received, and the scores.
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
			l.failures(rep)
		}
	}
	l.requests(r)
	l.table(r)
	l.rejected(r)
}

// failures lists what a bundle lacked, as consensus services see it.
func (l *Live) failures(rep *shadow.Report) {
	s := Of(rep)
	l.shows(execute(l, "found.tmpl", struct {
		*Live
		V *Subject
	}{l, &s}))
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
	rows := [][]string{{"domain", "before", "after", "level", "read", "gate"}}
	unread := 0
	for _, d := range r.Domains() {
		final := r.Last(d)
		if final == nil {
			icons = append(icons, "· ")
			rows = append(rows, []string{d, "-", "-", "-", "-", "no bundle came"})
			continue
		}
		s, sw := Of(final), &final.Swarm
		if s.Unread() {
			unread++
		}
		icons = append(icons, s.Look().Icon)
		rows = append(rows, []string{d, percent(sw.Cycles[0].Score), percent(sw.Score), s.Look().Word, readCell(sw.Read), l.Paint(s.Look().colour, l.verdict(&s))})
	}
	if r.Scored != nil {
		look := MedianLook(r.Scored.Level, unread, len(r.Scored.Domains))
		words := "median of " + fmt.Sprint(len(r.Scored.Domains))
		if r.Scored.Advisory {
			words += l.Paint(Yellow, " [ADVISORY: at least one score above is]")
		}
		icons = append(icons, look.Icon)
		rows = append(rows, []string{"run", "", r.Scored.Median.String() + " %", look.Word, readCell(r.Scored.Read), l.Paint(look.colour, words)})
	}
	for i, line := range aligned(rows, 1, 2, 4) {
		l.Printf("  %s %s\n", icons[i], line)
	}
	switch {
	case r.Scored != nil:
		if why := suspectText(r.Scored); why != "" {
			l.Printf("  %s %s\n", l.Paint(Yellow, "suspect:"), l.Wrap(why, 11))
		}
	case r.Unsealable:
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
