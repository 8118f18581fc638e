package shadow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// between puts sep between all characters of s.
func between(s, sep string) string { return strings.Join(strings.Split(s, ""), sep) }

// TestDecoySpellings: however the token is written, and wherever in the event
// it stands, the seal is broken; and by nothing else.
func TestDecoySpellings(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	token := x.Envelope.Decoy.Token
	digits := strings.TrimPrefix(token, decoyPrefix)
	var escapes strings.Builder
	for _, r := range token {
		fmt.Fprintf(&escapes, `\u%04x`, r)
	}
	spellings := map[string]string{
		"as it is":               token,
		"in capitals":            strings.ToUpper(token),
		"in a sentence":          "It is " + token + ".",
		"without its prefix":     digits,
		"in code":                "`" + token + "`",
		"in two halves":          token[:20] + " " + token[20:],
		"over two lines":         token[:20] + "\n" + token[20:],
		"as a quote":             "> " + token[:12] + "\n> " + token[12:],
		"letter by letter":       between(token, " "),
		"with dots":              between(token, "."),
		"with tabs":              between(token, "\t"),
		"in bold":                token[:9] + "**" + token[9:15] + "**" + token[15:],
		"with zero-width spaces": between(token, "\u200b"),
		"with joiners":           between(token, "\u200d"),
		"with soft hyphens":      between(token, "\u00ad"),
		"with byte order marks":  between(token, "\ufeff"),
		"right to left":          "\u202e" + between(token, "\u2066"),
		"with accents":           between(token, "\u0301"),
		"with tags":              between(token, "\U000e0061"),
		"with escape sequences":  between(token, "\x1b["),
	}
	for name, s := range spellings {
		ev := evidenceOf(0, content()+s)
		if x.Decide(ev, nil, time.Time{}).Swarm.SealBroken == "" {
			t.Errorf("in the content, %s: %q is not seen", name, s)
		}
		if qs := x.Questions(&ev, true); len(qs) > 0 {
			t.Errorf("%s: judges are asked %d questions", name, len(qs))
		}
		// Where a bundle has no field for it.
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range []string{`{"x":["a",{"y":` + string(quoted) + `}]}`, `{"x":{` + string(quoted) + `:1}}`} {
			ev.Raw = []byte(raw)
			if x.Decide(ev, nil, time.Time{}).Swarm.SealBroken == "" {
				t.Errorf("beside the content, %s: %s is not seen", name, raw)
			}
		}
	}
	ev := evidenceOf(0, strings.Join(words, " "))
	ev.Raw = []byte(`{"x":"` + escapes.String() + `"}`)
	if x.Decide(ev, nil, time.Time{}).Swarm.SealBroken == "" {
		t.Error("escaped in JSON it is not seen")
	}
	for _, s := range []string{"zq-", digits[:31], digits[1:] + "g", strings.Repeat("0", 64), between(digits[:30], " ")} {
		if x.Decide(evidenceOf(0, content()+s), nil, time.Time{}).Swarm.SealBroken != "" {
			t.Errorf("%q breaks the seal", s)
		}
	}
}
