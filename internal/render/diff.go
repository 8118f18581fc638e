package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/review"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Diff shows what changed from one run to another: the domains, then the
// criteria by category.
func Diff(t *Terminal, d *review.Diff) error {
	t.Printf("%s\n", t.Paint(Bold, d.Before.Run+" → "+d.After.Run))
	if !d.SameTask {
		t.Printf("%s\n", t.Paint(Yellow, "Their decompositions differ, so scores may differ for that alone."))
	}
	rows := [][]string{{"domain", "score", "level", "read", "gate", ""}}
	for _, x := range d.Domains {
		rows = append(rows, append(changedRow(x.Domain, sideCells(x.Before), sideCells(x.After)), trend(x.Before, x.After)))
	}
	t.table(append(rows, changedRow("run", runCells(&d.Before), runCells(&d.After))))
	rows = [][]string{{"category", "not passed"}}
	for _, c := range d.Categories {
		rows = append(rows, []string{string(c.Category), changed(ofText(c.Before.Failed, c.Before.Total), ofText(c.After.Failed, c.After.Total))})
	}
	if len(rows) > 1 {
		t.table(rows)
	}
	return t.Err()
}

func (t *Terminal) table(rows [][]string) {
	t.Printf("\n")
	for i, line := range aligned(rows) {
		if i == 0 {
			line = t.Paint(Bold, line)
		}
		t.Printf("%s\n", line)
	}
}

// changed is a value that was one thing and is another.
func changed(before, after string) string {
	if before == after {
		return before
	}
	return before + " → " + after
}

func changedRow(name string, before, after [4]string) []string {
	row := []string{name}
	for i := range before {
		row = append(row, changed(before[i], after[i]))
	}
	return row
}

func ofText(n, total int) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, total)
}

// sideCells are the score, level, read and gate of a domain.
func sideCells(s *shadow.DomainSummary) [4]string {
	if s == nil {
		return [4]string{"-", "-", "-", "-"}
	}
	return [4]string{s.ShadowScore.String() + " %", LookOf(s.Level, s.Unread).Word, readCell(s.Read), string(s.Gate)}
}

// runCells are the same of a run, which has no gate.
func runCells(s *review.RunSide) [4]string {
	cells := [4]string{"-", "not scored", readCell(s.Read), ""}
	if s.Median != "" {
		cells[0], cells[1] = s.Median.String()+" %", MedianLook(s.Level, s.Unread, s.Domains).Word
	}
	return cells
}

// trend says whether a score got better. Where too little was read on a side,
// nobody knows.
func trend(before, after *shadow.DomainSummary) string {
	if before == nil || after == nil || before.Unread || after.Unread {
		return ""
	}
	// Exact ratios: a/b against c/d.
	switch a, b := before.Score.Failed*after.Score.Total, after.Score.Failed*before.Score.Total; {
	case a > b:
		return "better"
	case a < b:
		return "worse"
	}
	return ""
}
