package main

import (
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// criteriaCmd is about files of criteria.
type criteriaCmd struct {
	Test criteriaTestCmd `cmd:"" help:"Test a file of criteria by its examples, or on a text of yours."`
}

type criteriaTestCmd struct {
	File   string `arg:"" help:"A file of criteria, as seal.authors takes it; - reads standard input."`
	Text   string `xor:"over" placeholder:"FILE" help:"Say of each criterion what it finds in this Markdown file."`
	Bundle string `xor:"over" placeholder:"FILE" help:"Say it of a bundle: its JSON, a bundle-complete or fix-submitted event, or such a line of a replay file."`
}

func (cmd criteriaTestCmd) Run(a *app) error {
	data, err := input.Read(cmd.File, a.Stdin, pack.MaxFile)
	if err != nil {
		return hint.Usage(err, "")
	}
	p, err := pack.Parse(input.Name(cmd.File), data, true)
	if err != nil {
		return hint.Usage(err, "docs/authors.md explains files of criteria")
	}
	if cmd.Text+cmd.Bundle == "" {
		return render.Criteria(a.Terminal(), input.Name(cmd.File), p.Try(&shadow.Bundle{}))
	}
	b, err := input.Work(cmd.Text, cmd.Bundle, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	failed, err := render.Trials(a.Terminal(), p.Try(b))
	if err == nil && failed > 0 {
		err = hint.Failed(errFailedCheck, "")
	}
	return err
}
