package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

type sealCmd struct {
	File   string  `arg:"" help:"Events as replay takes them, or a decomposition as JSON; - reads standard input."`
	DryRun bool    `help:"Print criteria and seal nothing. Without it the command refuses."`
	Seed   *uint64 `placeholder:"N" help:"Draw by this number: the same number gives the same criteria."`
	Format string  `enum:"text,json" default:"text" help:"text is for people; json prints one object a run, checks included."`
	configFlag
}

func (cmd sealCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if !cmd.DryRun {
		return hint.Usage(errors.New("only the daemon seals: criteria that somebody has seen are no secret"),
			"to see what it might write: shadowd seal --dry-run FILE")
	}
	p, err := cmd.authors(a, cfg)
	if err != nil {
		return err
	}
	decompositions, err := input.Decompositions(cmd.File, a.Stdin)
	if err != nil {
		return hint.Usage(err, `a file of events as "shadowd replay" takes it, one decomposition-done event, or its data alone: {"run_id", "task", "domains": […]}`)
	}
	t := a.Terminal()
	for i, d := range decompositions {
		writing, end := a.Progress(ctx)
		dr, err := cmd.draft(progress.In(writing, "run "+d.RunID), p, d)
		end()
		if err != nil {
			return fmt.Errorf("run %s: %w", d.RunID, err)
		}
		switch {
		case cmd.Format == "json":
			err = dr.JSON(a.Stdout)
		case i > 0:
			t.Printf("\n")
			fallthrough
		default:
			err = dr.Text(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// authors are the authors of a dry run: models are asked, since what they write
// is what there is to see.
func (cmd sealCmd) authors(a *app, cfg *config.Config) (*daemon.Participants, error) {
	var asked []string
	for _, author := range cfg.Seal.Authors {
		if !author.Offline() {
			asked = append(asked, author.DisplayName())
		}
	}
	if len(asked) > 0 {
		a.Warn("models are asked, which costs tokens: " + strings.Join(asked, ", "))
	}
	return daemon.NewParticipants(cfg, a.Getenv, cfg.Seal.Authors, nil)
}

// draft writes criteria as the daemon would: by the same settings, with the
// same authors, and validated. Its order is that of the categories, since no id
// is given away.
func (cmd sealCmd) draft(ctx context.Context, p *daemon.Participants, d *input.Decomposed) (*render.Draft, error) {
	source := rand.Reader
	if cmd.Seed != nil {
		source = mathrand.NewChaCha8(sha256.Sum256(binary.BigEndian.AppendUint64(nil, *cmd.Seed)))
	}
	settings := p.Config().Settings("legacy")
	e, err := shadow.Seal(ctx, d.Decomposition, shadow.SealInput{Settings: &settings, Authors: p.Authors(source), Filler: rules.New(source), Notices: d.Notices, Now: time.Unix(0, 0), Rand: source})
	if err != nil {
		return nil, err
	}
	order := shadow.Categories()
	slices.SortStableFunc(e.Criteria, func(x, y shadow.Criterion) int {
		return slices.Index(order, x.Category) - slices.Index(order, y.Category)
	})
	return &render.Draft{Run: d.Decomposition, Envelope: e, Seed: cmd.Seed, Judges: len(p.Config().Judging.Panel)}, nil
}
