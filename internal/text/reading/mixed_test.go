package reading

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var mixed = flag.String("mixed", "testdata/mixed.jsonl", "short hand-ins with several items, a line each")

// TestMixed reads short hand-ins that say of some items that they were done and
// of others that they were not. It holds how many of these are declined, and how
// many of the rest.
func TestMixed(t *testing.T) {
	raw, err := os.ReadFile(*mixed)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]map[Verdict]int{"done": {}, "declined": {}, "skip": {}}
	for line := range strings.Lines(string(raw)) {
		var c struct {
			Form, Text    string
			Items, Labels []string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		for i, got := range New(workOf("", c.Text, "success")).Read(Prepare(c.Items)) {
			count[c.Labels[i]][got.Verdict]++
			if declined := got.Verdict == Declined; declined != (c.Labels[i] == "declined") {
				t.Logf("%s %s, read %s: %s | %q | %s", c.Form, c.Labels[i], got.Verdict, c.Items[i], c.Text, got.Passage)
			}
		}
	}
	t.Log(count)
	if right, wrong := count["declined"][Declined], count["done"][Declined]; *mixed == "testdata/mixed.jsonl" && (right < 69 || wrong > 2) {
		t.Errorf("%d declined, and %d wrongly", right, wrong)
	}
}
