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

// class is a set of classes of cues.txt.
type class uint32

// cues are the words that say which relation is meant, each with the classes
// that it is in; classes are those by name.
var cues, classes = func() (words, names map[string]class) {
	words, names = map[string]class{}, map[string]class{}
	for line := range strings.Lines(cueList) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			if names[f[0]] == 0 {
				names[f[0]] = 1 << len(names)
			}
			for _, w := range f[1:] {
				words[w] |= names[f[0]]
			}
		}
	}
	return words, names
}()

var (
	disown, label, rest       = classes["disown"], classes["label"], classes["rest"]
	stop, other               = classes["stop"], classes["other"]
	thatIs, article, makes    = classes["thatis"], classes["article"], classes["makes"]
	total, partial            = classes["total"], classes["partial"]
	sumRow, weakSum, notAdded = classes["sumrow"], classes["weak"], classes["notsum"]
)

// reader looks for findings in a document, line by line.
type reader struct {
	doc   *markdown.Doc
	found []Finding

	at   int // line in hand
	text string
	toks []quantity.Token
	low  []string // its words in lower case, by token
	cue  []class  // and their classes
}

// minNumbers is how many numbers a relation has at least.
const minNumbers = 3

// load reads a line and tells whether there is anything to compute in it.
func (r *reader) load(i int) bool {
	l := &r.doc.Lines[i]
	if l.Kind == markdown.Code || len(l.Text) > maxLine || strings.HasSuffix(l.Text, "?") || !related(l.Text) {
		return false
	}
	r.read(i)
	numbers := 0
	for k := range r.toks {
		if r.is(k, disown) && !r.number(k-1) {
			return false
		}
		if r.number(k) {
			numbers++
		}
	}
	return numbers >= minNumbers
}

// signs are those of a relation: an equality, a percentage or a word for a total.
var signs = []string{"=", "%", "~", "≈", "≃", "cent", "pct", "total", "in all", "together", "makes"}

// related tells whether a line has numbers and the sign of a relation. Most lines
// have none, and need not be read.
func related(s string) bool {
	return quantity.HasDigit(s) && slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(s, sign) })
}

// read cuts line i into tokens. Inline code becomes one word.
func (r *reader) read(i int) {
	l := &r.doc.Lines[i]
	r.at, r.text = i, l.Text
	r.toks, r.low, r.cue = quantity.Lex(l.Text, r.toks[:0]), r.low[:0], r.cue[:0]
	r.low, r.cue = slices.Grow(r.low, len(r.toks)), slices.Grow(r.cue, len(r.toks))
	out, n := r.toks[:0], 0
	for _, t := range r.toks {
		for n < len(l.InlineCode) && l.InlineCode[n].To <= t.From {
			n++
		}
		if n < len(l.InlineCode) && t.From >= l.InlineCode[n].From {
			c := l.InlineCode[n]
			if k := len(out); k > 0 && out[k-1].From == c.From && out[k-1].To == c.To {
				continue
			}
			t = quantity.Token{From: c.From, To: c.To, End: c.To}
		}
		out = append(out, t)
		w, cue := "", class(0)
		if t.Kind == quantity.Word {
			w = fold.Case(l.Text[t.From:t.To])
			cue = cues[w]
		}
		r.low, r.cue = append(r.low, w), append(r.cue, cue)
	}
	r.toks = out
}

// is tells whether token i is a word of a class.
func (r *reader) is(i int, c class) bool { return i >= 0 && i < len(r.cue) && r.cue[i]&c != 0 }

// isMark tells whether token i is one of some marks.
func (r *reader) isMark(i int, of string) bool { return strings.ContainsRune(of, r.mark(i)) }

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

// word gives the word at token i in lower case, "" if it is none.
func (r *reader) word(i int) string {
	if i < 0 || i >= len(r.low) {
		return ""
	}
	return r.low[i]
}

// figure tells whether token i is a number that is meant as it stands: no
// limit, no range, no label, no year and no part of 3 h 30 min.
func (r *reader) figure(i int) bool {
	if !r.number(i) || r.number(i-1) || r.number(i+1) {
		return false
	}
	t := &r.toks[i]
	return t.Bound == quantity.Exact && !year(t) && !r.labelled(i) && !r.ofRange(i)
}

// ofRange tells whether the number at token i begins or ends a range: 3-5, 10+.
func (r *reader) ofRange(i int) bool {
	before, behind := r.mark(i-1), r.mark(i+1)
	return before == '-' && r.number(i-2) || behind == '-' && r.number(i+2) && r.toks[i+1].Tight ||
		behind == '+' && !r.number(i+2) && r.toks[i+1].From == r.toks[i].End
}

func year(t *quantity.Token) bool {
	return t.Decimals == 0 && t.Unit == nil && t.Value >= 1900 && t.Value <= 2100 && t.To-t.From == 4
}

// labelled tells whether a name or a word such as phase stands before the
// number: Phase 2, steps 3, Python 3. A capital letter makes no name at the
// beginning of a sentence.
func (r *reader) labelled(i int) bool {
	w := r.word(i - 1)
	if w == "" || r.toks[i].Spelled || r.toks[i].Unit != nil || r.toks[i].From-r.toks[i-1].To > 1 {
		return false
	}
	initial := r.text[r.toks[i-1].From]
	return (cues[w]|cues[strings.TrimSuffix(w, "s")])&label != 0 || 'A' <= initial && initial <= 'Z' && i > 1 && !r.isMark(i-2, ":,.")
}

// finding reports that token at, in a passage from one token to another,
// should be v. A bracket that the passage opens is closed, if that is near.
func (r *reader) finding(kind string, from, to, at int, v float64) {
	t, end := &r.toks[at], r.toks[to].End
	text := r.text[r.toks[from].From:end]
	if strings.Count(text, "(") > strings.Count(text, ")") {
		behind := r.text[end:]
		text += behind[:1+strings.IndexByte(behind[:min(len(behind), maxText/2)], ')')]
	}
	r.report(Finding{Line: r.doc.Lines[r.at].No, Kind: kind, Text: text, States: r.text[t.From:t.End], Should: like(v, r.text, t)})
}
