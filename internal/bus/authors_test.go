package bus

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// awayAuthor cannot be reached at first.
type awayAuthor struct {
	wordAuthor
	away *atomic.Int64
}

func (awayAuthor) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "away", Model: shadow.Model{Family: "rules"}}
}

func (a awayAuthor) Write(ctx context.Context, d *shadow.Decomposition, q map[shadow.Category]int) ([]shadow.Criterion, error) {
	if a.away.Add(-1) >= 0 {
		return nil, fmt.Errorf("asking: %w", shadow.ErrUnavailable)
	}
	return a.wordAuthor.Write(ctx, d, q)
}

// TestAuthorAway: while an author cannot be reached a run is neither sealed
// without it nor rejected, and bundles wait.
func TestAuthorAway(t *testing.T) {
	away := &atomic.Int64{}
	away.Store(2)
	r := newRig(t, func(c *Config) { c.Authors = []shadow.Author{awayAuthor{away: away}} })
	r.start()
	r.decompose(twoDomains("run-1"))
	r.bundleAs("run-1", bundleOf("one", content(0)))
	r.report("run-1", "one", 0)
	r.settle()
	e, err := r.store.Envelopes.Get(t.Context(), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := shadow.Decrypt(e.Value(), r.cfg.Key)
	if err != nil {
		t.Fatal(err)
	}
	if len(envelope.Authors) != 1 || envelope.Authors[0].Name != "away" || away.Load() >= 0 {
		t.Errorf("authors %+v", envelope.Authors)
	}
}

// TestViolationAborts: where the configuration says so, a run whose specifier
// is kin to an implementer is rejected, with the reason, and nothing is sealed.
func TestViolationAborts(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Settings.AbortOnViolation = true
		c.Settings.Families = shadow.Families{{Model: "planner-*", Family: "p"}}
	})
	r.start()
	d := twoDomains("run-1")
	d.Specifier, d.Domains[1].Implementer = &shadow.Model{Model: "planner-1"}, &shadow.Model{Model: "planner-2"}
	seq := r.decompose(d)
	r.wantRejected(layout.AuthorNexus, seq, shadow.CannotSeal)
	why := r.rejection(layout.AuthorNexus, seq)
	if !strings.Contains(why.Message, `domain "two"`) || !strings.Contains(why.Message, `family "p"`) {
		t.Errorf("rejected with %q", why.Message)
	}
	r.settle()
	if _, err := r.store.Envelopes.Get(t.Context(), "run-1"); err == nil {
		t.Error("an envelope was stored")
	}
}

// slowAuthor does not write the criteria of some runs until it is let.
type slowAuthor struct {
	wordAuthor
	let <-chan struct{}
}

func (a slowAuthor) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "slow", Model: shadow.Model{Family: "rules"}}
}

func (a slowAuthor) Write(ctx context.Context, d *shadow.Decomposition, q map[shadow.Category]int) ([]shadow.Criterion, error) {
	if strings.HasPrefix(d.RunID, "slow") {
		select {
		case <-a.let:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return a.wordAuthor.Write(ctx, d, q)
}

// TestSlowAuthor: runs whose author takes long hold up no other run.
func TestSlowAuthor(t *testing.T) {
	let := make(chan struct{})
	r := newRig(t, func(c *Config) { c.Authors = []shadow.Author{slowAuthor{let: let}} })
	r.start()
	for i := range 20 {
		r.decompose(twoDomains(fmt.Sprintf("slow-%d", i)))
	}
	r.sealRun("quick")
	r.bundle("quick", "one", content(0))
	r.report("quick", "one", 0)
	close(let)
	r.await(r.store.In, layout.Subjects{}.Commitment("slow-19"))
	r.settle()
}
