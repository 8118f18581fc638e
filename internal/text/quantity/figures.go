package quantity

import (
	"math"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Figures are the quantities that a text states, in lists that are searched
// for a value. It is immutable.
type Figures struct {
	bare    []float64            // the numbers in digits, in ascending order, without their units
	of      map[string][]figure  // by what is measured: base units
	counted map[string][]counted // by a word that stands near a number
	rates   []figure             // numbers per time, whatever is counted
	whole   bool                 // it says all, every or the like
}

type figure struct {
	low, high float64
	bound     Bound
}

// counted is a number near a word.
type counted struct {
	value   float64
	bound   Bound
	article bool // "a request"
	before  bool // the word stands before: "LIMIT rows: 200"
}

const (
	// bareFrom is the number from which one is recognised without its unit. A
	// smaller one stands in too many other places.
	bareFrom = 10
	// between is how many words may stand between a number and what it counts.
	between = 3
	// maxPlain bounds the numbers of a line that are indexed with their words.
	maxPlain = 200
)

// Index reads the quantities of a document, its code included.
func Index(doc *markdown.Doc) *Figures {
	f := &Figures{of: map[string][]figure{}, counted: map[string][]counted{}}
	var toks []Token
	for i := range doc.Lines {
		s := doc.Lines[i].Text
		toks = Lex(s, toks[:0])
		f.line(s, toks)
	}
	slices.Sort(f.bare)
	return f
}

// line adds the quantities of a line.
func (f *Figures) line(s string, toks []Token) {
	plain := 0
	for i := range toks {
		t := &toks[i]
		if t.Kind == Word {
			f.word(s, toks, i)
			continue
		}
		if t.Kind == Mark {
			continue
		}
		v := math.Abs(t.Value)
		if !t.Spelled {
			f.bare = append(f.bare, v)
		}
		if t.Unit != nil {
			f.add(t.Unit.Of, v, t.Unit, t.Bound)
		}
		if s[t.To:t.End] == "m" {
			f.add("time", v, units["min"], t.Bound)
		}
		q := of(s, toks, i)
		if at := strings.IndexByte(q.Of, '/'); at >= 0 {
			f.rates = append(f.rates, figure{q.Low, q.High, q.Bound})
		}
		if plain++; plain <= maxPlain {
			f.near(s, toks, i, q.Bound)
		}
	}
}

func (f *Figures) add(what string, v float64, u *Unit, b Bound) {
	if at := strings.IndexByte(what, '/'); at >= 0 {
		f.rates = append(f.rates, figure{v * u.Low, v * u.High, b})
		return
	}
	f.of[what] = append(f.of[what], figure{v * u.Low, v * u.High, b})
}

// near adds the words that the number at token i may count: up to three words
// behind it and the one before it.
func (f *Figures) near(s string, toks []Token, i int, b Bound) {
	t := &toks[i]
	if t.Unit != nil && t.Unit.Of != "times" {
		return
	}
	put := func(w string, before bool) {
		f.counted[w] = append(f.counted[w], counted{t.Value, b, false, before})
	}
	if t.Unit != nil || i > 0 && toks[i-1].Mark == '*' && (i < 2 || toks[i-2].Kind != Number) {
		put("time", false)
	}
	for k, n := i+1, 0; k < len(toks) && n <= between && toks[k].Kind == Word; k, n = k+1, n+1 {
		w, _ := Singular(s[toks[k].From:toks[k].To])
		put(repeated(w), false)
	}
	for k, n := i-1, 0; k >= 0 && n < 3; k, n = k-1, n+1 {
		if toks[k].Kind == Number {
			break
		}
		if toks[k].Kind == Word && toks[k].From+20 > t.From {
			w, _ := Singular(s[toks[k].From:toks[k].To])
			put(repeated(w), true)
		}
	}
}

// repeated makes one word of those for how often something is done.
func repeated(w string) string {
	switch w {
	case "attempt", "retry", "try", "time", "retries":
		return "time"
	}
	return w
}

// word adds what a word states without a number: hourly, an hour, all.
func (f *Figures) word(s string, toks []Token, i int) {
	t := &toks[i]
	w := s[t.From:t.To]
	if len(w) > 4 && w[len(w)-1] == 'y' {
		if u, ok := lookup(units, w); ok {
			f.add(u.Of, 1, u, Exact)
			return
		}
	}
	if len(w) > 6 {
		return
	}
	switch fold.Case(w) {
	case "all", "every", "each", "always":
		f.whole = true
	case "a", "an", "per", "one":
	default:
		return
	}
	if i+1 == len(toks) || toks[i+1].Kind != Word {
		return
	}
	next := s[toks[i+1].From:toks[i+1].To]
	if u, ok := lookup(units, next); ok && len(next) > 2 {
		f.add(u.Of, 1, u, Exact)
	} else if word, plural := Singular(next); !plural {
		f.counted[repeated(word)] = append(f.counted[repeated(word)], counted{1, Exact, true, false})
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
// quantities one suffices. It is false if none is [Quantity.Searchable].
func (f *Figures) States(phrase string) bool {
	for _, q := range Find(phrase) {
		if q.Searchable() && f.state(q) {
			return true
		}
	}
	return false
}

func (f *Figures) state(q Quantity) bool {
	if q.Value >= bareFrom && q.Of != "%" && f.has(q.Value, q.Value) {
		return true
	}
	if _, per, rate := strings.Cut(q.Of, "/"); rate && per == "time" && meets(f.rates, q) {
		return true
	}
	switch {
	case q.Of == "%":
		return meets(f.of["%"], q) || f.fraction(q) || q.Value == 100 && q.Bound != AtMost && f.whole
	case q.measured:
		return meets(f.of[q.Of], q) || q.Of == "time" && q.Bound == Exact && f.smaller(q)
	}
	return f.counts(q)
}

// meets tells whether one of the figures states q.
func meets(list []figure, q Quantity) bool {
	want := q.Range()
	return slices.ContainsFunc(list, func(g figure) bool {
		have := Quantity{Low: g.low, High: g.high, Of: q.Of, Bound: g.bound}
		if q.Bound == Exact {
			have.Bound = Exact
		}
		return have.Range().Within(want)
	})
}

// has tells whether a number in digits stands in the text, with or without a
// unit, in the range.
func (f *Figures) has(low, high float64) bool {
	i, _ := slices.BinarySearch(f.bare, low*(1-1e-9))
	return i < len(f.bare) && f.bare[i] <= high*(1+1e-9)
}

// fraction finds a share that is written as a part of one.
func (f *Figures) fraction(q Quantity) bool {
	part := q.Value / 100
	switch {
	case f.has(part, part):
		return true
	case q.Bound == AtMost:
		return f.has(math.SmallestNonzeroFloat64, min(part, 0.999))
	case q.Bound == AtLeast:
		return f.has(part, 0.9999)
	}
	return false
}

// smaller finds a time as a bare number of a smaller unit, such as 3600.
func (f *Figures) smaller(q Quantity) bool {
	for _, size := range [...]float64{1e-3, 1, 60, 3600, 86400} {
		if v := q.Low / size; v >= 60 && v == math.Round(v) && q.Low == q.High && f.has(v, v) {
			return true
		}
	}
	return false
}

// counts finds a number beside the word for what is counted.
func (f *Figures) counts(q Quantity) bool {
	what, _, _ := strings.Cut(q.Of, "/")
	for _, c := range f.counted[repeated(what)] {
		met := c.value == q.Value
		if q.Bound == AtMost {
			met = c.value <= q.Value && c.bound != AtLeast
		} else if q.Bound == AtLeast {
			met = c.value >= q.Value && c.bound != AtMost
		}
		if met && (q.Bound != Exact || !c.article && !c.before) {
			return true
		}
	}
	return false
}
