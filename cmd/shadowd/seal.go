package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

type sealCmd struct {
	File    string  `arg:"" help:"Events as replay takes them, or a decomposition as JSON; - reads standard input."`
	DryRun  bool    `help:"Print criteria and seal nothing. Without it the command refuses."`
	Seed    *uint64 `placeholder:"N" help:"Draw by this number: the same number gives the same criteria."`
	OnlyRun string  `name:"run" placeholder:"RUN" help:"Print the criteria of this run only."`
	Format  string  `enum:"text,json" default:"text" help:"text is for people; json prints one object a run, checks included."`
	configFlag
}

func (sealCmd) Help() string {
	return `Prints criteria as the daemon might write them for the decompositions of a file, for people who tune decompositions. Models among the authors are asked, and draw on their own whatever the seed; services are left out. The daemon draws anew and in secret: what it seals asks for the same things of the decomposition, in other words, parts and order, and with other general questions.

Examples:

    shadowd seal --dry-run run.jsonl
    shadowd seal --dry-run --seed 7 decomposition.json
    shadowd seal --dry-run --format json run.jsonl | jq '.criteria[].assertion'`
}

func (cmd sealCmd) Run(ctx context.Context, a *app) error {
	if !cmd.DryRun {
		return hint.Usage(errors.New("only the daemon seals: criteria that somebody has seen are no secret"),
			"to see what it might write: shadowd seal --dry-run FILE")
	}
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	v, err := cmd.voices(a, cfg)
	if err != nil {
		return err
	}
	decompositions, err := readDecompositions(cmd.File, a.Stdin)
	if err != nil {
		return err
	}
	if decompositions, err = ofRun(decompositions, cmd.OnlyRun); err != nil {
		return hint.Usage(fmt.Errorf("%s: %w", cmd.File, err), "")
	}
	for i, d := range decompositions {
		dr, err := cmd.draft(ctx, v, d)
		if err != nil {
			return fmt.Errorf("run %s: %w", d.RunID, err)
		}
		switch {
		case cmd.Format == "json":
			err = dr.json(a.Stdout)
		case i > 0:
			_, err = fmt.Fprintln(a.Stdout)
			fallthrough
		default:
			err = errors.Join(err, dr.text(a.Stdout))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// voices are the authors of a dry run: models are asked, since what they write
// is what there is to see; services would need the bus.
func (cmd sealCmd) voices(a *app, cfg *config.Config) (*voices, error) {
	own := *cfg
	own.Seal.Authors = nil
	var asked, left []string
	for _, author := range cfg.Seal.Authors {
		switch {
		case author.Service != "":
			left = append(left, author.DisplayName())
			continue
		case author.Model != "":
			asked = append(asked, author.DisplayName())
		}
		own.Seal.Authors = append(own.Seal.Authors, author)
	}
	if len(asked) > 0 {
		a.Warn("models are asked, which costs tokens: " + strings.Join(asked, ", "))
	}
	if len(left) > 0 {
		a.Warn("services on the bus are left out, and rules writes their share: " + strings.Join(left, ", "))
	}
	return newAuthors(&own, a.Getenv)
}

// draft is an envelope that nobody sealed.
type draft struct {
	seed     *uint64
	run      *shadow.Decomposition
	scale    string
	criteria []shadow.Criterion
	envelope *shadow.Envelope
	notes    []string
	panel    int // judges that are configured
}

// draft writes criteria as the daemon would: by the same settings, with the
// same authors, and validated. Its order is that of the categories, since no id
// is given away.
func (cmd sealCmd) draft(ctx context.Context, v *voices, d *shadow.Decomposition) (*draft, error) {
	var source io.Reader = rand.Reader
	if cmd.Seed != nil {
		source = seeded(*cmd.Seed)
	}
	authors, err := v.authors(source, nil)
	if err != nil {
		return nil, err
	}
	settings := v.cfg.Settings("legacy")
	e, err := shadow.Seal(ctx, d, shadow.SealInput{Settings: &settings, Authors: authors, Filler: rules.New(source), Now: time.Unix(0, 0), Rand: source})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(e.Criteria, func(x, y shadow.Criterion) int {
		return slices.Index(settings.Categories, x.Category) - slices.Index(settings.Categories, y.Category)
	})
	return &draft{seed: cmd.Seed, run: d, scale: e.Policy.Scale, envelope: e, criteria: e.Criteria, notes: e.Notes, panel: len(v.cfg.Judging.Panel)}, nil
}

// seeded is a source of bytes that is the same for the same number.
func seeded(n uint64) io.Reader {
	return mathrand.NewChaCha8(sha256.Sum256(binary.BigEndian.AppendUint64(nil, n)))
}

// ofRun picks one run; all of them if run is empty.
func ofRun(all []*shadow.Decomposition, run string) ([]*shadow.Decomposition, error) {
	if run == "" {
		return all, nil
	}
	var ids []string
	for _, d := range all {
		if d.RunID == run {
			return []*shadow.Decomposition{d}, nil
		}
		ids = append(ids, d.RunID)
	}
	return nil, fmt.Errorf("no decomposition of run %.80q: there are those of %s", run, strings.Join(ids, ", "))
}

// first and last are the lines around a draft.
func (dr *draft) first() string {
	how := "Run the command again and the draw is another one; --seed N repeats one."
	if dr.seed != nil {
		how = fmt.Sprintf("Drawn with seed %d: the same seed gives the same criteria again.", *dr.seed)
	}
	return notSealed + ": criteria that the daemon might write for run " + dr.run.RunID + ". " + how
}

const (
	notSealed = "NOT SEALED"
	last      = notSealed + ": nothing was stored or published, and the daemon draws anew."
)
