package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Runs shows runs as a table. Tasks are untrusted.
func Runs(t *Terminal, runs []*history.Summary) error {
	if len(runs) == 0 {
		t.Printf("There is no run to list on this bus.\n")
		return t.Err()
	}
	rows := [][]string{{"RUN", "STATE", "STARTED", "FINAL", "MEDIAN", "LEVEL", "READ", ""}}
	tasks := []string{"TASK"}
	for _, r := range runs {
		median, level := "-", "-"
		if r.Median != "" {
			median, level = r.Median.String()+" %", MedianLook(r.Level, r.Unread, r.Final).Word
		}
		var doubts []string
		if r.Advisory {
			doubts = append(doubts, "ADVISORY")
		}
		if r.Observed {
			doubts = append(doubts, "OBSERVE MODE")
		}
		rows = append(rows, []string{r.RunID, string(r.State), r.Started.Local().Format("2006-01-02 15:04"), fmt.Sprintf("%d of %d", r.Final, r.Domains),
			median, level, readCell(r.Read), strings.Join(doubts, ", ")})
		tasks = append(tasks, shadow.Printable(cmp.Or(r.Reason, r.Task)))
	}
	lines := aligned(rows)
	width := 0
	for _, line := range lines {
		width = max(width, len([]rune(line)))
	}
	room := 60 // where there is no terminal, what keeps a line readable
	if t.Width > 0 {
		room = max(t.Width-width-2, 20)
	}
	for i, line := range lines {
		line = fmt.Sprintf("%-*s  %s", width, line, clip.To(tasks[i], room))
		if i == 0 {
			line = t.Paint(Bold, line)
		}
		t.Printf("%s\n", line)
	}
	return t.Err()
}
