package bus

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
	let <-chan struct{}
}

func (a slowAuthor) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "slow", Model: shadow.Model{Family: "rules"}}
}

func (a slowAuthor) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	if strings.HasPrefix(o.Decomposition.RunID, "slow") {
		select {
		case <-a.let:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, nil
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
