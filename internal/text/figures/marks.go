package figures

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Marks and brackets of what was left to fill in.
var (
	// lineMark matches a line that begins with a mark and says more, and open a line or
	// cell that is one. "TODO" alone is a heading or a state of work.
	lineMark = regexp.MustCompile(`^(?:TODO|FIXME|TBD|TBA)(?:\([\w@. -]+\))?:\s+[^\s\d~]`)
	open     = regexp.MustCompile(`^\[?(?:TBD|TBA)\]?[.!]?$`)
	// nothing matches what stands behind a mark that has been dealt with.
	nothing = regexp.MustCompile(`(?i)^\S+:\s+(?:none|no|nothing|n/?a|done|-|empty)\b`)
	// toBe matches a line or cell that says only that it is to be filled in.
	toBe = regexp.MustCompile(`(?i)^[[(]?(?:this section is |content |text |details? )?(?:still )?to be (?:filled in|completed|written|added|determined|defined|announced|decided|provided)(?: later)?[\])]?[.!…]*$`)
	// bracket matches brackets that ask for what is to stand in their place.
	bracket = regexp.MustCompile(`^(?i:\[(?:(?:insert|enter|fill in|specify|describe|your) [^\][<>]{2,60}|(?:add|paste|put) [^\][<>]{2,60} here|to be [\pL ]{4,20}|(?:TBD|TBA|TODO|FIXME|XXX)(?:: [^\][]{1,60})?)\]|<(?:insert [^<>]{2,60}|your [^<>]{2,40} here|to be (?:filled in|completed)|(?:TBD|TODO)(?:: [^<>]{1,60})?)>)`)
	// askedFor matches brackets that tell a reader what to enter elsewhere.
	askedFor = regexp.MustCompile(`(?i)\b(?:password|token|key|secret|credentials|username|account|pin)\b`)
	// stub matches code that stands for other code: a comment that says so, and a
	// function that only says that it is none.
	stub = regexp.MustCompile(`(?m)^[ \t]*(?://|#) ?[Pp]laceholder: .*\b(?:later|for now|not yet|to be)\b.*$|^(?:async )?def [^\n]*:\n(?:[ \t]+""".*"""\n)?[ \t]+raise NotImplementedError(?:\(.*\))?$`)
	// box matches the beginning of an item with a box.
	box = regexp.MustCompile(`^[\s>]*(?:[-*+]|\d+[.)])\s+\[[ xX]\]`)
)

const (
	filler     = "orem ipsum dolor" // without its first letter
	maxBracket = 80                 // bytes of brackets to fill in
	maxWhole   = 60                 // bytes of a line that only says that it is to be filled in
)

// Places lists what was left to fill in, in the order of the source, at most 100. A
// document that was asked for as a template has none.
func Places(doc *markdown.Doc, template bool) []Finding {
	f := finder{doc: doc}
	for i := range doc.Lines {
		l := &doc.Lines[i]
		switch {
		case template || len(l.Text) > maxLine && l.Kind != markdown.Code || l.Struck || l.Kind == markdown.Heading:
		case l.Kind == markdown.Code:
			if strings.Contains(l.Text, "laceholder:") || strings.Contains(l.Text, "NotImplementedError") {
				for _, m := range stub.FindAllString(l.Text, maxFindings) {
					f.place(l, strings.TrimSpace(m))
				}
			}
		case l.Kind == markdown.Row:
			at := 0
			for cell := range strings.SplitSeq(l.Text, " | ") {
				f.inLine(l, cell, at)
				at += len(cell) + len(" | ")
			}
		default:
			f.inLine(l, l.Text, 0)
		}
	}
	f.talked()
	return f.sorted()
}

func (f *finder) place(l *markdown.Line, passage string) {
	f.within(l, passage, "left to fill in: "+clip.Line(passage, maxText))
}

// inLine finds the marks and brackets of a line or of its cell at an offset. A bracket
// stands in its own place: alone, or as what follows a colon or a salutation.
func (f *finder) inLine(l *markdown.Line, text string, offset int) {
	if isPlace(l, text) {
		if !box.MatchString(f.doc.Source[f.offset(l.No):]) {
			f.place(l, text)
		}
		return
	}
	for at := range len(text) {
		if text[at] != '[' && text[at] != '<' {
			continue
		}
		m := bracket.FindString(text[at:min(len(text), at+maxBracket)])
		if m == "" || askedFor.MatchString(m) {
			continue
		}
		before, behind := strings.TrimRight(text[:at], " *_"), strings.Trim(text[at+len(m):], " *_.,;!")
		own := before == "" || strings.HasSuffix(before, ":") || strings.EqualFold(before, "dear")
		code := slices.ContainsFunc(l.InlineCode, func(s markdown.Span) bool { return s.From <= offset+at && offset+at < s.To })
		if own && behind == "" && !code {
			f.place(l, m)
		}
	}
	if n := strings.Index(text, filler); n > 0 {
		f.place(l, text[n-1:n+len(filler)])
	}
}

// isPlace tells whether a line or cell is a mark, or only says that it is to be filled
// in. In a cell a mark stands alone: otherwise the table may list what others marked.
func isPlace(l *markdown.Line, text string) bool {
	row := l.Kind == markdown.Row
	if text == "" || !row && len(l.InlineCode) > 0 && l.InlineCode[0].From == 0 {
		return false
	}
	if strings.IndexByte("TF[", text[0]) >= 0 && (open.MatchString(text) || !row && lineMark.MatchString(text) && !nothing.MatchString(text)) {
		return true
	}
	return len(text) <= maxWhole && strings.Contains(text, "o be ") && toBe.MatchString(text)
}

// talked drops the marks TODO and FIXME of a document that talks about them too: it
// may list those of a program.
func (f *finder) talked() {
	ours := func(x Finding) bool { return strings.HasPrefix(x.Text, "TODO") || strings.HasPrefix(x.Text, "FIXME") }
	said := strings.Count(f.doc.Source, "TODO") + strings.Count(f.doc.Source, "FIXME")
	if kept := slices.DeleteFunc(slices.Clone(f.found), ours); said > len(f.found)-len(kept) && len(f.found) < maxFindings {
		f.found = kept
	}
}

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
	f.add(1+strings.Count(s[:from], "\n"), shown, what+" in plain sight: "+shown)
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
