package main

import (
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
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

type checkCmd struct {
	What   string `arg:"" optional:"" help:"A file of criteria (its name ends in .yml or .yaml; - reads standard input), or a check: an expression that gives a bool, or a list of strings that say what is wrong."`
	Text   string `xor:"over" placeholder:"FILE" help:"Evaluate over this Markdown file; - reads standard input."`
	Bundle string `xor:"over" placeholder:"FILE" help:"Evaluate over a bundle: its JSON, a bundle-complete or fix-submitted event, or such a line of a replay file."`
	Domain string `placeholder:"FILE" help:"The variable domain, in JSON or YAML: the decomposition's entry for the bundle's domain."`
	Format string `enum:"text,json" default:"text" help:"Of a file of criteria: text or json."`
}

func (cmd checkCmd) Run(a *app) error {
	if err := cmd.usage(); err != nil {
		return hint.Usage(err, `run "shadowd check --help"`)
	}
	if cmd.isFile() {
		return cmd.file(a)
	}
	return cmd.expression(a)
}

// isFile tells a file of criteria from an expression: by its name alone, so that
// no file that happens to be there changes what an expression means.
func (cmd checkCmd) isFile() bool {
	return cmd.What == "-" || strings.HasSuffix(cmd.What, ".yml") || strings.HasSuffix(cmd.What, ".yaml")
}

// fileResult is what --format json prints of a file of criteria.
type fileResult struct {
	File     string       `json:"file"`
	Mistakes []string     `json:"mistakes"` // with their lines; with any, criteria is empty
	Criteria []pack.Trial `json:"criteria"`
}

// file tests a file of criteria by its examples, and tries it on a bundle if one
// is named.
func (cmd checkCmd) file(a *app) error {
	data, err := input.Read(cmd.What, a.Stdin, pack.MaxFile)
	if err != nil {
		return hint.Usage(err, "")
	}
	r := fileResult{input.Name(cmd.What), []string{}, []pack.Trial{}}
	p, wrong := pack.Parse(r.File, data, true)
	if wrong != nil {
		r.Mistakes = strings.Split(wrong.Error(), "\n")
	}
	var b *shadow.Bundle // nothing to try it on
	if wrong == nil && cmd.Text+cmd.Bundle != "" {
		if b, err = input.Work(cmd.Text, cmd.Bundle, a.Stdin); err != nil {
			return hint.Usage(err, "")
		}
	}
	if wrong == nil {
		r.Criteria = p.Try(b)
	}
	switch {
	case cmd.Format == "json":
		err = a.JSON(r)
	case wrong != nil:
	case b == nil:
		err = render.Criteria(a.Terminal(), r.File, r.Criteria)
	default:
		err = render.Trials(a.Terminal(), r.Criteria)
	}
	switch {
	case err != nil:
		return err
	case wrong != nil:
		return hint.Usage(wrong, "docs/authors.md explains files of criteria")
	case slices.ContainsFunc(r.Criteria, func(t pack.Trial) bool { return t.Verdict == "failed" || t.Verdict == "error" }):
		return hint.Failed(errSilent, "")
	}
	return nil
}

// expression evaluates a check over a text or a bundle.
func (cmd checkCmd) expression(a *app) error {
	program, err := check.Compile(cmd.What)
	if err != nil {
		return hint.Usage(render.Caret(cmd.What, err), "docs/checks.md lists the functions; the name of a file of criteria ends in .yml or .yaml")
	}
	in, err := cmd.input(a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	if content, _ := in.Bundle["content"].(string); content == "" {
		a.Warn(input.Name(cmd.Text+cmd.Bundle) + ": the text is empty")
	}
	if cmd.Text != "" && strings.Contains(cmd.What, "bundle.") {
		a.Warn("with --text the bundle has nothing but the text: --bundle FILE evaluates over a whole one")
	}
	r, err := program.Eval(in)
	if err != nil {
		return cmd.noVerdict(err)
	}
	if !r.Passed && len(r.Problems) == 0 {
		r.Problems = []string{"the expression is false"}
	}
	if err := render.CheckResult(a.Terminal(), r); err != nil || r.Passed {
		return err
	}
	return hint.Failed(errSilent, "")
}

// input is what an expression is evaluated over.
func (cmd checkCmd) input(stdin io.Reader) (none check.Input, err error) {
	b, err := input.Work(cmd.Text, cmd.Bundle, stdin)
	if err != nil {
		return none, err
	}
	domain, err := input.Domain(cmd.Domain, stdin)
	return shadow.CheckInput(b, domain), err
}

// noVerdict says why an evaluation ended without one, and what it lacked.
func (cmd checkCmd) noVerdict(err error) error {
	next := ""
	if strings.Contains(err.Error(), "no such key") && cmd.Domain == "" && strings.Contains(cmd.What, "domain") {
		next = "give the variable domain with --domain FILE"
	}
	return hint.Usage(fmt.Errorf("no verdict: %s", shadow.Printable(err.Error())), next)
}

// usage says which flags do not go together, or which one is missing.
func (cmd checkCmd) usage() error {
	over := cmd.Text + cmd.Bundle
	stdin := slices.DeleteFunc([]string{cmd.What, cmd.Text, cmd.Bundle, cmd.Domain}, func(file string) bool { return file != "-" })
	switch {
	case len(stdin) > 1:
		return errors.New("only one file can be -, standard input")
	case cmd.What == "" && over == "":
		return errors.New("nothing to do: give a file of criteria, or an expression with --text or --bundle")
	case cmd.What == "":
		return errors.New("the expression is missing or empty")
	case cmd.isFile() && cmd.Domain != "":
		return errors.New("--domain goes with an expression")
	case cmd.isFile():
		return nil
	case over == "":
		return errors.New("say what to evaluate the expression over: --text or --bundle")
	case cmd.Format != "text":
		return errors.New("--format json goes with a file of criteria")
	}
	return nil
}
