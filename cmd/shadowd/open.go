package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// openCmd shows a sealed envelope.
type openCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	Reason string `placeholder:"TEXT" help:"Why, for the record."`
	Format string `enum:"text,json" default:"text" help:"text is for reading; json is the envelope as it was hashed."`
	configFlag
}

func (openCmd) Help() string {
	return `Opens the envelope of a finished run with the envelope key of the configuration and prints it. That it was opened, when and by whom is recorded first, as envelope-opened on the bus; shadowd audit lists it, and calls an opening before the run's end an error. While a run is under way it refuses, since whoever reads the envelope before the end defeats the seal. What it prints is sealed text: for the operator's eyes.

Examples:

    shadowd open my-run
    shadowd open my-run --reason "complaint of cmd-impl" --format json | jq '.sealed_envelope.criteria'`
}

func (cmd openCmd) Run(ctx context.Context, a *app) error {
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.isRun(cmd.ID); err != nil {
		return err
	}
	stored, key, err := b.sealedBox(ctx, opening{command: "open", run: cmd.ID, reason: cmd.Reason, force: cmd.Force})
	if err != nil {
		return err
	}
	defer key.Wipe()
	e, err := shadow.Decrypt(stored, key)
	if err != nil {
		return hint.Failed(fmt.Errorf("opening the envelope of run %s: %w", cmd.ID, err), "shadowd audit "+cmd.ID+" says more")
	}
	if e.RunID != cmd.ID {
		a.Warn(fmt.Sprintf("this is the envelope of run %s: shadowd audit %s says more", shadow.Printable(e.RunID), cmd.ID))
	}
	if hash, err := e.Hash(); err != nil || hash != e.SealedHash {
		a.Warn("the envelope does not hash to its sealed_hash")
	}
	if cmd.Format == "json" {
		enc := render.NewEncoder(a.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"sealed_envelope": e})
	}
	printEnvelope(newStory(a.Stdout, a.Getenv("NO_COLOR") == ""), e)
	return nil
}

// opening is a look that a command wants to take into the envelope of a run.
type opening struct {
	command, run, reason string
	force                bool // though the run is not finished
}

// sealedBox returns a run's envelope, encrypted, and the key that opens it,
// and has recorded that it is opened. What could not be opened anyway is said
// before anything is recorded.
func (b *openedBus) sealedBox(ctx context.Context, look opening) ([]byte, *shadow.Ring, error) {
	key, err := readRing(b.cfg)
	if err != nil {
		return nil, nil, hint.Failed(err, look.command+" needs the envelope key: run it where the daemon's data directory is, or set SHADOWD_ENVELOPE_KEY")
	}
	stored, err := b.storedEnvelope(ctx, look.run, key)
	if err == nil {
		err = b.recordOpening(ctx, look.run, look.reason, look.force)
	}
	if err != nil {
		key.Wipe()
		return nil, nil, err
	}
	return stored, key, nil
}

// readRing reads the envelope key to open envelopes with; it creates none.
func readRing(c *config.Config) (*shadow.Ring, error) {
	k, err := c.KeyPlace(keys.Envelope).Read()
	if err != nil {
		return nil, err
	}
	return k.Ring()
}

// storedEnvelope reads a run's envelope, which key must be able to open.
func (b *openedBus) storedEnvelope(ctx context.Context, run string, key *shadow.Ring) ([]byte, error) {
	kv, err := b.js.KeyValue(ctx, bus.BucketEnvelopes)
	if err != nil {
		return nil, hint.Failed(fmt.Errorf("bucket %s: %w", bus.BucketEnvelopes, err), startHint)
	}
	entry, err := kv.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return nil, hint.Failed(fmt.Errorf("there is no envelope of run %s on %s", run, b.nc.ConnectedUrlRedacted()), "shadowd runs lists the runs on the bus")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope of run %s: %w", run, err)
	}
	// What names no key is no envelope, which is for the command to tell.
	if by := shadow.SealedBy(entry.Value()); by != "" && !key.Holds(by) {
		return nil, hint.Failed(fmt.Errorf("the envelope of run %s was sealed by %.60q, and the key here is another one", run, by), "point SHADOWD_ENVELOPE_KEY at that key")
	}
	return entry.Value(), nil
}

// recordOpening stores that the envelope is about to be opened.
func (b *openedBus) recordOpening(ctx context.Context, run, reason string, force bool) error {
	_, err := b.operator().RecordOpening(ctx, run, reason, force)
	switch {
	case errors.Is(err, bus.ErrNotFinished):
		return hint.Failed(fmt.Errorf("run %s is not finished: reading its envelope now would defeat the seal", run), "wait for its end, or add --force if the criteria may be known from now on")
	case errors.Is(err, bus.ErrNoRun):
		return hint.Failed(fmt.Errorf("there is no run %s on %s", run, b.nc.ConnectedUrlRedacted()), "shadowd runs lists the runs on the bus")
	case err != nil:
		return fmt.Errorf("recording that the envelope is opened, without which it stays closed: %w", err)
	}
	return nil
}

// operator is who runs the command, as this machine knows them.
func (b *openedBus) operator() *bus.Operator {
	who := "unknown"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		who += "@" + host
	}
	return &bus.Operator{Layout: b.layout, JS: b.js, By: who[:min(len(who), 200)], Now: time.Now}
}

// printEnvelope shows an envelope. Tasks and authors' words are untrusted.
func printEnvelope(s *story, e *shadow.Envelope) {
	s.printf("%s\n", s.paint(yellow, "SEALED TEXT: for the operator. Keep it from commanders and the Nexus."))
	s.heading(fmt.Sprintf("Envelope of run %s", shadow.Printable(e.RunID)))
	line := func(name, text string) { s.printf("  %-10s %s\n", name, shadow.Printable(text)) }
	line("task", e.Task)
	line("sealed", e.GeneratedAt.UTC().Format(time.RFC3339)+", "+e.SealedHash)
	line("checker", e.CheckerVersion)
	for _, by := range e.Authors {
		line("author", strings.Join(strings.Fields(by.Name+" "+by.Model.Model+" "+by.Family), " "))
	}
	for _, note := range e.Notes {
		line("note", note)
	}
	line("decoy", e.Decoy.Assertion)
	for i := range e.Criteria {
		c := &e.Criteria[i]
		s.heading(c.ID + "  " + string(c.Category))
		line("asked", c.Assertion)
		line("expected", c.Expected)
		line("check", checkOf(c))
		for _, domain := range slices.Sorted(maps.Keys(c.Material)) {
			m := c.Material[domain]
			for _, ref := range m.Items {
				line(domain, ref.String()+": "+e.ItemText(domain, ref))
			}
			if m.Message != "" {
				line(domain, m.Message)
			}
			if data, err := json.Marshal(m.Data); err == nil && len(m.Data) > 0 {
				line("", string(data))
			}
		}
	}
}
