package quantity

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Figures are the quantities that a text states: first those of the lines with
// digits, and where they are not enough those in words alone. It is safe for
// concurrent use.
type Figures struct {
	doc           *markdown.Doc
	digits, words func() *index
}

// index are quantities in lists that are searched.
type index struct {
	toks   []Token   // of the line in hand
	bare   []float64 // the numbers in digits, without their units
	ranges []Range   // what is measured, and rates
	counts []Range   // the numbers that stand near a word, without what they count
	near   []mention // those words
	whole  bool      // it says all, every or the like
}

// mention is a number near a word: behind it ("LIMIT rows: 200") or as an
// article ("a request"), where only a limit is met by it.
type mention struct {
	word  string
	at    int32 // of counts
	loose bool
}

// bareFrom is the number from which one is recognised without its unit. A
// smaller one stands in too many other places.
const bareFrom = 10

// Index reads the quantities of a document, its code included, when they are
// asked for.
func Index(doc *markdown.Doc) *Figures {
	return &Figures{
		doc:    doc,
		digits: sync.OnceValue(func() *index { return indexOf(doc, true) }),
		words:  sync.OnceValue(func() *index { return indexOf(doc, false) }),
	}
}

// indexOf indexes the lines with digits, or those without.
func indexOf(doc *markdown.Doc, digits bool) *index {
	f := &index{}
	for i := range doc.Lines {
		if HasDigit(doc.Lines[i].Text) == digits {
			f.read(doc.Lines[i].Text)
		}
	}
	return f
}

// read adds what a line states.
func (f *index) read(line string) {
	for part := range Parts(line) {
		f.toks = Lex(part, f.toks[:0])
		for k := range f.toks {
			switch f.toks[k].Kind {
			case Number:
				f.number(part, f.toks, k)
			case Word:
				f.word(part, f.toks, k)
			}
		}
	}
}

// maxLikely is how many lines are tried that have a number as it is written.
const maxLikely = 4

// likely tells whether one of the first lines with the number of a quantity, in the
// same characters, states it. Most that are stated are: that saves reading all.
func (f *Figures) likely(q Quantity) bool {
	lines := index{}
	for i, n := 0, 0; i < len(f.doc.Lines) && n < maxLikely; i++ {
		if line := f.doc.Lines[i].Text; len(line) <= maxPart && strings.Contains(line, q.written) {
			if lines.read(line); lines.states(q) {
				return true
			}
			n++
		}
	}
	return false
}

// number adds a number with its unit, and the words that it may count: up to
// four words behind it, and those just before.
func (f *index) number(s string, toks []Token, i int) {
	t, q := &toks[i], quantityAt(s, toks, i)
	if !t.Spelled {
		f.bare = append(f.bare, math.Abs(t.Value))
	}
	if q.measured || strings.Contains(q.Of, "/") {
		q.Low, q.High = math.Abs(q.Low), math.Abs(q.High)
		f.ranges = append(f.ranges, q.Range())
	}
	if s[t.To:t.End] == "m" {
		f.time(t.Value, words["min"].unit)
	}
	if t.Unit != nil && t.Unit.Of != "times" {
		return
	}
	f.counts = append(f.counts, Quantity{Low: t.Value, High: t.Value, Bound: q.Bound}.Range())
	put := func(w string, loose bool) {
		if len(w) > 2 { // see Searchable
			f.near = append(f.near, mention{w, int32(len(f.counts) - 1), loose})
		}
	}
	if t.Unit != nil || i > 0 && toks[i-1].Mark == '*' && (i < 2 || toks[i-2].Kind != Number) {
		put("time", false)
	}
	for k := i + 1; k < min(len(toks), i+5) && toks[k].Kind == Word; k++ {
		put(toks[k].text(s), false)
	}
	for k := i - 1; k >= max(0, i-3) && toks[k].Kind != Number; k-- {
		if toks[k].Kind == Word && toks[k].From+20 > t.From {
			put(toks[k].text(s), true)
		}
	}
}

func (f *index) time(v float64, u *Unit) {
	f.ranges = append(f.ranges, Range{v * u.Low, v * u.High, "time"})
}

// repeated gives one word for those that say how often something is done.
func repeated(w string) string {
	if w == "attempt" || w == "retry" || w == "try" {
		return "time"
	}
	return w
}

