package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

type checkCmd struct {
	What   string `arg:"" help:"A file of criteria (its name ends in .yml or .yaml; - reads standard input), or a check: an expression that gives a bool, or a list of strings that say what is wrong."`
	Text   string `xor:"over" placeholder:"FILE" help:"Evaluate over this Markdown file; - reads standard input."`
	Bundle string `xor:"over" placeholder:"FILE" help:"Evaluate over a bundle: its JSON, a bundle-complete or fix-submitted event, or such a line of a replay file."`
	Domain string `placeholder:"FILE" help:"The variable domain, in JSON or YAML: the decomposition's entry for the bundle's domain."`
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (cmd checkCmd) Run(a *app) error {
	switch {
	case cmd.isFile() && cmd.Text+cmd.Bundle != "":
		return hint.Usage(errors.New("a file of criteria is tested by its own examples: allowed is an expression with --text and --bundle"), "")
	case cmd.isFile():
		return cmd.file(a)
	case cmd.Text+cmd.Bundle == "":
		return hint.Usage(errors.New("say what to evaluate the expression over: --text or --bundle"), "the name of a file of criteria ends in .yml or .yaml")
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
	File     string        `json:"file"`
	Mistakes []string      `json:"mistakes"` // with their lines; with any, criteria is empty
	Criteria []pack.Listed `json:"criteria"`
}

// file tests a file of criteria by its examples.
func (cmd checkCmd) file(a *app) error {
	data, err := input.Read(cmd.What, a.Stdin, pack.MaxFile)
	if err != nil {
		return hint.Usage(err, "")
	}
	r := fileResult{input.Name(cmd.What), []string{}, []pack.Listed{}}
	p, wrong := pack.Parse(r.File, data, true)
	if wrong != nil {
		r.Mistakes = strings.Split(wrong.Error(), "\n")
	}
	if wrong == nil {
		r.Criteria = p.List()
	}
	switch {
	case cmd.Format == "json":
		err = a.JSON(r)
	case wrong == nil:
		err = render.Criteria(a.Terminal(), r.File, r.Criteria)
	}
	switch {
	case err != nil:
		return err
	case wrong != nil:
		return hint.Usage(wrong, "docs/authors.md explains files of criteria")
	}
	return nil
}

// expression evaluates a check over a text or a bundle.
func (cmd checkCmd) expression(a *app) error {
	program, err := check.Compile(cmd.What)
	if err != nil {
		return hint.Usage(err, "docs/checks.md lists the functions; the name of a file of criteria ends in .yml or .yaml")
	}
	b, err := input.Work(cmd.Text, cmd.Bundle, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	domain, err := input.Domain(cmd.Domain, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	if b.Content == "" {
		a.Warn(input.Name(cmd.Text+cmd.Bundle) + ": the text is empty")
	}
	r, err := program.Eval(shadow.CheckInput(b, domain))
	if err != nil {
		return hint.Usage(fmt.Errorf("no verdict: %s", shadow.Printable(err.Error())), "--bundle and --domain give the variables bundle and domain")
	}
	if !r.Passed && len(r.Problems) == 0 {
		r.Problems = []string{"the expression is false"}
	}
	if err := printAs(a, cmd.Format, r, render.CheckResult); err != nil || r.Passed {
		return err
	}
	return errSilent
}
