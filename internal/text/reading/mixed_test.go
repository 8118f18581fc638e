package reading

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var mixed = flag.String("mixed", "", "short hand-ins with several items, a line each, instead of those of testdata")

// TestMixed reads short hand-ins that say of some items that they were done and
// of others that they were not. It holds how many are rightly declined or found,
// and how many wrongly.
func TestMixed(t *testing.T) {
	files := []struct {
		name                             string
		declined, alarms, found, mistook int
	}{
		{"testdata/mixed.jsonl", 61, 0, 0, 0},
		{"testdata/mixed2.jsonl", 25, 1, 34, 7},
		{"testdata/mixed3.jsonl", 13, 0, 10, 0},
		{"testdata/mixed4.jsonl", 28, 1, 37, 6},
		{"testdata/mixed5.jsonl", 26, 0, 47, 6},
		{"testdata/mixed6.jsonl", 19, 1, 29, 3},
		{"testdata/mixed7.jsonl", 26, 1, 49, 7},
		{"testdata/mixed8.jsonl", 14, 2, 50, 1},
		{"testdata/mixed9.jsonl", 19, 2, 52, 2},
		{"testdata/mixed10.jsonl", 18, 9, 137, 21},
		{"testdata/mixed11.jsonl", 19, 2, 42, 1},
		{"testdata/mixed12.jsonl", 50, 2, 21, 4},
		{"testdata/mixed13.jsonl", 65, 3, 46, 4},
	}
	if *mixed != "" {
		files = files[:1]
		files[0].name = *mixed
	}
	for _, want := range files {
		count := readMixed(t, want.name)
		t.Log(want.name, count)
		declined, found := count["declined"][Declined], count["done"][Found]
		alarms := count["done"][Declined] + count["skip"][Declined]
		mistook := count["declined"][Found] + count["skip"][Found]
		if *mixed == "" && (declined < want.declined || alarms > want.alarms || found < want.found || mistook > want.mistook) {
			t.Errorf("%s: %v, want %+v", want.name, count, want)
		}
	}
}

// readMixed counts verdicts by label.
func readMixed(t *testing.T, name string) map[string]map[Verdict]int {
	t.Helper()
	raw, err := os.ReadFile(name)
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
	return count
}
