package passage

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Place is where a quote stands in a text.
type Place struct {
	From, To int  // of the original, in bytes
	Line     int  // on which it begins, from 1
	Heading  bool // it stands within nothing but headings
	Masked   bool // a line of it imitates a token or a delimiter
}

// Find looks for what a model quotes of the text. Differences of layout do not count:
// spaces, Markdown, escapes, bars of tables, punctuation, the case of the first letter,
// signs of currencies, "Line 12:" before it. The pieces beside an ellipsis stand in their
// order within one block. Changed words and half words are not found, but that a long
// quote may be cut off. The first place counts that is neither heading nor masked.
func (t *Text) Find(quote string) (Place, bool) {
	x := finder{t.index(), 0}
	forms := []string{quote, numbered.ReplaceAllString(quote, ""), escapes.Replace(quote)}
	if end := strings.LastIndexByte(quote, ' '); end >= longQuote {
		forms = append(forms, quote[:end])
	}
	for _, form := range slices.Compact(forms) {
		for _, pieces := range [][]string{{form}, piecesOf(form)} {
			if first, last := x.find(pieces); last >= 0 {
				return t.place(x.tokens[first : last+1]), true
			}
		}
	}
	return Place{}, false
}

var (
	// numbered is how models name the line that they quote.
	numbered = regexp.MustCompile(`^(?i)\s*["'“(\[]?(?:lines?|zeilen?|l)\.?\s*\d{1,6}(?:\s*[-–]\s*\d{1,6})?["')\]]?\s*[:.|–-]*\s+`)
	// escapes are those of a string within a string.
	escapes  = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\n", `\"`, `"`)
	ellipsis = regexp.MustCompile(`(?:…|⋯|\.{3,})+`)
)

const (
	longQuote = 200 // bytes, from which on a quote may have been cut off, as ballots do with long passages
	minPiece  = 12  // letters of a piece beside an ellipsis
	maxSteps  = 30  // comparisons for each token of the text: so time stays linear
)

// piecesOf are the pieces of a quote beside its ellipses; none if one is too short,
// or there are no two.
func piecesOf(quote string) (pieces []string) {
	for _, p := range ellipsis.Split(quote, -1) {
		switch n := Letters(p); {
		case n >= minPiece:
			pieces = append(pieces, p)
		case n > 0:
			return nil
		}
	}
	if len(pieces) < 2 {
		return nil
	}
	return pieces
}

// Letters counts letters and digits. A character of a script without spaces says
// as much as two.
func Letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
		if fold.Unspaced(r) {
			n++
		}
	}
	return n
}

// tokens reads the text as quotes are compared.
func (t *Text) tokens() []token {
	s := scanner{text: t.original, masked: t.masked, tokens: make([]token, 0, len(t.original)/4), seen: map[string]string{}}
	fenced, plain, masked := false, 0, t.masked // plain is where a line of a paragraph begins that may be underlined
	for text := range strings.Lines(t.original) {
		n, bare, end := len(s.tokens), strings.TrimSpace(text), s.at+len(text)
		fence := isFence(bare)
		fenced = fenced != fence
		isHeading := !fenced && heading.MatchString(bare)
		if bare == "" {
			s.block++
		} else if strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == "" {
			mark(s.tokens[plain:], true, false)
		}
		for len(masked) > 0 && masked[0].to <= s.at {
			masked = masked[1:]
		}
		s.line(end, fence)
		mark(s.tokens[n:], isHeading, len(masked) > 0 && masked[0].from < end)
		if plain = len(s.tokens); !fenced && !isHeading && isPlain(bare) {
			plain = n
		}
	}
	return s.tokens
}

// mark notes of what kind the line of tokens is.
func mark(tokens []token, heading, masked bool) {
	for i := range tokens {
		tokens[i].heading, tokens[i].masked = tokens[i].heading || heading, tokens[i].masked || masked
	}
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// heading matches the beginning of a line that is one.
var heading = regexp.MustCompile(`^(?:#{1,6}(?:[ \t]|$)|<[hH][1-6])`)

// isPlain tells whether a line is one of a paragraph, by its beginning.
func isPlain(line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " *_`"))
	return unicode.IsLetter(r) && !strings.Contains(line, "|")
}

