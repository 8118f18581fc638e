package main

import (
	"cmp"
	"os"

	"github.com/nats-io/nats.go"
)

// connect logs in as the user that the environment names, and returns the name
// of that user's durable consumer:
//
//	NATS_USER=consensus-main NATS_NKEY=nkeys/consensus-main.nk
//
// Without a user it is anonymous, which a shadowd in development mode allows.
func connect() (nc *nats.Conn, durable string, err error) {
	url := cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL)
	user := os.Getenv("NATS_USER")
	if user == "" {
		nc, err = nats.Connect(url)
		return nc, "anonymous", err
	}
	login, err := nats.NkeyOptionFromSeed(os.Getenv("NATS_NKEY"))
	if err != nil {
		return nil, "", err
	}
	// Each user may listen on an inbox of its own only.
	nc, err = nats.Connect(url, login, nats.CustomInboxPrefix("_INBOX_"+user))
	return nc, user, err
}
