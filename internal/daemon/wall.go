package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
)

// holds says whether the wall is known to stand between the swarm and what is
// secret. That of the server inside shadowd is as it was written. On somebody
// else's, shadowd tries what must be refused as everybody that bus.users names,
// and what cannot be tried is not claimed.
func (d *Daemon) holds(ctx context.Context) bool {
	if d.server != nil {
		return d.server.Walled()
	}
	const claim = ", so reports claim conformance level 1"
	visit := doctor.NewVisitor(d.cfg.Bus.URL, nats.Name("shadowd, trying the wall"))
	strangers, err := visit.Strangers()
	if err != nil {
		d.log.Warn("it could not be tried whether strangers get in"+claim, "error", err)
		return false
	}
	found, untried := d.tryAll(ctx, visit)
	var open, broken []string
	for _, f := range append(strangers, found...) {
		switch {
		case f.Allowed && !f.Wanted:
			open = append(open, f.User+": "+f.Tried)
		case !f.Allowed && f.Wanted:
			broken = append(broken, f.User+": "+f.Tried)
		}
	}
	if len(broken) > 0 {
		d.log.Warn("the server refuses users what they are for", "refused", first(broken), "count", len(broken))
	}
	switch {
	case len(open) > 0:
		d.log.Warn("the server has no wall, or one with holes"+claim+"; shadowd doctor lists all of it", "possible", first(open), "count", len(open))
	case len(untried) > 0:
		d.log.Warn("the wall could not be tried as everybody"+claim, "not_tried", first(untried), "count", len(untried))
	case !slices.ContainsFunc(d.users, func(u layout.User) bool { return u.Role == layout.RoleCommander }):
		d.log.Warn("the wall was not tried, since bus.users names no commander" + claim)
	default:
		d.log.Info("the wall holds for everybody that bus.users names", "users", len(d.cfg.Bus.Users), "tried", len(found)+len(strangers))
		return true
	}
	return false
}

// tryAll examines the server as each user beyond the wall, several at a time,
// and lists those it could not be: by name, with the reason.
func (d *Daemon) tryAll(ctx context.Context, visit doctor.Visitor) (found []doctor.Finding, untried []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	const atOnce = 8
	slots := make(chan struct{}, atOnce)
	for i, u := range d.users {
		if u.Role == layout.RoleOperator {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			got, err := d.tryAs(ctx, visit, u, d.cfg.Bus.Users[i])
			mu.Lock()
			defer mu.Unlock()
			found = append(found, got...)
			if err != nil {
				untried = append(untried, u.Name+": "+err.Error())
			}
		})
	}
	all.Wait()
	slices.Sort(untried)
	slices.SortStableFunc(found, func(a, b doctor.Finding) int { return cmp.Compare(a.User, b.User) })
	return found, untried
}

func (d *Daemon) tryAs(ctx context.Context, visit doctor.Visitor, u layout.User, c config.User) ([]doctor.Finding, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	login, err := login(c)
	if err != nil {
		return nil, err
	}
	if login == nil {
		return nil, errors.New("bus.users has its public key only: give nkey_file")
	}
	nc, err := visit.As(u, login)
	if err != nil {
		return nil, fmt.Errorf("it cannot connect: %w", err)
	}
	defer nc.Close()
	return doctor.Examine(d.store.Subjects, nc, u, d.nc)
}

// first are the first of a list that may be long.
func first(all []string) []string { return all[:min(len(all), 10)] }
