package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runsCmd lists the runs on the bus.
type runsCmd struct {
	Format string `enum:"text,json" default:"text" help:"text is a table; json is an object for each run, one a line."`
	configFlag
}

func (runsCmd) Help() string {
	return `Lists the runs on the bus, newest first. States: waiting (for bundles, or for the seal), hardening (a fix is awaited), scored, incomplete (it ended without all bundles), rejected (its decomposition was). READ is how many items of the assignments were read. The level "unread" stands in the place of a good one where that was too little in half of the domains or more. The bus is that of the configuration: bus.url, or the embedded server of the shadowd that runs on bus.listen.

Examples:

    shadowd runs
    shadowd runs --format json | jq -r 'select(.state == "scored") | .run_id'`
}

func (cmd runsCmd) Run(ctx context.Context, a *app) error {
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	runs, err := b.listRuns(ctx)
	if err != nil {
		return err
	}
	if cmd.Format == "json" {
		e := render.NewEncoder(a.Stdout)
		for _, r := range runs {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	return runsTable(a.Stdout, runs)
}

// runState is what has become of a run.
type runState string

const (
	runWaiting    runState = "waiting"
	runHardening  runState = "hardening"
	runScored     runState = "scored"
	runIncomplete runState = "incomplete"
	runRejected   runState = "rejected"
)

// runLine is a run in one line.
type runLine struct {
	RunID   string       `json:"run_id"`
	Task    string       `json:"task"`
	State   runState     `json:"state"`
	Sealed  *time.Time   `json:"sealed_at,omitempty"`
	Domains int          `json:"domains"`
	Final   int          `json:"final"`
	Median  json.Number  `json:"median,omitempty"` // once it is scored
	Level   shadow.Level `json:"level,omitempty"`
	// Read sums up how many items of the assignments were read.
	Read shadow.Read `json:"read"`
	// Unread is of how many domains too little was read to speak of a level.
	Unread int `json:"unread_domains"`
	// Advisory: the median is, or a report so far.
	Advisory bool `json:"advisory"`
	Observed bool `json:"observe_mode"`
	// Reason is why a run was rejected.
	Reason string `json:"reason,omitempty"`
}

// runsTable writes runs as a table. Tasks are untrusted.
func runsTable(w io.Writer, runs []*runLine) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "There are no runs on this bus yet.")
		return err
	}
	rows := [][]string{{"RUN", "STATE", "SEALED", "FINAL", "MEDIAN", "LEVEL", "READ", "", "TASK"}}
	for _, r := range runs {
		rows = append(rows, r.row())
	}
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	room := terminalWidth(w)
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row[:len(row)-1] {
			if wide[i] > 0 {
				line += cell + strings.Repeat(" ", wide[i]-len([]rune(cell))+2)
			}
		}
		task := row[len(row)-1]
		b.WriteString(strings.TrimRight(line+clip(task, max(room-len([]rune(line)), 20), room), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// clip shortens a text to a number of columns; where there is no terminal, to
// a length that keeps a line readable.
func clip(text string, columns, terminal int) string {
	if terminal == 0 {
		columns = 60
	}
	if runes := []rune(text); len(runes) > columns {
		return strings.TrimRight(string(runes[:columns-1]), " ") + "…"
	}
	return text
}

func (r *runLine) row() []string {
	sealed, median, level, doubts := "-", "-", "-", []string{}
	if r.Sealed != nil {
		sealed = r.Sealed.Local().Format("2006-01-02 15:04")
	}
	if r.Median != "" {
		median = r.Median.String() + " %"
		_, level = render.LevelText(r.Level, render.MedianUnread(r.Unread, r.Final))
	}
	if r.Advisory {
		doubts = append(doubts, "ADVISORY")
	}
	if r.Observed {
		doubts = append(doubts, "OBSERVE MODE")
	}
	text := r.Task
	if r.Reason != "" {
		text = r.Reason
	}
	return []string{r.RunID, string(r.State), sealed, fmt.Sprintf("%d of %d", r.Final, r.Domains), median, level, readText(r.Read), strings.Join(doubts, ", "), shadow.Printable(text)}
}

// newestFirst orders runs by when they were sealed; those that are not sealed
// come first, since something may be wrong with them.
func newestFirst(runs []*runLine) {
	slices.SortFunc(runs, func(a, b *runLine) int {
		switch {
		case a.Sealed != nil && b.Sealed != nil && !a.Sealed.Equal(*b.Sealed):
			return b.Sealed.Compare(*a.Sealed)
		case (a.Sealed == nil) != (b.Sealed == nil):
			if a.Sealed == nil {
				return -1
			}
			return 1
		}
		return strings.Compare(a.RunID, b.RunID)
	})
}
