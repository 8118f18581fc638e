package passage

import (
	"regexp"
	"sort"
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

// Find looks for what a model quotes of the text. Differences of layout do not
// count: spaces, line breaks, signs of Markdown, targets of links, images,
// escapes, bars of tables, quotation marks, dashes, punctuation, the case of the
// first letter, signs of currencies, "Line 12:" before it. An ellipsis stands for
// what is left out if its pieces stand in this order within one block. Changed
// words, half words and pieces from distant places are not found, but that a long
// quote may be cut off inside its last word. Of several
// places the first one counts that is neither heading nor masked.
func (t *Text) Find(quote string) (Place, bool) {
	x := t.index()
	forms := []string{quote, numbered.ReplaceAllString(quote, ""), escapes.Replace(quote)}
	if end := strings.LastIndexByte(quote, ' '); end >= longQuote {
		forms = append(forms, quote[:end])
	}
	for _, q := range forms {
		if p, ok := x.find(q); ok {
			return p, true
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

// longQuote is from how many bytes on a quote may have been cut off.
const longQuote = 200

// minPiece is how many letters a piece beside an ellipsis must have.
const minPiece = 12

func (x *index) find(quote string) (Place, bool) {
	if p, ok := x.each([]string{quote}); ok {
		return p, true
	}
	var pieces []string
	for _, p := range ellipsis.Split(quote, -1) {
		switch n := Letters(p); {
		case n >= minPiece:
			pieces = append(pieces, p)
		case n > 0:
			return Place{}, false
		}
	}
	if len(pieces) < 2 {
		return Place{}, false
	}
	return x.each(pieces)
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

// each looks for pieces with and without each kind of token that a quote may
// leave out.
func (x *index) each(pieces []string) (Place, bool) {
	read, kinds := make([][]token, len(pieces)), x.kinds
	for i, p := range pieces {
		read[i] = x.read(p)
		kinds |= kindsOf(read[i])
	}
	for skip := range optional + 1 {
		if skip&^kinds != 0 {
			continue
		}
		patterns := make([]pattern, len(pieces))
		for i := range pieces {
			if patterns[i] = x.pattern(pieces[i], read[i], skip); patterns[i].words == nil {
				break
			}
		}
		if patterns[len(patterns)-1].words == nil {
			continue
		}
		if p, ok := x.search(patterns, skip); ok {
			return p, true
		}
	}
	return Place{}, false
}

// search looks for one pattern anywhere, or for several in one block.
func (x *index) search(patterns []pattern, skip kind) (best Place, found bool) {
	keep := func(first, last int) (more bool) {
		p := x.place(first, last)
		if !found || !p.Heading && !p.Masked {
			best, found = p, true
		}
		return best.Heading || best.Masked
	}
	if len(patterns) == 1 {
		x.occurrences(&patterns[0], 0, len(x.tokens), skip, keep)
		return best, found
	}
	for b, from := range x.blocks {
		to := len(x.tokens)
		if b+1 < len(x.blocks) {
			to = x.blocks[b+1]
		}
		begin, last := -1, from-1
		for i := range patterns {
			at := -1
			x.occurrences(&patterns[i], last+1, to, skip, func(f, l int) bool { at, last = f, l; return false })
			if at < 0 {
				begin = -1
				break
			}
			if i == 0 {
				begin = at
			}
		}
		if begin >= 0 && !keep(begin, last) {
			break
		}
	}
	return best, found
}

// pattern is a sequence of words to look for.
type pattern struct {
	words []uint32
	first uint32 // the first word with its first letter in the other case
	back  []int  // how long the beginning is that is also the end, of each beginning
}

func (p *pattern) is(k int, word uint32) bool {
	return word == p.words[k] || k == 0 && word == p.first // words of the text are not 0
}

// pattern makes one of a quote and its tokens, with nil words where it cannot
// stand in the text.
func (x *index) pattern(quote string, tokens []token, skip kind) (p pattern) {
	for _, t := range tokens {
		if t.kind&skip != 0 {
			continue
		}
		if len(p.words) == 0 {
			p.first = x.words[otherCase(quote[t.from:t.to])]
		}
		if t.word == 0 && (len(p.words) > 0 || p.first == 0) {
			return pattern{}
		}
		p.words = append(p.words, t.word)
	}
	p.back = make([]int, len(p.words))
	for i, k := 1, 0; i < len(p.words); i++ {
		for k > 0 && !p.is(k, p.words[i]) {
			k = p.back[k-1]
		}
		if p.is(k, p.words[i]) {
			k++
		}
		p.back[i] = k
	}
	return p
}

// otherCase is a word with its first letter in the other case.
func otherCase(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	if unicode.IsUpper(r) {
		return string(unicode.ToLower(r)) + word[n:]
	}
	return string(unicode.ToUpper(r)) + word[n:]
}

// occurrences yields where a pattern stands among the tokens from and to, as its
// first and its last token, until yield returns false. Tokens that are a part of
// a word or a number together with the one beside them are not parted.
func (x *index) occurrences(p *pattern, from, to int, skip kind, yield func(first, last int) bool) {
	k, first := 0, from
	forward := func(n int) { // the beginning, by so many tokens
		for ; n > 0; n-- {
			for first++; first < to && x.tokens[first].kind&skip != 0; first++ {
			}
		}
	}
	for i := from; i < to; i++ {
		t := &x.tokens[i]
		if t.kind&skip != 0 {
			continue
		}
		for k > 0 && !p.is(k, t.word) {
			forward(k - p.back[k-1])
			k = p.back[k-1]
		}
		if k == 0 {
			first = i
		}
		if !p.is(k, t.word) {
			continue
		}
		if k++; k < len(p.words) {
			continue
		}
		parted := x.tokens[first].kind&glued != 0 || i+1 < len(x.tokens) && x.tokens[i+1].kind&glued != 0
		if !parted && !yield(first, i) {
			return
		}
		forward(k - p.back[k-1])
		k = p.back[k-1]
	}
}

// place is that of the tokens from first to last, with the punctuation around
// them.
func (x *index) place(first, last int) Place {
	text := x.text.original
	p := Place{From: int(x.tokens[first].from), To: int(x.tokens[last].to), Heading: true}
	p.From -= len(text[:p.From]) - len(strings.TrimRight(text[max(0, p.From-8):p.From], "([{\"'*`_")) - max(0, p.From-8)
	rest := text[p.To:min(len(text), p.To+8)]
	p.To += len(rest) - len(strings.TrimLeft(rest, ".,;:!?)]}\"'*`_"))
	begin, end := x.lineAt(p.From), x.lineAt(p.To-1)
	p.Line = begin + 1
	for i := first; i <= last && p.Heading; i++ {
		p.Heading = x.lines[x.lineAt(int(x.tokens[i].from))].heading
	}
	to := len(text)
	if end+1 < len(x.lines) {
		to = x.lines[end+1].from
	}
	masked := x.text.masked
	at := sort.Search(len(masked), func(i int) bool { return masked[i].to > x.lines[begin].from })
	p.Masked = at < len(masked) && masked[at].from < to
	return p
}

// lineAt is the line, from 0, that a byte of the text is on.
func (x *index) lineAt(at int) int {
	return sort.Search(len(x.lines), func(i int) bool { return x.lines[i].from > at }) - 1
}
