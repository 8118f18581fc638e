package main

import (
	"strings"
	"testing"
)

// Whatever a file holds, reading it ends in decompositions or in an error that
// names the file, and what is shown of them is printable.
func FuzzReadDecompositions(f *testing.F) {
	for _, seed := range []string{
		`{"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}`,
		`{"nats_subject": "s", "event": {"specversion": "1.0", "id": "1", "source": "/n", "type": "dev.swarmspeed.decomposition-done.v1", "data": {"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}}}`,
		`{"event": 5}`, `{"specversion": "1.0"}`, `[]`, `null`, "\n\n{", `{"event": null}`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readDecompositions("-", strings.NewReader(text))
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), "-") {
				t.Errorf("the error does not name the file: %v", err)
			}
		case len(got) == 0:
			t.Error("neither a decomposition nor an error")
		default:
			if s := shown(got[0].Task); strings.ContainsAny(s, "\x1b\n\r\u202e") {
				t.Errorf("shown as %q", s)
			}
		}
	})
}

// Lines are at most 80 columns wide, and no word is lost.
func TestSealLines(t *testing.T) {
	p := &sealPage{}
	text := strings.TrimSpace(strings.Repeat("eight ch racters ", 40))
	p.line(4, 14, text)
	got := p.b.String()
	for line := range strings.Lines(got) {
		if n := len(strings.TrimSuffix(line, "\n")); n > sealWidth {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if strings.Join(strings.Fields(got), " ") != text {
		t.Errorf("words are lost: %q", got)
	}
}
