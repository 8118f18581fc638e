package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
)

// visitor comes to a server as each of its users in turn, and as a stranger.
type visitor struct {
	urls    string
	options []nats.Option
}

// newVisitor takes no notice of credentials in urls: everybody would be the
// user they name.
func newVisitor(urls string, options ...nats.Option) visitor {
	all := strings.Split(urls, ",")
	for i, s := range all {
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil {
			u.User = nil
			all[i] = u.String()
		}
	}
	return visitor{strings.Join(all, ","), append([]nats.Option{nats.NoReconnect(), nats.Timeout(10 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, // refusals are what it is about
		options...)}
}

// as connects as a user.
func (v visitor) as(u bus.User, login nats.Option) (*nats.Conn, error) {
	return nats.Connect(v.urls, slices.Concat(v.options, []nats.Option{login, nats.CustomInboxPrefix(u.InboxPrefix())})...)
}

// strangers tries to connect without a key, and with one that nobody knows.
func (v visitor) strangers() ([]bus.Finding, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	defer kp.Wipe()
	public, err := kp.PublicKey()
	if err != nil {
		return nil, err
	}
	var all []bus.Finding
	for _, s := range []struct {
		how   string
		login []nats.Option
	}{{"no credentials", nil}, {"unknown key", []nats.Option{nats.Nkey(public, kp.Sign)}}} {
		f := bus.Finding{User: "(stranger)", Tried: "connect with " + s.how}
		nc, err := nats.Connect(v.urls, slices.Concat(v.options, s.login)...)
		switch {
		case err == nil:
			nc.Close()
			f.Allowed = true
		case errors.Is(err, nats.ErrAuthorization):
		case errors.Is(err, nats.ErrNkeysNotSupported):
			f.Note = "the server knows no keys at all"
		default:
			return nil, fmt.Errorf("connecting to %s: %w", config.Redact(v.urls), err)
		}
		all = append(all, f)
	}
	return all, nil
}
