package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

type checkCmd struct {
	Expr     string `arg:"" optional:"" help:"The check: a bool, or a list of strings that say what is wrong."`
	Text     string `xor:"over" placeholder:"FILE" help:"Evaluate over this Markdown file; - reads standard input."`
	Bundle   string `xor:"over" placeholder:"FILE" help:"Evaluate over a bundle: its JSON, a bundle-complete or fix-submitted event, or such a line of a replay file."`
	Material string `placeholder:"FILE" help:"The variable material, in JSON or YAML."`
	Domain   string `placeholder:"FILE" help:"The variable domain, in JSON or YAML: the decomposition's entry for the bundle's domain."`
	Cases    string `xor:"over" placeholder:"FILE" help:"Evaluate each line of a JSON Lines file."`
	List     bool   `xor:"over" help:"List the functions of text."`
}

func (cmd checkCmd) Run(ctx context.Context, a *app) error {
	if err := cmd.usage(); err != nil {
		return hint.Usage(err, `run "shadowd check --help"`)
	}
	switch {
	case cmd.List:
		return render.CheckFunctions(a.Terminal())
	case cmd.Cases != "":
		return cmd.runCases(ctx, a)
	}
	program, err := check.CompileValue(cmd.Expr)
	if err != nil {
		return hint.Usage(render.Caret(cmd.Expr, err), "the functions are listed by: shadowd check --list")
	}
	in, err := cmd.input(a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	if content, _ := in.Bundle["content"].(string); content == "" {
		a.Warn(input.Name(cmd.Text+cmd.Bundle) + ": the text is empty")
	}
	if cmd.Text != "" && strings.Contains(cmd.Expr, "bundle.") {
		a.Warn("with --text the bundle has nothing but the text: --bundle FILE evaluates over a whole one")
	}
	if kind, ok := program.IsCheck(); !ok {
		return cmd.value(a, program, in, "of type "+kind)
	}
	r, err := program.Eval(in)
	if errors.Is(err, check.ErrNotVerdict) {
		return cmd.value(a, program, in, "here neither a bool nor a list of strings")
	}
	if err != nil {
		return cmd.noVerdict(err)
	}
	if !r.Passed && len(r.Problems) == 0 {
		r.Problems = []string{"the expression is false"}
		if sides := program.Sides(in); sides != "" {
			r.Problems[0] = sides + " is false"
		}
	}
	if err := render.CheckResult(a.Terminal(), r); err != nil || r.Passed {
		return err
	}
	return hint.Failed(errFailedCheck, "")
}

// input is what an expression is evaluated over.
func (cmd checkCmd) input(stdin io.Reader) (none check.Input, err error) {
	b, err := input.Work(cmd.Text, cmd.Bundle, stdin)
	if err != nil {
		return none, err
	}
	material, err := input.Object(cmd.Material, stdin)
	if err != nil {
		return none, err
	}
	entry, err := input.Object(cmd.Domain, stdin)
	if err != nil {
		return none, err
	}
	domain, err := input.Domain(entry)
	if err != nil {
		return none, fmt.Errorf("%s: %w", input.Name(cmd.Domain), err)
	}
	return shadow.CheckInput(b, domain, material), nil
}

// value prints what an expression gives that is no check, so that the parts of
// one can be tried out.
func (cmd checkCmd) value(a *app, program *check.Check, in check.Input, what string) error {
	v, err := program.Value(in)
	if err != nil {
		return cmd.noVerdict(err)
	}
	t := a.Terminal()
	t.Printf("%s %s\n", t.Paint(render.Bold, "value"), shadow.Printable(v))
	if t.Err() != nil {
		return t.Err()
	}
	a.Warn("a value, not a check: it is " + what + ", and a criterion needs a bool or a list of strings that say what is wrong")
	return nil
}

// noVerdict says why an evaluation ended without one, and what it lacked.
func (cmd checkCmd) noVerdict(err error) error {
	next := ""
	switch {
	case !strings.Contains(err.Error(), "no such key"):
	case cmd.Material == "" && strings.Contains(cmd.Expr, "material"):
		next = "give the variable material with --material FILE"
	case cmd.Domain == "" && strings.Contains(cmd.Expr, "domain"):
		next = "give the variable domain with --domain FILE"
	}
	return hint.Usage(fmt.Errorf("no verdict: %s", shadow.Printable(strings.TrimPrefix(err.Error(), "no verdict: "))), next)
}

// errFailedCheck ends a check that failed. It has no words: the verdict has
// been printed, and nothing went wrong.
var errFailedCheck = errors.New("")

// usage says which flags do not go together, or which one is missing.
func (cmd checkCmd) usage() error {
	alone, over := cmd.List || cmd.Cases != "", cmd.Text+cmd.Bundle
	stdin := slices.DeleteFunc([]string{cmd.Text, cmd.Bundle, cmd.Material, cmd.Domain}, func(file string) bool { return file != "-" })
	switch {
	case alone && cmd.Expr != "":
		return errors.New("an expression goes neither with --list nor with --cases")
	case alone && cmd.Material+cmd.Domain != "":
		return errors.New("--material and --domain go with an expression; a line of --cases has its own")
	case alone:
		return nil
	case cmd.Expr == "" && over == "":
		return errors.New("nothing to do: give an expression with --text or --bundle, or --cases, or --list")
	case cmd.Expr == "":
		return errors.New("the expression is missing or empty")
	case over == "":
		return errors.New("say what to evaluate the expression over: --text or --bundle")
	case len(stdin) > 1:
		return errors.New("only one file can be -, standard input")
	}
	return nil
}
