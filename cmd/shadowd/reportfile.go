package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
)

const outputsHint = "the file is what shadowd replay --format json or shadowd demo --format json prints"

// read reads the run from a file of output events, one a line. Without a name
// it is the file's only run.
func (cmd reportCmd) read(a *app) (*history.Run, error) {
	file := input.Name(cmd.File)
	text, err := input.Read(cmd.File, a.Stdin, input.MaxEvents)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	runs := map[string]*history.Run{}
	for no, line := range input.Lines(text) {
		o, err := history.ParseOutput(line)
		switch {
		case errors.Is(err, history.ErrNotReported):
			continue
		case errors.Is(err, history.ErrInput):
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", file, no, err), fmt.Sprintf("judge it first: shadowd replay --format json %s > out.jsonl, then shadowd report --file out.jsonl", cmd.File))
		case err == nil:
			if runs[o.Run] == nil {
				runs[o.Run] = history.NewRun(o.Run)
			}
			err = runs[o.Run].Take(o)
		}
		if err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", file, no, err), outputsHint)
		}
	}
	names := slices.Sorted(maps.Keys(runs))
	known := "the runs are " + strings.Join(names, ", ")
	switch name := cmd.ID; {
	case len(names) == 0:
		return nil, hint.Usage(fmt.Errorf("%s holds no output events", file), outputsHint)
	case name == "" && len(names) > 1:
		return nil, hint.Usage(fmt.Errorf("%s holds %d runs: name one", file, len(names)), known)
	case name == "":
		return runs[names[0]], nil
	case runs[name] == nil:
		return nil, hint.Failed(fmt.Errorf("there is no run %.80q in %s", name, file), known)
	default:
		return runs[name], nil
	}
}
