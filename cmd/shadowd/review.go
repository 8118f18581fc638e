package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// reviewCmd takes what a person finds in a bundle.
type reviewCmd struct {
	ID      string   `arg:"" name:"run" help:"The run."`
	Domain  string   `arg:"" help:"The domain whose bundle is reviewed."`
	Accept  bool     `xor:"verdict" help:"Accept the bundle as a whole."`
	Reject  bool     `xor:"verdict" help:"Reject the bundle as a whole."`
	Item    []string `xor:"verdict" sep:"none" placeholder:"NAME=STATE" help:"What was found of an item, or of a criterion by its id: found or missing, with a line of the content if you like: 'sub-task 2=found:14'. May be repeated."`
	Because string   `placeholder:"TEXT" help:"Why. --accept and --reject need it."`
	By      string   `placeholder:"NAME" default:"operator" help:"Who reviews, where no nkey of a reviewer says it (default ${default})."`
	NKey    string   `name:"nkey" placeholder:"FILE" help:"The seed of a reviewer's nkey, reviewer-NAME.nk; without it the operator reviews."`
	Show    bool     `xor:"verdict" help:"Show what there is to review, and ask nothing."`
	configFlag
}

func (cmd reviewCmd) Run(ctx context.Context, a *app) error {
	if (cmd.Accept || cmd.Reject) && strings.TrimSpace(cmd.Because) == "" {
		return hint.Usage(errors.New("--because is missing: a verdict for the whole needs a reason"), "")
	}
	review := &shadow.Review{RunID: cmd.ID, Domain: cmd.Domain, Verdict: shadow.ReviewItems, Because: cmd.Because}
	for _, text := range cmd.Item {
		found, err := readFound(text)
		if err != nil {
			return hint.Usage(err, "for example --item 'sub-task 2=found:14' --item sc-03=missing")
		}
		review.Found = append(review.Found, found)
	}
	r, err := cmd.open(ctx, a)
	if err != nil {
		return err
	}
	defer r.wipe()
	s, err := r.submission(ctx, cmd.ID, cmd.Domain)
	if err != nil {
		return err
	}
	review.By, review.Cycle, review.ReportDigest = r.by, s.Last.Swarm.Cycle, s.Run.Digests[s.Last]
	switch {
	case cmd.Show:
		return render.Review(a.Terminal(), s)
	case cmd.Accept:
		review.Verdict = shadow.ReviewAccept
	case cmd.Reject:
		review.Verdict = shadow.ReviewReject
	case len(cmd.Item) == 0:
		if err := askPerson(a, s, review); err != nil {
			return err
		}
	}
	return r.publish(ctx, a, review)
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

// reviewer is who reviews, and the bus as they see it.
type reviewer struct {
	*openedBus
	by  string
	key nkeys.KeyPair // that signs; nil: none is at hand
}

func (r *reviewer) wipe() {
	if r.key != nil {
		r.key.Wipe()
	}
}

// open connects as the reviewer whose nkey is named, else as the operator.
func (cmd reviewCmd) open(ctx context.Context, a *app) (*reviewer, error) {
	if !layout.ValidID(cmd.By) {
		return nil, hint.Usage(fmt.Errorf("--by: %.80q is no name: use 1 to 64 letters, digits, - and _", cmd.By), "")
	}
	if cmd.NKey == "" {
		b, err := cmd.ProvideBus(ctx, a)
		if err != nil {
			return nil, err
		}
		r := &reviewer{openedBus: b, by: cmd.By}
		r.key, err = daemon.ReviewKey(b.cfg)
		return r, err
	}
	cfg, err := cmd.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	u, err := cmd.user(cfg)
	if err != nil {
		return nil, err
	}
	b, err := a.connect(ctx, cfg, func(ctx context.Context, url string) (*nats.Conn, error) {
		return daemon.ConnectAs(ctx, cfg, url, u, cmd.NKey, a.logger(cfg.Log.Format, slog.LevelError))
	}, broker.BeyondWall)
	if err != nil {
		return nil, err
	}
	r := &reviewer{openedBus: b, by: u.Reviewer()}
	r.key, err = keys.UserKey(cmd.NKey)
	return r, err
}

// user is whose nkey the file holds: by bus.users, or by the name of the file.
func (cmd reviewCmd) user(cfg *config.Config) (layout.User, error) {
	public, err := keys.PublicUser(cmd.NKey)
	if err != nil {
		return layout.User{}, hint.Usage(fmt.Errorf("--nkey: %w", err), "")
	}
	u := doctor.UserNamed(strings.TrimSuffix(filepath.Base(cmd.NKey), ".nk"))
	users, err := daemon.Users(cfg)
	if err != nil {
		return u, err
	}
	if i := slices.IndexFunc(users, func(o layout.User) bool { return o.NKey == public }); i >= 0 {
		u = users[i]
	}
	if u.NKey = public; u.Reviewer() == "" || layout.CheckUsers([]layout.User{u}) != nil {
		return u, hint.Usage(fmt.Errorf("--nkey: %s is not the nkey of a reviewer", cmd.NKey), "bus.users names reviewers, or the file is called reviewer-NAME.nk")
	}
	return u, nil
}

// submission is the bundle that stands of a domain, with its final report.
func (r *reviewer) submission(ctx context.Context, run, domain string) (*history.Submission, error) {
	found, err := history.ReadDomain(ctx, r.Subjects, r.js, run, domain, r.signers()...)
	if errors.Is(err, history.ErrNoRun) {
		return nil, hint.Failed(fmt.Errorf("there is no report on domain %.80q of run %s", domain, run), "shadowd report RUN lists the domains of a run")
	}
	if err != nil {
		return nil, r.explain(err, run)
	}
	s, err := history.Choose(found, domain, nil)
	if err != nil {
		return nil, err
	}
	if !s.Last.Swarm.Final {
		return nil, fmt.Errorf("the report on domain %s of run %s is not final: a fix is awaited", domain, run)
	}
	return s, s.Read(ctx, r.js)
}

// askPerson shows what there is to review, and takes a verdict on each open item
// and criterion.
func askPerson(a *app, s *history.Submission, review *shadow.Review) error {
	t := a.Terminal()
	if err := render.Review(t, s); err != nil {
		return err
	}
	open := s.Last.Swarm.Open()
	if len(open) == 0 || s.Last.Swarm.SealBroken != "" {
		return hint.Failed(errors.New("no item and no criterion of the report is open"), "say --accept or --reject for the whole, or name items with --item")
	}
	in := bufio.NewScanner(a.Stdin)
	for _, name := range open {
		if err := render.ReviewPoint(t, s, name); err != nil {
			return err
		}
		for done := false; !done; {
			t.Printf("  f(ound) or m(issing), with a line if you like, as in f 14, or nothing to leave it: ")
			if !in.Scan() {
				return cmp.Or(in.Err(), errors.New("the input has ended: nothing was published"))
			}
			done = takeAnswer(review, name, in.Text())
		}
	}
	if len(review.Found) == 0 {
		return errors.New("no verdict was given: nothing was published")
	}
	if review.Because == "" {
		t.Printf("\nWhy, in a sentence, or nothing: ")
		in.Scan()
		review.Because = strings.TrimSpace(in.Text())
	}
	t.Printf("\n")
	return cmp.Or(t.Err(), in.Err())
}

// takeAnswer takes in the answer of a person, such as "f 14", and says whether it
// was one.
func takeAnswer(review *shadow.Review, name, answer string) bool {
	words := strings.Fields(answer)
	if len(words) == 0 {
		return true
	}
	state := map[bool]string{true: "found", false: "missing"}[strings.HasPrefix("found", strings.ToLower(words[0]))]
	if !strings.HasPrefix(state, strings.ToLower(words[0])) || len(words) > 2 {
		return false
	}
	f, err := readFound(name + "=" + strings.Join(append([]string{state}, words[1:]...), ":"))
	if err != nil {
		return false
	}
	review.Found = append(review.Found, f)
	return true
}

// publish stores a review and says what shadowd makes of it.
func (r *reviewer) publish(ctx context.Context, a *app, review *shadow.Review) error {
	p := &bus.Reviewer{Subjects: r.Subjects, JS: r.js, Key: r.key}
	d, err := p.Review(ctx, review)
	if errors.Is(err, bus.ErrNotTaken) {
		return hint.Failed(err, "it will, once it runs: shadowd status")
	}
	if err != nil {
		return err
	}
	return render.Reviewed(a.Terminal(), d)
}
