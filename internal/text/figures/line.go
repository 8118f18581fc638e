package figures

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// reader reads the lines and tables of a document.
type reader struct {
	finder

	in   *markdown.Line // in hand
	toks []quantity.Token
	low  []string // the words in lower case, by token
}

// disown are words by which a line says that a figure is wrong, or no decimal one.
var disown = words("wrong wrongly incorrect incorrectly mistake mistaken erroneous erroneously miscalculated typo inconsistent " +
	"inconsistency mismatch mismatched discrepancy discrepancies instead binary hex xor mod modulo arithmetic bug fixed corrected correction was")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// load cuts a line into tokens, if an equation or a share may stand in it. Inline
// code becomes one word.
func (r *reader) load(l *markdown.Line) bool {
	if l.Kind == markdown.Code || len(l.Text) > maxLine || len(l.Struck) > 0 || strings.HasSuffix(l.Text, "?") {
		return false
	}
	if strings.IndexByte(l.Text, '=') < 0 && strings.IndexByte(l.Text, '%') < 0 || !quantity.HasDigit(l.Text) {
		return false
	}
	r.in, r.low = l, r.low[:0]
	r.toks = quantity.Lex(l.Text, r.toks[:0])
	spans := l.InlineCode
	for i := range r.toks {
		t, w := &r.toks[i], ""
		for len(spans) > 0 && spans[0].To <= t.From {
			spans = spans[1:]
		}
		if len(spans) > 0 && t.From >= spans[0].From {
			*t, w = quantity.Token{From: t.From, To: t.To, End: t.To}, "`"
		} else if t.Kind == quantity.Word {
			w = fold.Case(l.Text[t.From:t.To])
		}
		r.low = append(r.low, w)
	}
	return !slices.ContainsFunc(r.low, func(w string) bool { return disown[w] })
}

// mark gives the mark at token i, 0 if it is none.
func (r *reader) mark(i int) rune {
	if i < 0 || i >= len(r.toks) {
		return 0
	}
	return r.toks[i].Mark
}

func (r *reader) isMark(i int, of string) bool { return strings.ContainsRune(of, r.mark(i)) }

// word gives the word at token i in lower case, "" if it is none.
func (r *reader) word(i int) string {
	if i < 0 || i >= len(r.low) {
		return ""
	}
	return r.low[i]
}

func (r *reader) number(i int) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].Kind == quantity.Number
}

// figure tells whether token i is a number that is meant as it stands: written in
// digits, no limit, nothing approximate, no part of 3 h 30 min.
func (r *reader) figure(i int) bool {
	if !r.number(i) || r.number(i-1) || r.number(i+1) {
		return false
	}
	t := &r.toks[i]
	return t.Bound == quantity.Exact && !t.Approx && !t.Spelled && !thousands(t) && strings.IndexByte(r.in.Text[t.From:t.To], ' ') < 0
}

// text gives the line from one token to another, as it is written.
func (r *reader) text(from, to int) string { return r.in.Text[r.toks[from].From:r.toks[to].End] }
