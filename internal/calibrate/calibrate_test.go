package calibrate

import (
	"os"
	"strings"
	"testing"
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

// TestNullField: what is null is not there.
func TestNullField(t *testing.T) {
	for line, item := range map[string]bool{
		`{"criterion": "x", "item": null, "bundle": "y", "task": null, "label": "pass"}`: false,
		`{"criterion": null, "item": "x", "bundle": "y", "label": "pass"}`:               true,
	} {
		if e, err := parseExample([]byte(line)); err != nil || (e.Item != nil) != item || (e.Criterion != nil) == item {
			t.Errorf("%s: %+v, %v", line, e, err)
		}
	}
	if _, err := parseExample([]byte(`{"criterion": null, "bundle": "y", "label": "pass"}`)); err == nil || !strings.HasPrefix(err.Error(), "criterion: there is none") {
		t.Error(err)
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
	} {
		if _, err := parseExample([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestOneRequest: only what is about the same bundle and task may go in one
// request, whose material is that of its first question.
func TestOneRequest(t *testing.T) {
	examples, err := Read("examples", []byte(`{"criterion": "A", "bundle": "It is done.", "task": "x", "label": "pass"}
{"criterion": "B", "bundle": {"content": "It is done."}, "task": "x", "label": "pass"}
{"item": "C", "bundle": "It is done.", "task": "y", "label": "pass"}
{"item": "C", "bundle": {"content": "It is done.", "summary": "Not all of it."}, "task": "x", "label": "fail"}`))
	if err != nil {
		t.Fatal(err)
	}
	first := examples[0].question()
	for i, same := range []bool{true, false, false} {
		if q := examples[i+1].question(); (q.BundleDigest == first.BundleDigest) != same {
			t.Errorf("example %d: the same is %v", i+2, !same)
		}
	}
}
