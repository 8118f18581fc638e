package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// index is a text as quotes are compared: its words, figures and the signs that
// mean something, without what is layout.
type index struct {
	text   *Text
	lines  []line
	tokens []token
	blocks []int // the first token of each block, which ends at a blank line
	kinds  kind  // that tokens have
	words  map[string]uint32
}

type line struct {
	from    int
	heading bool
	plain   bool // it begins as a paragraph does
}

type token struct {
	word     uint32 // equal words have equal numbers; 0 of a quote's that the text does not have
	from, to int32  // of the original, in bytes
	kind     kind
}

// kind says what a token is a part of, where a quote may leave it out.
type kind uint8

const (
	marker   kind = 1 << iota // of a list, a box, a quotation, a fence
	target                    // of a link, a tag
	image                     // its description, a footnote
	glued                     // a part of the word or number before it
	optional = marker | target | image
)

func newIndex(t *Text) *index {
	x := &index{text: t, words: map[string]uint32{}, lines: make([]line, 0, 1+strings.Count(t.original, "\n"))}
	s := &scanner{text: t.original, masked: t.masked, tokens: make([]token, 0, len(t.original)/4), id: func(word []byte) uint32 {
		n, ok := x.words[string(word)]
		if !ok {
			n = uint32(len(x.words) + 1)
			x.words[string(word)] = n
		}
		return n
	}}
	blank, fenced := true, false
	for text := range strings.Lines(t.original) {
		x.lines = append(x.lines, line{from: s.at})
		here := &x.lines[len(x.lines)-1]
		bare := strings.TrimSpace(text)
		fence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		fenced = fenced != fence
		here.heading = !fenced && isHeading(bare)
		here.plain = !fenced && !here.heading && isPlain(bare)
		if n := len(x.lines); n > 1 && underlines(bare) && x.lines[n-2].plain {
			x.lines[n-2].heading = true
		}
		if blank && bare != "" {
			x.blocks = append(x.blocks, len(s.tokens))
		}
		blank = bare == ""
		s.line(s.at, s.at+len(text), fence)
	}
	x.tokens, x.kinds = s.tokens, kindsOf(s.tokens)
	return x
}

// kindsOf are the kinds of tokens that a quote may leave out.
func kindsOf(tokens []token) (k kind) {
	for i := range tokens {
		k |= tokens[i].kind & optional
	}
	return k
}

// isHeading tells whether a line is one by its beginning.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') || len(line) > 3 && strings.HasPrefix(strings.ToLower(line[:2]), "<h") && line[2] >= '1' && line[2] <= '6'
}

// underlines tells whether a line makes a heading of the one before.
func underlines(line string) bool {
	return line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// isPlain tells whether a line is one of a paragraph, by its beginning.
func isPlain(line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " *_`"))
	return unicode.IsLetter(r) && !strings.Contains(line, "|")
}

// read gives the tokens of a quote, with the words of the text.
func (x *index) read(quote string) []token {
	s := &scanner{text: quote, masked: New(quote).masked, id: func(word []byte) uint32 { return x.words[string(word)] }}
	for line := range strings.Lines(quote) {
		s.line(s.at, s.at+len(line), strings.HasPrefix(strings.TrimSpace(line), "```"))
	}
	return s.tokens
}