// finder looks for one quote.
type finder struct {
	tokens []token
	steps  int // that are left
}

// find looks for pieces, the first anywhere and the others behind it in its block,
// and gives the first and the last token; last is -1 if they are nowhere. The first
// letter may be in the other case if it stands nowhere in its own.
func (x *finder) find(pieces []string) (first, last int) {
	var read [][]token
	for _, p := range pieces {
		tokens := tokensOf(p)
		if len(tokens) == 0 {
			return 0, -1
		}
		read = append(read, tokens)
	}
	last = -1
	x.steps = maxSteps * (len(x.tokens) + 100)
	for i := 0; i < 2 && len(read) > 0; i++ {
		for begin := range x.tokens {
			end := x.search(begin, read)
			if end < 0 {
				continue
			}
			good := !inHeading(x.tokens[begin:end+1]) && !isMasked(x.tokens[begin:end+1])
			if last < 0 || good {
				first, last = begin, end
			}
			if good {
				return first, last
			}
			x.steps -= end - begin
		}
		read[0][0].word = otherCase(read[0][0].word)
	}
	return first, last
}

func inHeading(tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return !t.heading })
}

func isMasked(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.masked })
}

// tokensOf are the tokens of a piece. Of one that is layout alone none is.
func tokensOf(piece string) []token {
	s := scanner{text: piece, masked: New(piece).masked, seen: map[string]string{}}
	for text := range strings.Lines(piece) {
		s.line(s.at+len(text), isFence(strings.TrimSpace(text)))
	}
	if !slices.ContainsFunc(s.tokens, func(t token) bool { return !t.layout }) {
		for i := range s.tokens {
			s.tokens[i].layout = false
		}
	}
	return s.tokens
}

// otherCase is a word with its first letter in the other case.
func otherCase(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	other := unicode.ToUpper(r)
	if unicode.IsUpper(r) {
		other = unicode.ToLower(r)
	}
	return string(other) + word[n:]
}

// search is the last token of pieces of which the first begins at a token, or -1.
func (x *finder) search(first int, pieces [][]token) (last int) {
	last = x.match(first, pieces[0])
	for _, piece := range pieces[1:] {
		at := last + 1
		if last < 0 {
			break
		}
		for last = -1; last < 0 && at < len(x.tokens) && x.tokens[at].block == x.tokens[first].block; at++ {
			last = x.match(at, piece)
		}
	}
	if last >= 0 && len(pieces) > 1 && x.tokens[last].block != x.tokens[first].block {
		return -1
	}
	return last
}

// match is the last token of a quote that begins at one of the text, or -1. Where
// the two differ, layout is passed over on either side. Tokens that are a part of a
// word or a number together with the one beside them are not parted.
func (x *finder) match(at int, quote []token) (last int) {
	last = -1
	for i := at; len(quote) > 0; {
		switch x.steps--; {
		case x.steps < 0:
			return -1
		case i < len(x.tokens) && x.tokens[i].word == quote[0].word:
			last, i, quote = i, i+1, quote[1:]
		case i > at && i < len(x.tokens) && x.tokens[i].layout:
			i++
		case quote[0].layout:
			quote = quote[1:]
		default:
			return -1
		}
	}
	if last < 0 || x.tokens[at].glued || last+1 < len(x.tokens) && x.tokens[last+1].glued {
		return -1
	}
	return last
}

// place is that of tokens, with the punctuation around them.
func (t *Text) place(tokens []token) Place {
	text, from, to := t.original, int(tokens[0].from), int(tokens[len(tokens)-1].to)
	near := text[max(0, from-8):from]
	from -= len(near) - len(strings.TrimRight(near, "([{\"'*`_"))
	near = text[to:min(len(text), to+8)]
	to += len(near) - len(strings.TrimLeft(near, ".,;:!?)]}\"'*`_"))
	return Place{from, to, 1 + strings.Count(text[:from], "\n"), inHeading(tokens), isMasked(tokens)}
}
