package calibrate

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestWilson holds the intervals against published ones.
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		n, of     int
		low, high float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {15, 148, 0.0624, 0.1605}, {81, 263, 0.2553, 0.3662}} {
		if s := shareOf(tt.n, tt.of); s.Low != tt.low || s.High != tt.high {
			t.Errorf("%d of %d: [%v, %v], want [%v, %v]", tt.n, tt.of, s.Low, s.High, tt.low, tt.high)
		}
	}
}

// FuzzExample: a line is an example that can be asked, or an error.
func FuzzExample(f *testing.F) {
	text, err := os.ReadFile("../../docs/examples/calibrate.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Add(`{"criterion": {"assertion": "x"}, "bundle": {"event": {"specversion": "1.0"}}, "label": "pass"}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parseExample([]byte(line))
		if err != nil {
			return
		}
		q := e.question()
		if q.Criterion == nil && q.Item.Text == "" || q.Criterion != nil && (q.Criterion.Assertion == "" || q.Criterion.Expected == "") || q.Bundle.Content == "" || q.Bundle.Domain == "" {
			t.Errorf("%q: %+v", line, q)
		}
	})
}

func TestParseExample(t *testing.T) {
	for line, want := range map[string]string{
		`{"item": "x", "criterion": "y", "bundle": "z", "label": "pass"}`:            "both there",
		`{"item": {"kind": "chapter", "text": "x"}, "bundle": "z", "label": "pass"}`: "kind: \"chapter\" is none",
		`{"item": " ", "bundle": "z", "label": "pass"}`:                              "no text",
		`{"item": {"txt": "x"}, "bundle": "z", "label": "pass"}`:                     "item: ",
		`{"item": 3, "bundle": "z", "label": "pass"}`:                                "item: ",
		`{"criterion": null, "bundle": "y", "label": "pass"}`:                        "criterion: there is none",
	} {
		if _, err := parseExample([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestCompare: votes are held against labels, a panel's against those of its judges,
// and a judge that says nothing is named.
func TestCompare(t *testing.T) {
	var examples []Example
	for _, label := range "ppff" {
		examples = append(examples, Example{Passes: label == 'p', Item: &shadow.Item{Kind: shadow.SubTask}})
	}
	var all []column
	for name, says := range map[string]string{"right": "ppff", "kind": "pppp", "silent": "uuuu"} {
		c := column{name: name}
		for _, v := range says {
			c.votes = append(c.votes, &shadow.Vote{Outcome: map[rune]shadow.Outcome{'p': shadow.Passed, 'f': shadow.Failed, 'u': shadow.Undecided}[v], Why: strings.Repeat("busy", strings.Count(says, "u")/4), Calls: 1})
		}
		all = append(all, c)
	}
	r := compare(examples, all, majority(all, len(examples)))
	want := map[string]string{"right": "4/4 0/2 0/2 0/4", "kind": "2/4 2/2 0/2 0/4", "silent": "0/0 0/2 0/2 4/4", "panel": "2/2 0/2 0/2 2/4"}
	for _, j := range append(r.Judges, *r.Panel) {
		o := j.Overall
		got := fmt.Sprintf("%d/%d %d/%d %d/%d %d/%d", o.Right.N, o.Right.Of, o.FalsePass.N, o.FalsePass.Of, o.FalseFail.N, o.FalseFail.Of, o.NoVote.N, o.NoVote.Of)
		if got != want[j.Name] || len(j.Categories) != 1 || r.Passing != 2 {
			t.Errorf("%s: %s, want %s: %+v", j.Name, got, want[j.Name], j)
		}
	}
	if err := r.Err(); err == nil || err.Error() != "silent had no vote on any example: busy" {
		t.Error(err)
	}
}
