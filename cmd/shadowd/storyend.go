package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
	sw := &rep.Swarm
	title := fmt.Sprintf("%s, cycle %d", domain, sw.Cycle)
	words := fmt.Sprintf("%d of %d criteria not passed", sw.Score.Failed, sw.Score.Total)
	switch {
	case len(rep.Failures) > 0:
	case sw.Read.Read < sw.Read.Items:
		words = "no criterion failed"
	default:
		words = s.paint(green, "nothing amiss")
	}
	if read := render.ReadText(sw.Read); read != "" {
		words += ", " + read
	}
	s.printf("  %s: %s\n", title, words)
	if s.brief {
		s.failed(rep)
		return
	}
	s.notFound(sw)
	for _, f := range rep.Failures {
		s.printf("    %s %s %s\n", s.paint(red, "✗"), s.paint(bold, f.TestName), s.paint(dim, string(f.Category)))
		s.printf("      expected  %s\n", s.wrap(short(f.Expected), 16))
		s.printf("      found     %s\n", s.wrap(short(f.Actual), 16))
	}
	if ids := render.SparedText(sw); ids != "" {
		s.printf("    %s\n", s.paint(dim, s.wrap(ids, 4)))
	}
	s.doubts(sw)
}

// failed lists the criteria that failed, one a line, with what the commander
// may know of them.
func (s *story) failed(rep *shadow.Report) {
	for _, f := range rep.Failures {
		s.printf("    %s %s  %s\n", s.paint(red, "✗"), f.TestName, s.wrap(short(f.Message), 13))
	}
	if render.Unread(&rep.Swarm) {
		s.unread(&rep.Swarm)
	}
	s.doubts(&rep.Swarm)
}

// doubts lists why a report is advisory.
func (s *story) doubts(sw *shadow.Swarm) {
	for _, why := range sw.AdvisoryReasons {
		if strings.HasPrefix(why, "unread:") { // how much stands above
			why = "unread: " + render.TodoText(sw.Read)
		}
		s.printf("    %s  %s\n", s.paint(yellow, "ADVISORY"), s.wrap(shadow.Printable(why), 14))
	}
}

// notFound lists the items of an assignment that are missing or declined, and
// names those that are unread.
func (s *story) notFound(sw *shadow.Swarm) {
	list, _ := render.Items(sw)
	for _, it := range list {
		if it.Failed() {
			s.printf("    %s %-8s  %s\n", s.paint(red, "✗"), it.Verdict, s.wrap(it.String(), 16))
		}
	}
	s.unread(sw)
}

// unread names the items that are unread.
func (s *story) unread(sw *shadow.Swarm) {
	if names := render.UnreadNames(sw); names != "" {
		s.printf("    %s %-8s  %s\n", s.paint(yellow, "?"), "unread", s.wrap(names, 16))
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
			if s.brief {
				return
			}
		}
	}
}

// table shows each domain before and after hardening, and the run's median.
func (s *story) table(r *trackedRun) {
	s.heading("Run " + r.ID)
	rows := [][]string{{"", "domain", "before", "after", "level", "read", "gate"}}
	unread := 0
	for _, d := range r.domains() {
		reps := r.Reports[d]
		if len(reps) == 0 {
			rows = append(rows, []string{"· ", d, "-", "-", "-", "-", "no bundle came"})
			continue
		}
		final := reps[len(reps)-1]
		if render.Unread(&final.Swarm) {
			unread++
		}
		icon, level, colour := lookOf(final)
		rows = append(rows, []string{icon, d, percent(final.Swarm.Cycles[0].Score), percent(final.Swarm.Score), level,
			readText(final.Swarm.Read), s.paint(colour, s.verdict(final))})
	}
	if r.Scored != nil {
		icon, level, colour := look(r.Scored.Level, render.MedianUnread(unread, len(r.Scored.Domains)))
		words := "median of " + fmt.Sprint(len(r.Scored.Domains))
		if r.Scored.Advisory {
			words += s.paint(yellow, " [ADVISORY: at least one score above is]")
		}
		rows = append(rows, []string{icon, "run", "", r.Scored.Median.String() + " %", level, readText(r.Scored.Read), s.paint(colour, words)})
	}
	s.columns(rows)
	switch {
	case r.Scored != nil:
		if why := render.SuspectText(r.Scored); why != "" {
			s.printf("  %s %s\n", s.paint(yellow, "suspect:"), s.wrap(why, 11))
		}
	case r.unsealable:
		s.printf("  %s\n", s.paint(red, "not scored: its decomposition was rejected"))
	default:
		s.printf("  %s\n", s.paint(yellow, "not scored yet: no bundle of "+strings.Join(r.missing(), ", ")))
	}
}

// columns prints the rows of a run's table: an indicator of two columns, a
// name, two scores, a level, how much was read, and words.
func (s *story) columns(rows [][]string) {
	wide := make([]int, 7)
	for _, row := range rows {
		for i := range row {
			wide[i] = max(wide[i], len([]rune(row[i])))
		}
	}
	for _, row := range rows {
		if row[0] == "" {
			row[0] = "  "
		}
		s.printf("  %s %-*s  %*s  %*s  %-*s  %*s  %s\n", row[0], wide[1], row[1], wide[2], row[2], wide[3], row[3], wide[4], row[4], wide[5], row[5], row[6])
	}
}

// rejected lists the events of a run that were refused.
func (s *story) rejected(r *trackedRun) {
	for _, rej := range r.Rejected {
		s.printf("  %s %s: %s\n", s.paint(red, "rejected"), rej.Reason, shadow.Printable(rej.Message))
	}
}
