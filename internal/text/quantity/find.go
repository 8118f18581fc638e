package quantity

import (
	"math"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// maxQuantities is how many quantities of a phrase are taken.
const maxQuantities = 8

// Find lists the quantities of a phrase, at most 8. A limit that is named in
// front of several words ("at most an added latency of 15 ms") or behind
// ("15 ms or less") belongs to the number.
func Find(phrase string) []Quantity {
	var out []Quantity
	var buf [32]Token
	toks := Lex(phrase, buf[:0])
	for i := range toks {
		if toks[i].Kind == Number && len(out) < maxQuantities {
			out = append(out, of(phrase, toks, i))
		}
	}
	return out
}

// Has tells whether a phrase has a quantity that [Figures.States] looks for.
func Has(phrase string) bool {
	for _, q := range Find(phrase) {
		if q.Searchable() {
			return true
		}
	}
	return false
}

// Searchable tells whether a text can be searched for the quantity. A number
// behind a name (HTTP 2), and a small one of a thing without a plural (one
// row), cannot be told from others.
func (q Quantity) Searchable() bool {
	switch {
	case q.Value <= 0:
		return false
	case q.measured:
		return true
	}
	return !q.named && q.Value == math.Trunc(q.Value) && len(q.Of) > 2 && (q.plural || q.Value >= bareFrom)
}

// of gives the quantity of the number at token i.
func of(s string, toks []Token, i int) Quantity {
	t := &toks[i]
	q := Quantity{Value: t.Value, Low: t.Value, High: t.Value, Bound: t.Bound, Text: s[t.From:t.End]}
	next := i + 1
	if t.Unit != nil {
		q.Of, q.measured = t.Unit.Of, true
		q.Low, q.High = order(t.Value*t.Unit.Low, t.Value*t.Unit.High)
	} else if next < len(toks) && toks[next].Kind == Word && toks[next].From-t.End <= 1 {
		w := toks[next]
		q.Of, q.plural = Singular(s[w.From:w.To])
		q.Text = s[t.From:w.To]
		q.named = i > 1 && toks[i-1].Kind == Word && isUpper(s[toks[i-1].From])
		next++
	}
	if u := perUnit(s, toks, next); u != nil {
		q.Of += "/" + u.Of
		q.Low, q.High = order(q.Low/u.High, q.High/u.Low)
	}
	if q.Bound == Exact {
		q.Bound = boundBehind(s, toks, next)
	}
	return q
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func order(a, b float64) (float64, float64) { return min(a, b), max(a, b) }

// perUnit gives the unit of time of a rate whose words begin at token i: /s,
// per minute, an hour.
func perUnit(s string, toks []Token, i int) *Unit {
	if i+1 >= len(toks) || toks[i+1].Kind != Word {
		return nil
	}
	if p := toks[i]; !(p.Kind == Mark && p.Mark == '/') {
		switch s[p.From:p.To] {
		case "per", "a", "an", "each", "every":
		default:
			return nil
		}
	}
	if u, ok := lookup(units, s[toks[i+1].From:toks[i+1].To]); ok && u.Of == "time" {
		return u
	}
	return nil
}

// boundBehind reads the limit that words at token i name: or less, max, +.
func boundBehind(s string, toks []Token, i int) Bound {
	for k := i; k < min(i+2, len(toks)); k++ {
		w := s[toks[k].From:toks[k].To]
		if k == i && w == "+" {
			return AtLeast
		}
		if k == i && w != "or" && w != "max" && w != "min" && w != "maximum" && w != "minimum" {
			break
		}
		if m, ok := lookup(meanings, w); ok && m.bound != Exact {
			return m.bound
		}
	}
	return Exact
}

// Singular gives the word for a counted thing in lower case and without the
// ending of a plural, and whether it had one.
func Singular(word string) (string, bool) {
	w := fold.Case(word)
	switch {
	case len(w) > 3 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y", true
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2], true
	case len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1], true
	}
	return w, false
}

// Parse reads a text that is nothing but one quantity: 1 hour, 5 MB, 3
// attempts, 10 requests per second, at most 5 MB, 99.5 %. Any words that are
// no unit are what is counted.
func Parse(s string) (Quantity, bool) {
	s = strings.TrimSpace(s)
	var buf [16]Token
	toks := Lex(s, buf[:0])
	i := 0
	for i < len(toks) && toks[i].Kind != Number {
		i++
	}
	if i == len(toks) || toks[i].Spelled || i > 0 && toks[i].Bound == Exact && !toks[i].Approx {
		return Quantity{}, false
	}
	q := of(s, toks, i)
	rest := strings.Trim(s[toks[i].End:], " .-")
	if toks[i].Unit != nil || rest == "" {
		return q, rest == "" || perUnit(s, toks, i+1) != nil && i+3 == len(toks)
	}
	q.Text = s
	what, per := rest, ""
	for _, by := range []string{"/", " per ", " an ", " a ", " each ", " every "} {
		if a, b, ok := strings.Cut(rest, by); ok {
			what, per = strings.TrimSpace(a), strings.TrimSpace(b)
			break
		}
	}
	q.Of = thing(what)
	q.Low, q.High = q.Value, q.Value
	if per == "" {
		return q, true
	}
	if u, ok := lookup(units, per); ok {
		q.Of += "/" + u.Of
		q.Low, q.High = order(q.Low/u.High, q.High/u.Low)
	} else {
		q.Of += "/" + thing(per)
	}
	return q, true
}

// thing is words for what is counted, the last in singular.
func thing(words string) string {
	f := strings.Fields(fold.Case(words))
	if len(f) > 0 {
		f[len(f)-1], _ = Singular(f[len(f)-1])
	}
	return strings.Join(f, " ")
}
