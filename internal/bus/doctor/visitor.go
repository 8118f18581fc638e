package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/progress"
)

// Visitor comes to a server as each of its users in turn, and as a stranger.
type Visitor struct {
	urls    string
	options []nats.Option
}

// NewVisitor takes no notice of credentials in urls: everybody would be the
// user they name.
func NewVisitor(urls string, options ...nats.Option) Visitor {
	all := strings.Split(urls, ",")
	for i, s := range all {
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil {
			u.User = nil
			all[i] = u.String()
		}
	}
	return Visitor{strings.Join(all, ","), append([]nats.Option{nats.NoReconnect(), nats.Timeout(10 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, // refusals are what it is about
		options...)}
}

// As connects as a user.
func (v Visitor) As(u layout.User, login nats.Option) (*nats.Conn, error) {
	return nats.Connect(v.urls, slices.Concat(v.options, []nats.Option{login, nats.CustomInboxPrefix(u.InboxPrefix())})...)
}

// Strangers tries to connect without a key, and with one that nobody knows.
func (v Visitor) Strangers() ([]Finding, error) {
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
		f := Finding{User: "(stranger)", Tried: "connect with " + s.how}
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

// SeedUser is a user with the file of its seed.
type SeedUser struct {
	layout.User
	File string
}

// UserNamed is the user whose name says its role, such as "nexus",
// "commander-ID" or "judge-NAME".
func UserNamed(name string) layout.User {
	role, id, _ := strings.Cut(name, "-")
	u := layout.User{Name: name, Role: layout.Role(role)}
	if u.Role == layout.RoleCommander {
		u.Commander = id
	}
	return u
}

// Examine connects as each user and tries what it may do and what it must not.
// Those inside the account of the streams come first: operator, the connection
// of the last of them, is needed to try the others in full. It is nil where
// none could connect, and open until done is called.
func (v Visitor) Examine(ctx context.Context, l layout.Subjects, users []SeedUser) (operator *nats.Conn, found []Finding, done func(), err error) {
	var open []*nats.Conn
	done = func() {
		for _, nc := range open {
			nc.Close()
		}
	}
	tried := progress.Count(ctx, "users tried", len(users))
	for _, u := range users {
		tried()
		var nc *nats.Conn
		login, err := nats.NkeyOptionFromSeed(u.File)
		if err == nil {
			nc, err = v.As(u.User, login)
		}
		if err != nil {
			found = append(found, Finding{User: u.Name, Tried: "connect", Wanted: true, Note: err.Error()})
			continue
		}
		open = append(open, nc)
		if u.Inside() {
			operator = nc
		}
		more, err := Examine(l, nc, u.User, operator)
		if err != nil {
			return operator, found, done, err
		}
		found = append(found, more...)
	}
	return operator, found, done, nil
}
