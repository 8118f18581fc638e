package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go"
)

// connect logs in and returns the name of the durable consumer to read with.
// NATS_NKEYS is the directory of shadowd bus config, NATS_USER one of its users
// (consensus-main). Without NATS_NKEYS it is anonymous, which a shadowd in
// development mode allows.
func connect() (nc *nats.Conn, durable string, err error) {
	url := cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL)
	keys := os.Getenv("NATS_NKEYS")
	if keys == "" {
		nc, err = nats.Connect(url)
		return nc, "anonymous", err
	}
	user := cmp.Or(os.Getenv("NATS_USER"), "consensus-main")
	login, err := nats.NkeyOptionFromSeed(filepath.Join(keys, user+".nk"))
	if err != nil {
		return nil, "", err
	}
	// Each user may listen on an inbox of its own only.
	nc, err = nats.Connect(url, login, nats.CustomInboxPrefix("_INBOX_"+user))
	return nc, user, err
}
