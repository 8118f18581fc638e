package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestDifferences: each place that differs is named by its JSON pointer.
func TestDifferences(t *testing.T) {
	for _, c := range []struct{ stored, want, differ, derived string }{
		{`{"a":1}`, `{"a":2}`, "/a 1", "/a 2"},
		{`{"a":1}`, `{"b":1}`, "/a 1, /b nothing", "/a nothing, /b 1"},
		{`{"a":[1,2]}`, `{"a":[1,3,4]}`, "/a/1 2, /a/2 nothing", "/a/1 3, /a/2 4"},
		{`{"a":{"b/c~d":"x"}}`, `{"a":{"b/c~d":"y"}}`, `/a/b~1c~0d "x"`, `/a/b~1c~0d "y"`},
		{`{"a":null}`, `{"a":[]}`, "/a nothing", "/a []"},
		{`{"a":1.0}`, `{"a":1}`, "/a 1.0", "/a 1"},
		{`[1,2,3,4,5,6,7]`, `[0,0,0,0,0,0,0]`, "/0 1, /1 2, /2 3, /3 4, /4 5, and 2 more", "/0 0, /1 0, /2 0, /3 0, /4 0, and 2 more"},
		{`no JSON`, `{}`, " nothing", " {}"},
		{`{"a": 1}`, `{"a":1}`, "data " + shadow.Digest([]byte(`{"a": 1}`)), "data " + shadow.Digest([]byte(`{"a":1}`))},
	} {
		r := &Run{}
		r.differ(&Message{}, Differs, []byte(c.stored), []byte(c.want), "")
		if len(r.findings) != 1 || r.findings[0].Stored != c.differ || r.findings[0].Want != c.derived {
			t.Errorf("%s against %s: %+v", c.stored, c.want, r.findings)
		}
		r = &Run{}
		if r.differ(&Message{}, Differs, []byte(c.want), []byte(c.want), ""); len(r.findings) > 0 {
			t.Errorf("%s against itself: %+v", c.want, r.findings)
		}
	}
}

// TestDifferenceOfSealedText: neither side is shown where one is sealed, and no
// text at all where nobody can tell.
func TestDifferenceOfSealedText(t *testing.T) {
	s := cleanRun(t)
	closed, open := &Run{}, Split(s.log)[0]
	open.Audit()
	var criterion string
	for _, c := range open.exam.Envelope.Criteria {
		if m := c.Material["one"]; m.Kind == shadow.AskWritten {
			criterion = m.Assertion
		}
	}
	for _, c := range []struct {
		r            *Run
		stored, want string
		hidden       bool
	}{
		{open, "Sealed no more", criterion, true},
		{open, strings.ToUpper(criterion), "", true},
		{open, "two words", "three words", false},
		{closed, "two words", "word", true},
		{closed, "word", "other", false},
	} {
		stored, _ := json.Marshal(c.stored)
		want, _ := json.Marshal(c.want)
		c.r.findings = nil
		c.r.differ(&Message{}, Differs, stored, want, "")
		f := c.r.findings[0]
		for text, shown := range map[string]string{c.stored: f.Stored, c.want: f.Want} {
			if hidden := strings.HasPrefix(shown, " sha256:"); hidden != c.hidden || !hidden && !strings.Contains(shown, text) {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
	}
}
