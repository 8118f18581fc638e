package arithmetic

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

//go:embed cues.txt
var cueList string

// cues are the words that say which relation is meant, each with the classes
// that it is in.
var cues = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(cueList) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			for _, w := range f[1:] {
				m[w] = append(m[w], f[0])
			}
		}
	}
	return m
}()

// reader looks for findings in a document, line by line.
type reader struct {
	doc   *markdown.Doc
	found []Finding

	starts []int // offsets of the source lines

	at   int // line in hand
	text string
	toks []quantity.Token
	low  []string // its words in lower case, by token
}

// load reads a line and tells whether there is anything to compute in it.
func (r *reader) load(i int) bool {
	l := &r.doc.Lines[i]
	if l.Kind == markdown.Code || len(l.Text) > maxLine {
		return false
	}
	digits := 0
	for k := 0; k < len(l.Text) && digits < 2; k++ {
		if c := l.Text[k]; '0' <= c && c <= '9' {
			digits++
		}
	}
	if digits < 2 || strings.HasSuffix(l.Text, "?") {
		return false
	}
	if l.Kind == markdown.Row && strings.Contains(r.source(l.No), "`") {
		return false // cells do not tell where their code is
	}
	r.at = i
	r.read(l.Text, l.InlineCode, quantity.Comma(l.Text))
	for k := range r.toks {
		if r.is(k, "disown") && !r.number(k-1) {
			return false
		}
	}
	return true
}

// source gives a line of the source as it is written.
func (r *reader) source(no int) string {
	if r.starts == nil {
		r.starts = append(r.starts, 0)
		for i := range len(r.doc.Source) {
			if r.doc.Source[i] == '\n' {
				r.starts = append(r.starts, i+1)
			}
		}
	}
	if no < 1 || no > len(r.starts) {
		return ""
	}
	line, _, _ := strings.Cut(r.doc.Source[r.starts[no-1]:], "\n")
	return line
}

// read cuts a text into tokens.
func (r *reader) read(text string, code []markdown.Span, comma bool) {
	r.text = text
	r.toks = quantity.Lex(text, r.toks[:0], comma)
	if len(code) > 0 {
		r.mask(code)
	}
	r.low = r.low[:0]
	for i := range r.toks {
		w := ""
		if t := &r.toks[i]; t.Kind == quantity.Word {
			w = fold.Case(text[t.From:t.To])
		}
		r.low = append(r.low, w)
	}
}

// mask makes one word of each piece of code that is more than arithmetic.
func (r *reader) mask(code []markdown.Span) {
	out, n := r.toks[:0], 0
	for _, t := range r.toks {
		for n < len(code) && code[n].To <= t.From {
			n++
		}
		if n == len(code) || t.From < code[n].From || sum(r.text[code[n].From:code[n].To]) {
			out = append(out, t)
			continue
		}
		if k := len(out); k > 0 && out[k-1].From == code[n].From && out[k-1].To == code[n].To {
			continue
		}
		out = append(out, quantity.Token{From: code[n].From, To: code[n].To, End: code[n].To})
	}
	r.toks = out
}

// sum tells whether code is nothing but an equation of numbers.
func sum(code string) bool {
	if strings.IndexByte(code, '=') < 0 {
		return false
	}
	for i := 0; i < len(code); i++ {
		if c := code[i] | 0x20; 'a' <= c && c <= 'z' && (i == 0 || code[i-1] < '0' || code[i-1] > '9' && code[i-1]|0x20 < 'a') {
			return false
		}
	}
	return true
}

// is tells whether token i is a word of a class.
func (r *reader) is(i int, class string) bool {
	if i < 0 || i >= len(r.low) || r.low[i] == "" || len(r.low[i]) > 20 {
		return false
	}
	return slices.Contains(cues[r.low[i]], class)
}

// mark gives the mark at token i, 0 if it is none.
func (r *reader) mark(i int) rune {
	if i < 0 || i >= len(r.toks) {
		return 0
	}
	return r.toks[i].Mark
}

func (r *reader) number(i int) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].Kind == quantity.Number
}

// figure tells whether token i is a number that is meant as it stands: no
// limit, no end of a range, no label and no year.
func (r *reader) figure(i int) bool {
	if !r.number(i) {
		return false
	}
	t := &r.toks[i]
	return t.Bound == quantity.Exact && !r.labelled(i) && !year(t) && !r.is(i+1, "month") && !(r.mark(i+1) == '+' && r.toks[i+1].From == t.End && !r.number(i+2)) &&
		!(r.mark(i-1) == '-' && r.number(i-2)) && !(r.mark(i+1) == '-' && r.toks[i+1].Tight && r.number(i+2))
}

func year(t *quantity.Token) bool {
	return t.Ulp == 1 && t.Unit == nil && t.Value >= 1900 && t.Value <= 2100 && t.To-t.From == 4
}

// labelled tells whether a name or a word such as phase stands before the
// number: Phase 2, step 3, Python 3.
func (r *reader) labelled(i int) bool {
	if i == 0 || r.toks[i-1].Kind != quantity.Word || r.toks[i].Spelled || r.toks[i].Unit != nil || r.toks[i].From-r.toks[i-1].To > 1 {
		return false
	}
	return r.is(i-1, "label") || strings.HasSuffix(r.low[i-1], "s") && slices.Contains(cues[r.low[i-1][:len(r.low[i-1])-1]], "label") || i > 1 && r.mark(i-2) != ':' && r.mark(i-2) != ',' && r.mark(i-2) != '.' && isUpper(r.text[r.toks[i-1].From])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// finding reports that token at of the line in hand, in a passage from one
// token to another, should be v.
func (r *reader) finding(kind string, from, to, at int, v float64) {
	t := &r.toks[at]
	for i := to + 1; i < len(r.toks); i++ { // 5 s (not 15 s)
		if r.number(i) && r.low[i-1] == "not" && exactly(v).fits(&r.toks[i]) {
			return
		}
	}
	r.report(Finding{Line: r.lineNo(), Kind: kind, Text: r.text[r.toks[from].From:r.toks[to].End],
		states: r.text[t.From:t.End], Should: like(v, r.text, t), quoted: true})
}

func (r *reader) lineNo() int { return r.doc.Lines[r.at].No }
