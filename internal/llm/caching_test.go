package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// prefixes is an endpoint that counts what one with a cache of prefixes would
// find there: at least 1,024 tokens of 4 bytes that are the same as in an earlier
// request, in steps of 128.
type prefixes struct {
	earlier       []string
	cached, total int
}

func (p *prefixes) see(r *llmtest.Request) {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	text, longest := b.String(), 0
	for _, e := range p.earlier {
		n := 0
		for n < min(len(e), len(text)) && e[n] == text[n] {
			n++
		}
		longest = max(longest, n)
	}
	if tokens := longest / 4 / 128 * 128; tokens >= 1024 {
		p.cached += tokens
	}
	p.total += len(text) / 4
	p.earlier = append(p.earlier, text)
}

func (p *prefixes) share() float64 { return float64(p.cached) / float64(p.total) }

// TestCached: a provider with a cache finds most of a bundle's prompts there.
func TestCached(t *testing.T) {
	content := "# Sessions\n"
	for i := range 60 {
		content += fmt.Sprintf("\nStep %d takes %d minutes and is owned by team %c, who reports to the lead.\n", i, 3*i+1, 'A'+i%26)
	}
	var items []shadow.Item
	for i := range 9 {
		items = append(items, shadow.Item{Name: fmt.Sprintf("sub-task %d", i+1), Kind: shadow.SubTask, Text: fmt.Sprintf("Describe step %d with its owner and its limits", 7*i)})
	}
	var qs []*shadow.Question
	for i := range 14 {
		q := question(content)
		q.Seed, q.Bundle.Summary, q.Listed = [32]byte{7}, "All steps are described.", items
		if i < len(items) {
			q.Item, q.Criterion = &items[i], nil
		} else {
			q.Criterion.Assertion = fmt.Sprintf("The limits of step %d agree with those of step %d.", i, i+9)
		}
		qs = append(qs, q)
	}
	p := &prefixes{}
	j := NewJudge("strict", clientFor(t, llmtest.Handler(func(r *llmtest.Request) string {
		p.see(r)
		return llmtest.Verdict("", "Owner missing", "failed")
	})))
	for _, q := range qs {
		if v, err := j.Vote(t.Context(), q); err != nil || v.Outcome != shadow.Failed {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	t.Logf("%d of %d tokens, %.0f %%", p.cached, p.total, 100*p.share())
	if p.share() < 0.7 {
		t.Errorf("%.0f %% of the prompts are cached, want 70", 100*p.share())
	}
}
