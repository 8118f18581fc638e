package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bench"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

type benchCmd struct {
	Server   string `placeholder:"URL" help:"Measure on this server, which must have JetStream and no shadowd; default: a server in this process."`
	Bundles  int    `default:"2000" help:"How many bundles are judged."`
	Criteria int    `default:"10" help:"How many criteria judge each bundle."`
	Words    int    `default:"800" help:"How many words a bundle has."`
	Engines  int    `default:"1" help:"How many engines share the work, in this process."`
	Replicas int    `enum:"1,3,5" default:"1" help:"On how many servers of a cluster everything is stored: 1, 3 or 5."`
	Format   string `enum:"text,json" default:"text" help:"text or json."`
}

func (cmd benchCmd) Run(ctx context.Context, a *app) (err error) {
	if cmd.Bundles < 5 || cmd.Criteria < 1 || cmd.Words < 1 || cmd.Engines < 1 {
		return hint.Usage(errors.New("too little to measure"), "use 5 bundles, 1 criterion, 1 word and 1 engine at least")
	}
	nc, end, err := cmd.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	measuring, done := a.Progress(ctx)
	r, err := bench.Run(measuring, nc, bench.Options{Bundles: cmd.Bundles, Criteria: cmd.Criteria, Words: cmd.Words, Engines: cmd.Engines, Replicas: cmd.Replicas})
	done()
	if err != nil {
		return err
	}
	if cmd.Format == "json" {
		return a.JSON(r)
	}
	t := a.Terminal()
	head, figures, _ := strings.Cut(r.String(), "\n")
	t.Printf("%s\n%s", t.Paint(render.Bold, head), figures)
	return t.Err()
}

// connect connects to the server, or to one of its own in a new directory.
func (cmd benchCmd) connect(ctx context.Context) (nc *nats.Conn, end func() error, err error) {
	quiet := slog.New(slog.DiscardHandler)
	if cmd.Server != "" {
		nc, err = broker.Connect(ctx, broker.ConnOptions{URL: cmd.Server, Name: "shadowd bench", Logger: quiet})
		return nc, func() error { nc.Close(); return nil }, err
	}
	dir, err := daemon.TempDir("shadowd-bench")
	if err != nil {
		return nil, nil, err
	}
	server, err := broker.Start(broker.Options{DataDir: dir, MaxPayload: daemon.MaxEnvelope, Logger: quiet})
	if err == nil {
		nc, err = server.Conn(nats.Name("shadowd bench"))
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return nc, func() error {
		nc.Close()
		server.Shutdown()
		return os.RemoveAll(dir)
	}, nil
}
