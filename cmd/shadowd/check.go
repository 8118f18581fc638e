package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/swarmspeed/shadowd/internal/cases"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

type checkCmd struct {
	Expr     string `arg:"" optional:"" help:"The check: a bool, or a list of strings that say what is wrong."`
	Text     string `placeholder:"FILE" help:"Evaluate over this Markdown file; - reads standard input."`
	Bundle   string `placeholder:"FILE" help:"Evaluate over a bundle: its JSON, a bundle-complete or fix-submitted event, or such a line of a replay file."`
	Material string `placeholder:"FILE" help:"The variable material, in JSON or YAML."`
	Domain   string `placeholder:"FILE" help:"The variable domain, in JSON or YAML: the decomposition's entry for the bundle's domain."`
	Cases    string `placeholder:"FILE" help:"Evaluate each line of a JSON Lines file."`
	List     bool   `help:"List the functions of text."`
}

func (checkCmd) Help() string {
	return `Prints the verdict, what is wrong, a line each, and what the evaluation cost. An expression of another type than a check's prints its value as JSON, to try out the parts of a check. Variables are text (with --bundle its content), bundle, domain and material. Exit codes: 0 passed or a value, 1 failed, 2 a bad expression, input that cannot be used, or no verdict.

--cases reads {"id", "check", "text"} lines, with "bundle" instead of "text", "material" and "domain" where they are needed, and prints {"id", "verdict", "actual", "error"} for each, in the same order; verdict is passed, failed or error. A line that cannot be evaluated does not end the run. Exit codes: 0 every line has a verdict, whether passed or failed; 1 some line is an error; 2 the file cannot be used.

Examples:

    shadowd check "text.words().size() >= 300" --text design.md
    shadowd check "text.section('Risks').missing(['Plan the rollback'])" --text design.md
    shadowd check "text.miscalculations() + text.unbacked_numbers(bundle.summary)" --bundle bundle.json
    shadowd check "text.missing(material.topics)" --material topics.yaml --text - < design.md
    shadowd check --cases cases.jsonl | jq -r 'select(.verdict != "passed") | .id'
    shadowd check --list`
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
	in, err := cmd.input(a)
	if err != nil {
		return hint.Usage(err, "")
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
		return noVerdict(err, cmd.evalHint(err))
	}
	if !r.Passed && len(r.Problems) == 0 {
		r.Problems = []string{"the expression is false"}
		if sides := program.Sides(in); sides != "" {
			r.Problems[0] = sides + " is false"
		}
	}
	if err := render.CheckResult(a.Terminal(), r); err != nil {
		return err
	}
	if !r.Passed {
		return hint.Failed(errFailedCheck, "")
	}
	return nil
}

// value prints what an expression gives that is no check, so that the parts of
// one can be tried out.
func (cmd checkCmd) value(a *app, program *check.Check, in check.Input, what string) error {
	v, err := program.Value(in)
	if err != nil {
		return noVerdict(err, cmd.evalHint(err))
	}
	if _, err := fmt.Fprintln(a.Stdout, "value", shadow.Printable(v)); err != nil {
		return err
	}
	a.Warn("a value, not a check: it is " + what + ", and a criterion needs a bool or a list of strings that say what is wrong")
	return nil
}

func noVerdict(err error, next string) error {
	return hint.Usage(fmt.Errorf("no verdict: %s", shadow.Printable(strings.TrimPrefix(err.Error(), "no verdict: "))), next)
}

// errFailedCheck ends a check that failed. It has no words: the verdict has
// been printed, and nothing went wrong.
var errFailedCheck = errors.New("")

// usage says which flags do not go together, or which one is missing.
func (cmd checkCmd) usage() error {
	var over []string
	for _, f := range []struct {
		flag string
		set  bool
	}{{"--text", cmd.Text != ""}, {"--bundle", cmd.Bundle != ""}, {"--cases", cmd.Cases != ""}, {"--list", cmd.List}} {
		if f.set {
			over = append(over, f.flag)
		}
	}
	alone := cmd.List || cmd.Cases != ""
	switch {
	case len(over) > 1:
		return fmt.Errorf("%s cannot be used together", strings.Join(over, " and "))
	case alone && cmd.Expr != "":
		return fmt.Errorf("an expression and %s cannot be used together", over[0])
	case alone && cmd.Material+cmd.Domain != "":
		return errors.New("--material and --domain go with an expression; a line of --cases has its own")
	case !alone && cmd.Expr == "" && len(over) == 0:
		return errors.New("nothing to do: give an expression with --text or --bundle, or --cases, or --list")
	case !alone && cmd.Expr == "":
		return errors.New("the expression is missing or empty")
	case len(over) == 0:
		return errors.New("say what to evaluate the expression over: --text or --bundle")
	}
	stdin := 0
	for _, file := range []string{cmd.Text, cmd.Bundle, cmd.Material, cmd.Domain} {
		if file == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return errors.New("only one file can be -, standard input")
	}
	return nil
}

// evalHint says what an evaluation lacked.
func (cmd checkCmd) evalHint(err error) string {
	switch {
	case !strings.Contains(err.Error(), "no such key"):
		return ""
	case cmd.Material == "" && strings.Contains(cmd.Expr, "material"):
		return "give the variable material with --material FILE"
	case cmd.Domain == "" && strings.Contains(cmd.Expr, "domain"):
		return "give the variable domain with --domain FILE"
	}
	return ""
}

// input reads the files that the flags name.
func (cmd checkCmd) input(a *app) (check.Input, error) {
	var none check.Input
	b := &shadow.Bundle{Status: "success"}
	file := cmd.Text + cmd.Bundle // one of them is empty
	data, err := input.Text(file, a.Stdin)
	if err != nil {
		return none, err
	}
	if cmd.Text != "" {
		b.Content = string(data)
	} else if b, err = input.Bundle(data); err != nil {
		return none, fmt.Errorf("%s: %w", file, err)
	}
	if b.Content == "" {
		a.Warn(file + ": the text is empty")
	}
	material, err := input.Object(cmd.Material, a.Stdin)
	if err != nil {
		return none, err
	}
	entry, err := input.Object(cmd.Domain, a.Stdin)
	if err != nil {
		return none, err
	}
	domain, err := input.Domain(entry)
	if err != nil {
		return none, fmt.Errorf("%s: %w", cmd.Domain, err)
	}
	return shadow.CheckInput(b, domain, material), nil
}

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
	total, bad, err := cases.Run(ctx, in, render.NewEncoder(out).Encode, out.Flush)
	switch {
	case errors.Is(err, cases.ErrRead):
		return hint.Usage(fmt.Errorf("%s: %w", input.Name(cmd.Cases), err), "")
	case err != nil:
		return err
	case total == 0:
		return hint.Usage(fmt.Errorf("%s holds no cases", input.Name(cmd.Cases)), `each line is {"id": …, "check": "text.words().size() > 100", "text": "…"}`)
	case bad > 0:
		return fmt.Errorf("%d of %s could not be evaluated", bad, render.Count(total, "case"))
	}
	return nil
}
