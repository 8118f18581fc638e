package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// reviewCmd shows what there is to review, or takes what a person finds in it.
type reviewCmd struct {
	ID      string   `arg:"" name:"run" help:"The run."`
	Domain  string   `arg:"" help:"The domain whose bundle is reviewed."`
	Accept  bool     `xor:"verdict" help:"Accept the bundle as a whole."`
	Reject  bool     `xor:"verdict" help:"Reject the bundle as a whole."`
	Item    []string `xor:"verdict" sep:"none" placeholder:"NAME=STATE" help:"What was found of an item, or of a criterion by its id: found or missing, with a line of the content if you like: 'sub-task 2=found:14'. May be repeated."`
	Because string   `placeholder:"TEXT" help:"Why. --accept and --reject need it."`
	By      string   `placeholder:"NAME" default:"operator" help:"Who reviews, where no nkey of a reviewer says it (default ${default})."`
	NKey    string   `name:"nkey" placeholder:"FILE" help:"The seed of a reviewer's nkey, reviewer-NAME.nk; without it the operator reviews."`
	configFlag
}

func (cmd reviewCmd) Run(ctx context.Context, a *app) error {
	review := &shadow.Review{RunID: cmd.ID, Domain: cmd.Domain, Verdict: shadow.ReviewItems, By: cmd.By, Because: cmd.Because}
	switch {
	case !layout.ValidID(cmd.By):
		return hint.Usage(fmt.Errorf("--by: %.80q is no name: use 1 to 64 letters, digits, - and _", cmd.By), "")
	case cmd.Accept:
		review.Verdict = shadow.ReviewAccept
	case cmd.Reject:
		review.Verdict = shadow.ReviewReject
	}
	if review.Verdict != shadow.ReviewItems && strings.TrimSpace(cmd.Because) == "" {
		return hint.Usage(errors.New("--because is missing: a verdict for the whole needs a reason"), "")
	}
	for _, text := range cmd.Item {
		found, err := readFound(text)
		if err != nil {
			return hint.Usage(err, "for example --item 'sub-task 2=found:14' --item sc-03=missing")
		}
		review.Found = append(review.Found, found)
	}
	b, key, err := cmd.open(ctx, a, review)
	if err != nil {
		return err
	}
	if key != nil {
		defer key.Wipe()
	}
	r, err := history.ReadDomain(ctx, b.Subjects, b.js, cmd.ID, cmd.Domain, b.signers...)
	if err != nil {
		return err
	}
	s, err := history.Choose(r, cmd.Domain, nil)
	if err != nil {
		return err
	}
	if review.Verdict == shadow.ReviewItems && len(cmd.Item) == 0 {
		if err := s.Read(ctx, b.js); err != nil {
			return err
		}
		return render.Review(a.Terminal(), s)
	}
	review.Cycle, review.ReportDigest = s.Last.Swarm.Cycle, r.Digests[s.Last]
	d, err := (&bus.Reviewer{Subjects: b.Subjects, JS: b.js, Key: key}).Review(ctx, review)
	if err != nil {
		return err
	}
	return render.Reviewed(a.Terminal(), d)
}

// open connects as the reviewer whose nkey is named, else as the operator. A nil key: none that signs is at hand.
func (cmd reviewCmd) open(ctx context.Context, a *app, review *shadow.Review) (*openedBus, nkeys.KeyPair, error) {
	if cmd.NKey == "" {
		b, err := cmd.ProvideBus(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		key, err := daemon.ReviewKey(b.cfg)
		return b, key, err
	}
	u := doctor.UserNamed(strings.TrimSuffix(filepath.Base(cmd.NKey), ".nk"))
	key, err := keys.UserKey(cmd.NKey)
	if review.By = u.Reviewer(); review.By == "" {
		err = errors.New("the name of a reviewer's file is reviewer-NAME.nk")
	}
	if err != nil {
		return nil, nil, hint.Usage(fmt.Errorf("--nkey: %w", err), "")
	}
	cfg, err := cmd.ProvideConfig(a)
	if err != nil {
		return nil, nil, err
	}
	b, err := a.connect(ctx, cfg, func(ctx context.Context, url string) (*nats.Conn, error) {
		return daemon.ConnectAs(ctx, cfg, url, u, cmd.NKey, a.logger(cfg.Log.Format, slog.LevelError))
	}, broker.BeyondWall)
	return b, key, err
}

// readFound reads NAME=found or NAME=missing, with :LINE behind it.
func readFound(text string) (shadow.Reviewed, error) {
	name, rest, ok := strings.Cut(text, "=")
	state, line, hasLine := strings.Cut(rest, ":")
	f := shadow.Reviewed{About: strings.TrimSpace(name), State: shadow.ItemState(state)}
	var err error
	if hasLine {
		f.Line, err = strconv.Atoi(line)
	}
	if !ok || f.About == "" || err != nil || hasLine && f.Line < 1 || f.State != shadow.ItemFound && f.State != shadow.ItemMissing {
		return f, fmt.Errorf("--item: %.80q is not NAME=found or NAME=missing, with a line behind it such as :14", text)
	}
	return f, nil
}
