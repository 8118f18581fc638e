package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/play"
)

// Scratch starts a whole shadowd in this process, on a bus of its own in a new temporary
// directory, with the protocol settings of p, and users for a Nexus and some commanders,
// who may do no more than in a real swarm.
func Scratch(ctx context.Context, p *Participants, name string, commanders []string, log *slog.Logger) (_ *play.Bus, err error) {
	if err := judged(p.cfg.Seal.Authors, p.cfg.Judging.Panel); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return nil, hint.Failed(fmt.Errorf("making a temporary directory: %w", err), "set "+tempHint)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	cfg := p.cfg
	p.replay = true
	prefix := cfg.Bus.Prefix
	cfg.Bus = config.Default().Bus
	cfg.Bus.DataDir, cfg.Bus.Listen, cfg.Bus.Prefix = dir, "", prefix
	cfg.Bus.Sync = "2m"  // it goes with the process
	cfg.Bus.MaxBytes = 0 // what is played is bounded, and needs no room beyond itself
	cfg.Keys, cfg.HTTP = config.Keys{}, config.HTTP{}
	cfg.ShadowScoring.Enabled = true
	swarm, err := addSwarmUsers(cfg, commanders)
	if err != nil {
		return nil, err
	}
	d, err := Start(ctx, p, log, "scratch", false)
	if err != nil {
		return nil, fmt.Errorf("starting a bus in %s: %w", dir, err)
	}
	b := &play.Bus{JS: d.js, Authors: map[string]jetstream.JetStream{}, Where: dir, Awaited: d.watch.awaited}
	for author, as := range swarm {
		nc, err := d.server.ConnAs(as.key, nats.Name(author), nats.CustomInboxPrefix(as.InboxPrefix()))
		if err == nil {
			d.started("connection of "+author, func(ctx context.Context) error { return Disconnect(ctx, nc) })
			b.Authors[author], err = jetstream.New(nc)
		}
		if err != nil {
			return nil, errors.Join(err, d.Stop())
		}
	}
	b.Close = func(keep bool) error {
		err := d.Stop()
		if !keep {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return err
	}
	return b, nil
}

const tempHint = "TMPDIR to a directory on a disk with 100 MB of room that you can write to"

// swarmUser is a user with its key.
type swarmUser struct {
	layout.User
	key nkeys.KeyPair
}

// addSwarmUsers makes users for a Nexus and commanders and returns them by author.
// Names that no user can have are left out: what is published in them is for
// the operator to publish.
func addSwarmUsers(c *config.Config, commanders []string) (map[string]swarmUser, error) {
	swarm := map[string]swarmUser{}
	for i, author := range append([]string{layout.AuthorNexus}, commanders...) {
		key, err := nkeys.CreateUser()
		if err != nil {
			return nil, err
		}
		public, err := key.PublicKey()
		if err != nil {
			return nil, err
		}
		u := config.User{Name: layout.AuthorNexus, Role: string(layout.RoleNexus), NKey: public}
		if i > 0 {
			u = config.User{Name: fmt.Sprintf("commander-%d", i), Role: string(layout.RoleCommander), Commander: author, NKey: public}
		}
		if swarm[author].key != nil || layout.CheckUsers([]layout.User{u.BusUser()}) != nil {
			continue
		}
		c.Bus.Users = append(c.Bus.Users, u)
		swarm[author] = swarmUser{u.BusUser(), key}
	}
	return swarm, nil
}
