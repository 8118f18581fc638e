package passage

import (
	"regexp"
	"slices"
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
// quote may be cut off inside its last word. Of several places the first one
// counts that is neither heading nor masked.
func (t *Text) Find(quote string) (Place, bool) {
	x := t.index()
	forms := []string{quote, numbered.ReplaceAllString(quote, ""), escapes.Replace(quote)}
	if end := strings.LastIndexByte(quote, ' '); end >= longQuote {
		forms = append(forms, quote[:end])
	}
	for _, form := range slices.Compact(forms) {
		if p, ok := x.find([]string{form}); ok {
			return p, true
		}
		if pieces := piecesOf(form); len(pieces) > 1 {
			if p, ok := x.find(pieces); ok {
				return p, true
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
	longQuote = 200 // bytes, from which on a quote may have been cut off
	minPiece  = 12  // letters of a piece beside an ellipsis
	maxPlaces = 100 // of which each is parted, or all are headings or masked: so time stays linear
)

// piecesOf are the pieces of a quote beside its ellipses; none if one is too short.
func piecesOf(quote string) (pieces []string) {
	for _, p := range ellipsis.Split(quote, -1) {
		switch n := Letters(p); {
		case n >= minPiece:
			pieces = append(pieces, p)
		case n > 0:
			return nil
		}
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

// index is a text as quotes are compared.
type index struct {
	text   *Text
	tokens []token
	lines  []line
	views  [views]view
}

type line struct {
	from    int
	heading bool
	prose   int // lines up to here that have tokens and are no headings
}

// view is the words of a text, with those left out that quotes may leave out.
type view struct {
	words  string  // each between two spaces
	from   []int32 // by word, where the space before it stands in words
	token  []int32 // by word, its place among all tokens
	blocks []int   // where each block begins in words, and their end
}

func newIndex(t *Text) *index {
	x := &index{text: t, lines: make([]line, 0, 1+strings.Count(t.original, "\n"))}
	s := scanner{text: t.original, masked: t.masked, tokens: make([]token, 0, len(t.original)/4)}
	var blocks []int // the first token of each, which ends at a blank line
	blank, fenced, plain, prose := true, false, false, 0
	for text := range strings.Lines(t.original) {
		here, n := line{from: s.at}, len(s.tokens)
		bare := strings.TrimSpace(text)
		fence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		fenced = fenced != fence
		here.heading = !fenced && heading.MatchString(bare)
		if plain && (strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == "") && bare != "" {
			last := &x.lines[len(x.lines)-1] // which it underlines
			last.heading, prose = true, prose-1
			last.prose = prose
		}
		if blank && bare != "" {
			blocks = append(blocks, n)
		}
		s.line(s.at+len(text), fence)
		blank, plain = bare == "", !fenced && !here.heading && len(s.tokens) > n && isPlain(bare)
		if len(s.tokens) > n && !here.heading {
			prose++
		}
		here.prose = prose
		x.lines = append(x.lines, here)
	}
	x.tokens = s.tokens
	for i := range x.views {
		x.views[i] = s.view(kind(i), blocks)
	}
	return x
}

// heading matches the beginning of a line that is one.
var heading = regexp.MustCompile(`^(?:#{1,6}(?:[ \t]|$)|<[hH][1-6])`)

// isPlain tells whether a line is one of a paragraph, by its beginning.
func isPlain(line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " *_`"))
	return unicode.IsLetter(r) && !strings.Contains(line, "|")
}

// find looks for pieces in each view of the text.
func (x *index) find(pieces []string) (best Place, found bool) {
	read := make([]scanner, len(pieces))
	for i, p := range pieces {
		read[i] = scanner{text: p, masked: New(p).masked}
		for text := range strings.Lines(p) {
			read[i].line(read[i].at+len(text), strings.HasPrefix(strings.TrimSpace(text), "```"))
		}
	}
	var before []string
	for i := range x.views {
		var words []string
		for k := range read {
			if w := read[k].view(kind(i), nil).words; w != " " {
				words = append(words, w)
			}
		}
		if len(words) < len(pieces) || slices.Equal(words, before) && x.views[i].words == x.views[i-1].words {
			continue
		}
		before = words
		for _, first := range []string{words[0], otherCase(words[0])} {
			if p, ok := x.search(&x.views[i], append([]string{first}, words[1:]...)); ok && (!found || !p.Heading && !p.Masked) {
				best, found = p, true
			}
			if found && !best.Heading && !best.Masked {
				return best, true
			}
		}
	}
	return best, found
}

// otherCase is words of a view with their first letter in the other case.
func otherCase(words string) string {
	r, n := utf8.DecodeRuneInString(words[1:])
	other := unicode.ToUpper(r)
	if unicode.IsUpper(r) {
		other = unicode.ToLower(r)
	}
	return " " + string(other) + words[1+n:]
}

// search looks for one piece anywhere, or for several in one block.
func (x *index) search(v *view, pieces []string) (best Place, found bool) {
	blocks := v.blocks
	if len(pieces) == 1 {
		blocks = []int{0, len(v.words) - 1}
	}
	tries := 0
	for b := 0; b+1 < len(blocks); b++ {
		for at := blocks[b]; ; {
			begin, end, next := x.next(v, pieces[0], at, blocks[b+1]+1)
			for i := 1; i < len(pieces) && next >= 0; i++ {
				_, end, next = x.next(v, pieces[i], next+len(pieces[i-1])-2, blocks[b+1]+1)
			}
			if next < 0 {
				break
			}
			if p := x.place(begin, end); !found || !p.Heading && !p.Masked {
				best, found = p, true
			}
			if tries++; tries == maxPlaces || !best.Heading && !best.Masked {
				return best, true
			}
			if at = next; len(pieces) > 1 {
				break
			}
		}
	}
	return best, found
}

// next finds the next place of a piece in a part of a view: its first and its last
// token, and where to look on; -1 if there is none. Tokens that are a part of a
// word or a number together with the one beside them are not parted.
func (x *index) next(v *view, piece string, at, end int) (first, last, next int) {
	for n := 0; at < end && n < maxPlaces; n++ {
		k := strings.Index(v.words[at:end], piece)
		if k < 0 {
			break
		}
		at += k
		word := sort.Search(len(v.from), func(i int) bool { return int(v.from[i]) >= at })
		first, last = int(v.token[word]), int(v.token[word+strings.Count(piece, " ")-2])
		if at++; !x.tokens[first].glued && (last+1 == len(x.tokens) || !x.tokens[last+1].glued) {
			return first, last, at
		}
	}
	return 0, 0, -1
}

// place is that of the tokens from first to last, with the punctuation around
// them.
func (x *index) place(first, last int) Place {
	text, masked := x.text.original, x.text.masked
	p := Place{From: int(x.tokens[first].from), To: int(x.tokens[last].to)}
	near := text[max(0, p.From-8):p.From]
	p.From -= len(near) - len(strings.TrimRight(near, "([{\"'*`_"))
	near = text[p.To:min(len(text), p.To+8)]
	p.To += len(near) - len(strings.TrimLeft(near, ".,;:!?)]}\"'*`_"))
	begin, end := x.lineAt(p.From), x.lineAt(p.To-1)
	p.Line = begin + 1
	prose := x.lines[end].prose - x.lines[begin].prose // of the lines behind the first
	p.Heading = prose == 0 && x.lines[begin].heading
	to := len(text)
	if end+1 < len(x.lines) {
		to = x.lines[end+1].from
	}
	at := sort.Search(len(masked), func(i int) bool { return masked[i].to > x.lines[begin].from })
	p.Masked = at < len(masked) && masked[at].from < to
	return p
}

// lineAt is the line, from 0, that a byte of the text is on.
func (x *index) lineAt(at int) int {
	return sort.Search(len(x.lines), func(i int) bool { return x.lines[i].from > at }) - 1
}
