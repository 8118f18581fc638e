package figures

import (
	"math"
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// token is a form of secret that its issuer marks by a prefix.
type token struct {
	prefix, what string
	rest         *regexp.Regexp // what stands behind the prefix
}

func rest(p string) *regexp.Regexp { return regexp.MustCompile("^(?:" + p + ")$") }

// tokens are the forms that nothing else has.
var tokens = []token{
	{"AKIA", "an AWS access key", rest(`[A-Z2-7]{16}`)},
	{"ASIA", "an AWS access key", rest(`[A-Z2-7]{16}`)},
	{"ghp_", "a GitHub token", rest(`[0-9A-Za-z]{36}`)},
	{"gho_", "a GitHub token", rest(`[0-9A-Za-z]{36}`)},
	{"ghu_", "a GitHub token", rest(`[0-9A-Za-z]{36}`)},
	{"ghs_", "a GitHub token", rest(`[0-9A-Za-z]{36}`)},
	{"ghr_", "a GitHub token", rest(`[0-9A-Za-z]{36}`)},
	{"github_pat_", "a GitHub token", rest(`[0-9A-Za-z_]{82}`)},
	{"glpat-", "a GitLab token", rest(`[0-9A-Za-z_-]{20}`)},
	{"xoxb-", "a Slack token", rest(`[0-9]{10,13}-[0-9]{10,13}-[0-9A-Za-z]{24}`)},
	{"xoxp-", "a Slack token", rest(`(?:[0-9]{10,13}-){3}[0-9A-Za-z]{28,34}`)},
	{"sk_live_", "a Stripe key", rest(`[0-9A-Za-z]{24,99}`)},
	{"rk_live_", "a Stripe key", rest(`[0-9A-Za-z]{24,99}`)},
	{"sk-ant-api03-", "an Anthropic key", rest(`[0-9A-Za-z_-]{93}AA`)},
	{"sk-proj-", "an OpenAI key", rest(`[0-9A-Za-z_-]{20,}T3BlbkFJ[0-9A-Za-z_-]{20,}`)},
	{"sk-", "an OpenAI key", rest(`[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}`)},
	{"AIza", "a Google API key", rest(`[0-9A-Za-z_-]{35}`)},
	{"npm_", "an npm token", rest(`[0-9A-Za-z]{36}`)},
	{"pypi-AgEIcHlwaS5vcmc", "a PyPI token", rest(`[0-9A-Za-z_-]{50,}`)},
	{"hf_", "a Hugging Face token", rest(`[A-Za-z]{34}`)},
	{"dop_v1_", "a DigitalOcean token", rest(`[0-9a-f]{64}`)},
	{"shpat_", "a Shopify token", rest(`[0-9a-fA-F]{32}`)},
	{"SG.", "a SendGrid key", rest(`[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`)},
	{"AGE-SECRET-KEY-1", "an age key", rest(`[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`)},
}

// minToken is the length of the shortest token.
const minToken = 20

// privateKey matches a private key with at least two lines of its body.
var privateKey = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]{0,200}?\s+(?:[0-9A-Za-z+/=]{60,76}\s+){2}`)

// keyByte tells of a byte whether it stands in tokens.
var keyByte = func() (in [256]bool) {
	for c := range in {
		in[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-' || c == '.'
	}
	return in
}()

// Secrets lists private keys and tokens in plain sight, code included, in the order
// of the source, at most 100.
func Secrets(doc *markdown.Doc) []Finding {
	f, s := finder{doc: doc}, doc.Source
	for at := 0; at < len(s); at++ {
		from := at
		for at < len(s) && keyByte[s[at]] {
			at++
		}
		if at-from >= minToken {
			f.token(s[from:at], from)
		}
	}
	const begin = "-----BEGIN "
	for at := 0; ; at += len(begin) {
		n := strings.Index(s[at:], begin)
		if n < 0 {
			break
		}
		at += n
		if m := privateKey.FindString(s[at:min(len(s), at+600)]); m != "" && random(m[strings.LastIndexByte(strings.TrimSpace(m), '\n')+1:]) {
			f.secret(at, at+len(begin), "a private key")
		}
	}
	return f.sorted()
}

// token looks whether a run of key bytes is a token.
func (f *finder) token(run string, from int) {
	for i := range tokens {
		t := &tokens[i]
		body, ok := strings.CutPrefix(run, t.prefix)
		if !ok {
			continue
		}
		body = strings.TrimRight(body, ".")
		if t.rest.MatchString(body) && random(body) {
			f.secret(from, from+len(t.prefix)+4, t.what)
			return
		}
	}
}

// secret adds a secret whose beginning is shown.
func (f *finder) secret(from, to int, what string) {
	s := f.doc.Source
	line := 1 + strings.Count(s[:from], "\n")
	f.found = append(f.found, Finding{Kind: Secret, Line: line, From: from, To: to, Text: s[from:to] + "…", what: what + " in plain sight: " + s[from:to] + "…"})
}

// random tells whether a token looks drawn: many different characters, no alphabet,
// no repetition, no word that says that it is an example.
func random(s string) bool {
	low := strings.ToLower(s)
	for _, w := range []string{"example", "your", "xxx", "test", "fake", "dummy", "sample", "secret", "redacted", "token", "abcd", "1234", "key", "placeholder", "16c7e42f292c6912"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	var n [256]float64
	steps := 0
	for i := range len(s) {
		n[s[i]]++
		if i > 0 && (s[i] == s[i-1] || s[i] == s[i-1]+1) || i > 1 && s[i] == s[i-2]+1 {
			steps++
		}
	}
	entropy := 0.0
	for _, k := range n {
		if k > 0 {
			entropy -= k / float64(len(s)) * math.Log2(k/float64(len(s)))
		}
	}
	return entropy >= 3 && steps*5 < len(s)
}
