package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/swarmspeed/shadowd/internal/cases"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runCases answers the lines of a file of cases.
func (cmd checkCmd) runCases(ctx context.Context, a *app) error {
	in := a.Stdin
	if cmd.Cases != "-" {
		f, err := os.Open(cmd.Cases)
		if err != nil {
			return hint.Usage(err, "")
		}
		defer f.Close()
		in = f
	}
	out := bufio.NewWriter(a.Stdout)
	encode := render.NewEncoder(out).Encode
	if !render.IsTerminal(a.Stdout) { // where the answers themselves are seen
		answering, end := a.Progress(ctx)
		defer end()
		answered := progress.Count(answering, "cases answered", 0)
		plain := encode
		encode = func(v any) error { answered(); return plain(v) }
	}
	total, bad, err := cases.Run(ctx, in, encode, out.Flush)
	switch {
	case errors.Is(err, cases.ErrRead):
		return hint.Usage(fmt.Errorf("%s: %w", input.Name(cmd.Cases), err), "")
	case err != nil:
		return err
	case total == 0:
		return hint.Usage(fmt.Errorf("%s holds no cases", input.Name(cmd.Cases)), `each line is {"id": …, "check": "text.words().size() > 100", "text": "…"}`)
	case bad > 0:
		return fmt.Errorf("%d of %s could not be evaluated", bad, shadow.Count(total, "case"))
	}
	return nil
}
