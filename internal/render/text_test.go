package render

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestEscapedIsTheSame: what an encoder escapes is read as it was.
func TestEscapedIsTheSame(t *testing.T) {
	for in, want := range map[string]string{
		"plain <b> é 日本 😀":    `"plain <b> é 日本 😀"`,
		"\u009b31m\x7f\x1b":   `"\u009b31m\u007f\u001b"`,
		"\u202eesrever\u202c": `"\u202eesrever\u202c"`,
		"\u061c\u200b\ufeff":  `"\u061c\u200b\ufeff"`,
		"tag\U000e0041":       `"tag\udb40\udc41"`,
		"a\u2028b\u00adc":     `"a\u2028b\u00adc"`,
		`\u202e "` + "\u200e": `"\\u202e \"\u200e"`,
		`##[a] \##b[## [`:     `"#\u0023[a] \\#\u0023b[## ["`,
	} {
		var b bytes.Buffer
		if err := NewEncoder(&b).Encode(in); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want+"\n" {
			t.Errorf("%q is written as %s, want %s", in, got, want)
		}
	}
}

func FuzzEncoder(f *testing.F) {
	for _, seed := range []string{"", "a", "\u202e", "\U000e0041\\", "\xff\x80", "\\\u009b\"", "😀\u200d😀"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := NewEncoder(&b).Encode(map[string]string{"k": s, s: "v"}); err != nil {
			t.Fatal(err)
		}
		for _, r := range bytes.TrimSuffix(b.Bytes(), []byte("\n")) {
			if r < ' ' {
				t.Fatalf("%q", b.Bytes())
			}
		}
		if !utf8.Valid(b.Bytes()) || bytes.ContainsFunc(b.Bytes()[:b.Len()-1], func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%q", b.Bytes())
		}
		plain, err := json.Marshal(map[string]string{"k": s, s: "v"})
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || got["k"] != want["k"] {
			t.Errorf("%q is read as %q", s, got)
		}
	})
}
