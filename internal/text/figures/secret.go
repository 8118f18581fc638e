package figures

import (
	"math"
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// token is a secret that its issuer marks by a prefix.
type token struct {
	prefix, what string
	rest         *regexp.Regexp // what stands behind the prefix
}

const (
	minToken = 20 // bytes of the shortest token
	keyStart = "-----BEGIN "
	maxKey   = 600 // bytes in which two lines of a private key stand
)

// privateKey matches a private key with at least two lines of its body.
var privateKey = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]{0,200}?\s+(?:[0-9A-Za-z+/=]{60,76}\s+)([0-9A-Za-z+/=]{60,76})\s`)

// example matches what an example of a secret has in it, the last what the documentation
// of GitHub shows.
var example = regexp.MustCompile(`(?i)example|your|xxx|test|fake|dummy|sample|secret|redacted|token|abcd|1234|key|placeholder|16c7e42f292c6912`)

// Secrets lists private keys and tokens in plain sight, code included, in the order
// of the source, at most 100.
func Secrets(doc *markdown.Doc) []Finding {
	f, s := finder{doc: doc}, doc.Source
	for at := 0; at < len(s) && len(f.found) < maxFindings; at++ {
		from := at
		for at < len(s) && inToken[s[at]] {
			at++
		}
		if run := strings.TrimRight(s[from:at], "."); run == strings.TrimSpace(keyStart) {
			if m := privateKey.FindStringSubmatch(s[from:min(len(s), from+maxKey)]); m != nil && random(m[1]) {
				f.secret(from, from+len(keyStart), "a private key")
			}
		} else if len(run) >= minToken {
			f.token(run, from)
		}
	}
	return f.found
}

// inToken tells of a byte whether it stands in tokens.
var inToken = func() (in [256]bool) {
	for c := range in {
		in[c] = isDigit(byte(c)) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("_-.", byte(c)) >= 0
	}
	return in
}()

// token looks whether a run of the bytes of tokens is one.
func (f *finder) token(run string, from int) {
	for i := range tokens {
		t := &tokens[i]
		if body, ok := strings.CutPrefix(run, t.prefix); ok && t.rest.MatchString(body) && random(body) {
			f.secret(from, from+len(t.prefix)+4, t.what)
			return
		}
	}
}

// secret adds a secret, of which the beginning is shown.
func (f *finder) secret(from, to int, what string) {
	s := f.doc.Source
	shown := s[from:to] + "…"
	f.found = append(f.found, Finding{Kind: "secret", Line: 1 + strings.Count(s[:from], "\n"), From: from, To: to, Text: shown, what: what + " in plain sight: " + shown})
}

// random tells whether a token looks drawn: many different characters, no alphabet,
// no repetition, no word that says that it is an example.
func random(s string) bool {
	var n [256]float64
	steps, entropy := 0, 0.0
	for i := range len(s) {
		n[s[i]]++
		if i > 0 && (s[i] == s[i-1] || s[i] == s[i-1]+1) || i > 1 && s[i] == s[i-2]+1 {
			steps++
		}
	}
	for _, k := range n {
		if k > 0 {
			entropy -= k / float64(len(s)) * math.Log2(k/float64(len(s)))
		}
	}
	return entropy >= 3 && steps*5 < len(s) && !example.MatchString(s)
}
