package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Examiner connects to a server as each of its users in turn, and as an unknown client.
type Examiner struct {
	urls    string
	options []nats.Option
}

// NewExaminer takes no notice of credentials in urls: everybody would be the
// user they name.
func NewExaminer(urls string, options ...nats.Option) Examiner {
	all := strings.Split(urls, ",")
	for i, s := range all {
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil {
			u.User = nil
			all[i] = u.String()
		}
	}
	return Examiner{strings.Join(all, ","), append([]nats.Option{nats.NoReconnect(), nats.Timeout(10 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, // refusals are what it is about
		options...)}
}

// User is a user, and how it logs in.
type User struct {
	layout.User
	Login func() (nats.Option, error)
}

// ConnectAs connects as a user.
func (v Examiner) ConnectAs(u User) (*nats.Conn, error) {
	login, err := u.Login()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(v.urls, slices.Concat(v.options, []nats.Option{login, nats.CustomInboxPrefix(u.InboxPrefix())})...)
	if err != nil {
		return nil, fmt.Errorf("it cannot connect: %w", err)
	}
	return nc, nil
}

// ExamineUnknown tries to connect without a key, and with one that nobody knows.
func (v Examiner) ExamineUnknown() ([]Finding, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	defer kp.Wipe()
	public, err := kp.PublicKey()
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, s := range []struct {
		how   string
		login []nats.Option
	}{{"no credentials", nil}, {"unknown key", []nats.Option{nats.Nkey(public, kp.Sign)}}} {
		f := Finding{User: "(unknown)", Tried: "connect with " + s.how}
		nc, err := nats.Connect(v.urls, slices.Concat(v.options, s.login)...)
		switch {
		case err == nil:
			nc.Close()
			f.Allowed = true
		case errors.Is(err, nats.ErrAuthorization):
		case errors.Is(err, nats.ErrNkeysNotSupported):
			f.Note = "the server knows no keys at all"
		default:
			return nil, fmt.Errorf("connecting to %s: %w", v.urls, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// UserNamed is the user whose name says its role, such as "nexus",
// "commander-ID" or "auditor-NAME".
func UserNamed(name string) layout.User {
	role, id, _ := strings.Cut(name, "-")
	u := layout.User{Name: name, Role: layout.Role(role)}
	if u.Role == layout.RoleCommander {
		u.Commander = id
	}
	return u
}

// Connect is what was tried as a user who could not be tried to the end.
const Connect = "connect"

// maxParallel is how many users are tried at the same time.
const maxParallel = 8

// Examine connects as each user and tries what it may do and what it must not,
// as [Examine] does, several users at a time. Findings are in their order.
func (v Examiner) Examine(ctx context.Context, l layout.Subjects, users []User) []Finding {
	found := make([][]Finding, len(users))
	var all errgroup.Group
	all.SetLimit(maxParallel)
	for i, u := range users {
		all.Go(func() error {
			nc, err := v.ConnectAs(u)
			if err == nil {
				defer nc.Close()
				found[i], err = Examine(l, nc, u.User)
			}
			if err = cmp.Or(ctx.Err(), err); err != nil {
				found[i] = append(found[i], Finding{User: u.Name, Tried: Connect, Wanted: true, Note: err.Error()})
			}
			return nil
		})
	}
	_ = all.Wait()
	return slices.Concat(found...)
}
