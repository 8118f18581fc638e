package quantity

import (
	"math"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// maxQuantities is how many quantities of a phrase are taken.
const maxQuantities = 8

// Find lists the quantities of a phrase, at most 8. A limit may stand some
// words before the number (at most an added latency of 15 ms) or behind it (15
// ms or less).
func Find(phrase string) (out []Quantity) {
	toks := Lex(phrase, nil)
	for i := range toks {
		if toks[i].Kind == Number && len(out) < maxQuantities {
			out = append(out, quantityAt(phrase, toks, i))
		}
	}
	return out
}

// Has tells whether a phrase has a quantity that [Figures.States] looks for.
func Has(phrase string) bool { return slices.ContainsFunc(Find(phrase), Quantity.Searchable) }

// Searchable tells whether a text can be searched for the quantity. A number
// behind a name (HTTP 2), and a small one of a thing without a plural (one
// row), cannot be told from others.
func (q Quantity) Searchable() bool {
	thing := !q.named && q.Value == math.Trunc(q.Value) && len(q.Of) > 2 && (q.plural || q.Value >= bareFrom)
	return q.Value > 0 && (q.measured || thing)
}

// quantityAt gives the quantity of the number at token i.
func quantityAt(s string, toks []Token, i int) Quantity {
	t, next := &toks[i], i+1
	q := Quantity{Value: t.Value, Low: t.Value, High: t.Value, Bound: t.Bound, written: t.text(s)}
	if t.Unit != nil {
		q.Of, q.measured = t.Unit.Of, true
		q.Low, q.High = t.Value*t.Unit.Low, t.Value*t.Unit.High
	} else if next < len(toks) && toks[next].Kind == Word && toks[next].From-t.End <= 1 {
		q.Of, q.plural = singular(toks[next].text(s))
		q.named = i > 1 && toks[i-1].Kind == Word && 'A' <= s[toks[i-1].From] && s[toks[i-1].From] <= 'Z'
		next++
	}
	if u := perUnit(s, toks, next); u != nil {
		q.Of += "/" + u.Of
		q.Low, q.High = q.Low/u.High, q.High/u.Low
	}
	q.Low, q.High = min(q.Low, q.High), max(q.Low, q.High)
	if q.Bound == Exact {
		q.Bound = boundBehind(s, toks[min(next, len(toks)):])
	}
	return q
}

// boundBehind tells which limit the tokens behind a quantity make of it: 5 or less,
// 5 max, 5+.
func boundBehind(s string, toks []Token) Bound {
	if len(toks) == 0 {
		return Exact
	}
	switch w, m := toks[0].text(s), find(toks[0].text(s)); {
	case w == "+":
		return AtLeast
	case w != "or" && !m.far:
		return Exact
	case m.bound != Exact || len(toks) == 1:
		return m.bound
	}
	return find(toks[1].text(s)).bound
}

// perUnit gives the unit of time of a rate whose words begin at token i: /s,
// per minute, an hour.
func perUnit(s string, toks []Token, i int) *Unit {
	if i+1 >= len(toks) || toks[i+1].Kind != Word {
		return nil
	}
	switch toks[i].text(s) {
	case "/", "per", "a", "an", "each", "every":
		if u := toks[i+1].means.unit; u != nil && u.Of == "time" {
			return u
		}
	}
	return nil
}

// singular gives the word for a counted thing in lower case and without the
// ending of a plural, and whether it had one.
func singular(word string) (string, bool) {
	w := fold.Case(word)
	cut := 0
	switch {
	case len(w) > 3 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y", true
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		cut = 2
	case len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		cut = 1
	}
	return w[:len(w)-cut], cut > 0
}

// Parse reads a text that is nothing but one quantity in digits: 1 hour, 3
// attempts, 10 requests per second, at most 5 MB, 99.5 %. Any words that are
// no unit are what is counted.
func Parse(s string) (Quantity, bool) {
	s = strings.TrimSpace(s)
	toks, i := Lex(s, nil), 0
	for i < len(toks) && toks[i].Kind != Number {
		i++
	}
	if i == len(toks) || toks[i].Spelled || i > 0 && toks[i].Bound == Exact && !toks[i].Approx {
		return Quantity{}, false
	}
	q := quantityAt(s, toks, i)
	rest := strings.Trim(s[toks[i].End:], " .-")
	if toks[i].Unit != nil || rest == "" {
		return q, rest == "" || i+3 == len(toks) && perUnit(s, toks, i+1) != nil
	}
	for k := i + 1; k < len(toks)-1; k++ { // failed attempts per minute
		if u := perUnit(s, toks, k); u != nil && k+2 == len(toks) {
			q.Of, _ = singular(strings.TrimSpace(s[toks[i].End:toks[k].From]))
			q.Of, q.Low, q.High = q.Of+"/"+u.Of, q.Value/u.High, q.Value/u.Low
			return q, true
		}
	}
	q.Of, _ = singular(strings.Join(strings.Fields(rest), " "))
	q.Low, q.High = q.Value, q.Value
	return q, true
}
