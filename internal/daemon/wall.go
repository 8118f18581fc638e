package daemon

import (
	"context"
	"errors"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// checkWall says whether the wall is known to protect the secrets from the
// swarm. The server inside shadowd has it by its configuration. On another
// server, shadowd tries as each user of bus.users what must be refused, and
// does not claim what it cannot try.
func (d *Daemon) checkWall(ctx context.Context) bool {
	if d.server != nil {
		return d.server.Walled()
	}
	const claim = ", so reports claim conformance level 1"
	visit := doctor.NewExaminer(d.cfg.Bus.URL, nats.Name("shadowd, trying the wall"))
	unknown, err := visit.ExamineUnknown()
	if err != nil {
		d.log.Warn("it could not be tried whether users without an account get in"+claim, "error", err)
		return false
	}
	found := visit.Examine(ctx, d.store.Subjects, d.usersToTry(), d.nc)
	var open, broken, untried []string
	for _, f := range append(unknown, found...) {
		switch {
		case f.Tried == doctor.Connect:
			untried = append(untried, f.User+": "+f.Note)
		case f.Allowed && !f.Wanted:
			open = append(open, f.User+": "+f.Tried)
		case !f.Allowed && f.Wanted:
			broken = append(broken, f.User+": "+f.Tried)
		}
	}
	if len(broken) > 0 {
		d.log.Warn("the server refuses users what they are for: "+doctor.ConfigHint, "refused", firstTen(broken), "count", len(broken))
	}
	switch {
	case len(open) > 0:
		d.log.Warn("the server has no wall, or one with holes"+claim+"; shadowd doctor lists all of it", "possible", firstTen(open), "count", len(open))
	case len(untried) > 0:
		d.log.Warn("the wall could not be tried as everybody"+claim, "not_tried", firstTen(untried), "count", len(untried))
	case !slices.ContainsFunc(d.users, func(u layout.User) bool { return u.Role == layout.RoleCommander }):
		d.log.Warn("the wall was not tried, since bus.users names no commander" + claim)
	default:
		d.log.Info("the wall holds for everybody that bus.users names", "users", len(d.cfg.Bus.Users), "tried", len(found)+len(unknown))
		return true
	}
	return false
}

// usersToTry are the users that are to be tried: those beyond the wall.
func (d *Daemon) usersToTry() (all []doctor.User) {
	for i, u := range d.users {
		if u.Role == layout.RoleOperator {
			continue
		}
		all = append(all, doctor.User{User: u, Login: func() (nats.Option, error) {
			login, err := login(d.cfg.Bus.Users[i])
			if login == nil && err == nil {
				err = errors.New("bus.users has its public key only: give nkey_file")
			}
			return login, err
		}})
	}
	return all
}

// firstTen are the first of a list that may be long.
func firstTen(all []string) []string { return all[:min(len(all), 10)] }
