package arithmetic

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

const backingText = `# Report

We merged 42 findings, of which 38/42 cite evidence. Latency fell to 12.6 ms.

| Suite | Tests |
|---|---|
| Unit | 24 |
| Integration | 16 |

The service keeps tokens for 1 hour and holds 10,000 sessions. Two nodes fail over.

- alpha
- beta
- gamma
- delta
- epsilon
- zeta
- eta

` + "```\nport = 8443\n```\n"

func TestUnbacked(t *testing.T) {
	text := markdown.Parse(backingText)
	for _, c := range []struct {
		summary string
		want    string // states, joined by commas
	}{
		{"We merged 42 findings.", ""},
		{"We merged 43 findings.", "43"},
		{"About 90% cite evidence.", ""},
		{"90.5% cite evidence, 9.5% do not.", ""},
		{"80% cite evidence.", "80%"},
		{"There are 40 tests.", ""}, // the column's sum
		{"There are 66 tests.", "66"},
		{"Latency is 13 ms.", ""},
		{"Latency is 12.6ms, port 8443.", ""},
		{"Latency is 19 ms.", "19 ms"},
		{"Tokens live for 60 minutes, which is 3600 s.", ""},
		{"It holds 10k sessions.", ""},
		{"It holds 25k sessions.", "25k"},
		{"The seven names are final.", ""},
		{"The eleven names are final.", "eleven"},
		{"In phase 9 of the 2025 plan, version 3.7.1, we need 1 node.", ""},
		{"Nothing is counted here.", ""},
		{"`99` is code.", ""},
		{"It needs ~41 findings.", ""},
		{"It needs ~70 findings and 71 reviewers.", "~70"[1:] + ",71"},
	} {
		var got []string
		for _, f := range Unbacked(text, c.summary) {
			got = append(got, f.States)
			if f.Should != "" || !strings.Contains(f.Text, f.States) || f.Line != 1 {
				t.Errorf("%q: %+v", c.summary, f)
			}
		}
		if s := strings.Join(got, ","); s != c.want {
			t.Errorf("%q: unbacked %q, want %q", c.summary, s, c.want)
		}
	}
}

func TestUnbackedMessage(t *testing.T) {
	f := Unbacked(markdown.Parse("Nothing."), "We wrote 66 new tests.")
	if len(f) != 1 || f[0].Message() != `"66 new tests": nothing in the text backs 66` {
		t.Errorf("%v", f)
	}
}

// TestUnbackedRealRun checks the bundles of a real run against their own
// summaries.
func TestUnbackedRealRun(t *testing.T) {
	for name, text := range realBundles(t) {
		_, summary, _ := strings.Cut(text, "#### Summary")
		summary, _, _ = strings.Cut(summary, "####")
		rest := strings.Replace(text, summary, "", 1)
		for _, f := range Unbacked(markdown.Parse(rest), summary) {
			t.Errorf("%s: %s", name, f.Message())
		}
	}
}
