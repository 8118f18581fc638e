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
	Text   string `placeholder:"FILE" help:"Evaluate the expression over this Markdown file; - reads standard input."`
	Format string `enum:"text,json" default:"text" help:"Of a file of criteria: text or json."`
}

// Run tells a file from an expression by its name alone, so that no file that happens
// to be there changes what an expression means.
func (cmd checkCmd) Run(a *app) error {
	isFile := cmd.What == "-" || strings.HasSuffix(cmd.What, ".yml") || strings.HasSuffix(cmd.What, ".yaml")
	switch {
	case isFile && cmd.Text != "":
		return hint.Usage(errors.New("a file of criteria is tested by its own examples: --text is for an expression"), "")
	case isFile:
		return cmd.file(a)
	case cmd.Text == "":
		return hint.Usage(errors.New("say what to evaluate the expression over: --text"), "the name of a file of criteria ends in .yml or .yaml")
	}
	return cmd.expression(a)
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
	} else {
		r.Criteria = p.List()
	}
	switch {
	case cmd.Format == "json":
		err = a.JSON(r)
	case wrong == nil:
		err = render.Criteria(a.Terminal(), r.File, r.Criteria)
	}
	if err == nil && wrong != nil {
		err = hint.Usage(wrong, "docs/authors.md explains files of criteria")
	}
	return err
}

// expression evaluates a check over a text, as the content of a bundle.
func (cmd checkCmd) expression(a *app) error {
	program, err := check.Compile(cmd.What)
	if err != nil {
		return hint.Usage(err, "docs/checks.md lists the functions; the name of a file of criteria ends in .yml or .yaml")
	}
	text, err := input.Text(cmd.Text, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	r, err := program.Eval(shadow.CheckInput(&shadow.Bundle{Status: "success", Content: string(text)}, nil))
	if err != nil {
		return hint.Usage(fmt.Errorf("no verdict: %s", shadow.Printable(err.Error())), "")
	}
	if err := render.CheckResult(a.Terminal(), r); err != nil || r.Passed {
		return err
	}
	return errSilent
}