// word adds what a word states without a number: hourly, an hour, all.
func (f *index) word(s string, toks []Token, i int) {
	w, m := toks[i].text(s), toks[i].means
	if m.unit != nil && len(w) > 4 && w[len(w)-1] == 'y' { // daily
		f.time(1, m.unit)
		return
	}
	f.whole = f.whole || m.whole
	if !m.article || i+1 == len(toks) || toks[i+1].Kind != Word {
		return
	}
	next := toks[i+1].text(s)
	if u := toks[i+1].means.unit; u != nil && len(next) > 2 && u.Of == "time" {
		f.time(1, u)
	} else if _, plural := singular(next); !plural && len(next) > 2 {
		f.counts = append(f.counts, Range{1, 1, ""})
		f.near = append(f.near, mention{next, int32(len(f.counts) - 1), true})
	}
}

// States tells whether the text states a quantity of the phrase. It is
// generous in form, because a figure that is there in a form nobody thought of
// would be called missing:
//
//   - 1 hour is also 1h, "one hour", "hourly", 60 minutes or 3600;
//   - 2 GB is also 2000 or 2048 MB, and 300 requests per minute are 5 requests
//     per second;
//   - 95 % is also "95 percent" or 0.95, and 100 % is "all" or "every";
//   - a number from 10 needs no unit, a smaller one stands up to three words
//     before what it counts.
//
// A limit is met by a figure of the same kind on its side: "at least 95 %" by
// 97 %, ≥ 95 % or 0.96, and not by 12 % or "at most 97 %". Of several
// quantities one suffices. Nothing is asked if none is [Quantity.Searchable].
func (f *Figures) States(phrase string) (stated, asked bool) {
	for _, q := range Find(phrase) {
		if q.Searchable() {
			if asked = true; f.likely(q) || f.digits().states(q) || f.words().states(q) {
				return true, true
			}
		}
	}
	return false, asked
}

func (f *index) states(q Quantity) bool {
	meets := func(have, want Range) bool {
		have.Of = q.Of
		if q.Bound == Exact { // whatever limit the text names
			if math.IsInf(have.Low, 0) {
				have.Low = have.High
			} else if math.IsInf(have.High, 0) {
				have.High = have.Low
			}
		}
		return have.Within(want)
	}
	want := q.Range()
	thing, _, rate := strings.Cut(q.Of, "/")
	bare := q.Value >= bareFrom && q.Of != "%" && f.has(q.Value, q.Value)
	if bare || slices.ContainsFunc(f.ranges, func(r Range) bool {
		return (r.Of == q.Of || rate && strings.HasSuffix(r.Of, "/time")) && meets(r, want)
	}) {
		return true
	}
	switch exactTime := q.Of == "time" && q.Bound == Exact && q.Low == q.High; {
	case q.Of == "%":
		part := Range{want.Low / 100, want.High / 100, ""} // as a part of one
		if q.Bound != Exact {
			part.Low, part.High = max(part.Low, math.SmallestNonzeroFloat64), max(min(part.High, 0.9999), part.Low)
		}
		return f.has(part.Low, part.High) || q.Value == 100 && q.Bound != AtMost && f.whole
	case q.measured && exactTime: // as a bare number of a smaller unit, such as 3600
		return slices.ContainsFunc([]float64{1e-3, 1, 60, 3600, 86400}, func(size float64) bool {
			v := q.Low / size
			return v >= 60 && v == math.Round(v) && f.has(v, v)
		})
	case q.measured && !rate:
		return false
	}
	want, thing = Quantity{Low: q.Value, High: q.Value, Bound: q.Bound, Of: q.Of}.Range(), repeated(thing)
	return slices.ContainsFunc(f.near, func(m mention) bool {
		if m.loose && q.Bound == Exact || !meets(f.counts[m.at], want) {
			return false
		}
		word, _ := singular(m.word)
		return repeated(word) == thing
	})
}

// has tells whether a number in digits, with or without a unit, lies in the
// range.
func (f *index) has(low, high float64) bool {
	return slices.ContainsFunc(f.bare, func(v float64) bool { return low*(1-1e-9) <= v && v <= high*(1+1e-9) })
}
