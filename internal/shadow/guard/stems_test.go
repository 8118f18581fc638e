package guard

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzShows compares with the texts that encoding/json reads.
func FuzzShows(f *testing.F) {
	for _, s := range []string{`{"a":"x a1 b2"}`, `["a1","b2"]`, `{"a1B2":1}`, `{"x":"a\n1b\"2"}`, `"\u00611\u0022b2"`, `["a1b",2]`, `"a\\u0031b2"`, `"é a1\u00e9b2\ud83d\ude00"`, `[1,null,"\ta1b\u003c2"]`} {
		f.Add([]byte(s))
	}
	const token = "a1b2"
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		want := false
		for d := json.NewDecoder(bytes.NewReader(raw)); ; {
			v, err := d.Token()
			if err != nil {
				break
			}
			s, ok := v.(string)
			want = want || ok && strings.Contains(letters(s), token)
		}
		if got := JSONContainsToken(raw, token); got != want {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	})
}
