package figures

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Bound says whether a number is a limit, and of which side.
type Bound uint8

// The bounds.
const (
	Exact   Bound = iota
	AtMost        // at most, below, up to, ≤
	AtLeast       // at least, more than, ≥
)

// Quantity is a number with what it counts or measures.
type Quantity struct {
	Value float64 // as written, with k, million and the like
	// Low and High are the value in the base unit of Of. They differ for units that
	// have no exact size: a month has 28 to 31 days, a MB 10⁶ or 2²⁰ bytes.
	Low, High float64
	// Of is what is measured (time, bytes, %, usd), the word for what is counted in
	// singular (request), or one of both per time (request/time).
	Of    string
	Bound Bound
}

// Range is what a quantity may be, in the base unit of Of.
type Range struct {
	Low, High float64
	Of        string
}

// Range gives the values that meet the quantity: all up to a limit, all from one on,
// and otherwise the value itself.
func (q Quantity) Range() Range {
	r := Range{q.Low, q.High, q.Of}
	switch q.Bound {
	case AtMost:
		r.Low = math.Inf(-1)
	case AtLeast:
		r.High = math.Inf(1)
	}
	return r
}

// And gives what both ranges allow; ok is false if they are of different things or
// nothing meets both.
func (r Range) And(o Range) (both Range, ok bool) {
	both = Range{max(r.Low, o.Low), min(r.High, o.High), r.Of}
	return both, r.Of == o.Of && below(both.Low, both.High)
}

// below tells whether a is at most b, but for what binary fractions lose.
func below(a, b float64) bool {
	return a <= b || a-b <= 1e-9*max(math.Abs(a), math.Abs(b)) && !math.IsInf(a, 0) && !math.IsInf(b, 0)
}

var (
	boundBehind = regexp.MustCompile(`(?i)^(?:(\+|or (?:more|longer|higher|above|over)\b|min(?:imum)?\b)|or (?:less|fewer|lower|below|under)\b|max(?:imum)?\b)`)
	about       = regexp.MustCompile(`(?i)(?:[~≈]|\b(?:about|roughly|approximately|around|nearly|almost|circa|ca)\.?) *$`)
)

// boundOf tells which limit the text around a number makes of it.
func boundOf(s string, n *num) Bound {
	before := s[max(0, n.from-60):n.from]
	if b := boundBefore(before[1+strings.LastIndexAny(before, ".;:,0123456789"):]); b != Exact {
		return b
	}
	behind := strings.TrimPrefix(s[n.end:min(len(s), n.end+16)], " ")
	if behind == "" || strings.IndexByte("+oOmM", behind[0]) < 0 {
		return Exact
	} else if m := boundBehind.FindStringSubmatch(behind); m == nil {
		return Exact
	} else if m[1] == "" {
		return AtMost
	}
	return AtLeast
}

// boundBefore looks for a limit in the last words before a number. Denied it is the
// other one: no more than.
func boundBefore(s string) Bound {
	words := strings.Fields(strings.ToLower(strings.TrimRight(s, ` "($€£*`)))
	denies := func(i int) bool { return i >= 0 && (words[i] == "no" || words[i] == "not" || words[i] == "never") }
	for i := len(words) - 1; i >= max(0, len(words)-5); i-- {
		w := strings.TrimLeft(words[i], `("*`)
		b := limits[w]
		if b == Exact && i > 0 && words[i-1] == "at" {
			b = limits["at "+w]
		} else if b == Exact { // a sign behind a word
			sign := strings.TrimSuffix(w, "=")
			_, size := utf8.DecodeLastRuneInString(sign)
			if sign = sign[len(sign)-size:]; strings.Contains("<>≤≥", sign) {
				b = limits[sign]
			}
		}
		switch {
		case b == Exact:
			continue
		case denies(i-1) || denies(i-2):
			return AtMost + AtLeast - b
		}
		return b
	}
	return Exact
}

// perTime reads what stands behind a number up to a rate: "requests per second", "/s".
// Without one per is nil.
func perTime(s string) (words string, per *unit, end int) {
	for at := 0; at < len(s) && !isDigit(s[at]); {
		e := wordAt(s, at)
		switch w := s[at:e]; {
		case s[at] == '/', (w == "per" || w == "a" || w == "an" || w == "each" || w == "every") && byteAt(s, e) == ' ':
			from := max(e, at+1)
			from += btoi(byteAt(s, from) == ' ')
			end = wordAt(s, from)
			if u := units[s[from:end]]; u.isTime() {
				return strings.TrimSpace(s[:at]), u, end
			}
			return "", nil, 0
		}
		at = max(e, at+1)
	}
	return "", nil, 0
}

// numbers lists the numbers of a text, in digits or in words, at most so many.
func numbers(s string, most int) (out []num) {
	end := 0
	for at := 0; at < len(s) && len(out) < most; {
		n, ok := num{from: at, to: wordAt(s, at), ulp: 1}, false
		if isDigit(s[at]) || s[at] == '.' && isDigit(byteAt(s, at+1)) {
			n, ok = numberAt(s, at)
		} else if n.value = spelled[strings.ToLower(s[at:n.to])]; n.value > 0 {
			n.measure(s)
			ok = true
		}
		if ok {
			n.from = max(n.from, end) // 5$5
			out, end = append(out, n), n.end
		}
		at = max(n.end, n.to, at+1)
	}
	return out
}

// quantityAt gives the quantity of a number without its bound, and whether a plural
// names what is counted.
func quantityAt(s string, n *num) (q Quantity, plural bool) {
	q = Quantity{Value: n.value, Low: n.value * n.size(), High: n.value * n.size()}
	if n.unit != nil {
		q.Of, q.High = n.unit.of, n.value*n.unit.high
	} else if w := strings.TrimLeft(s[n.end:], " -\u00a0"); len(w) < len(s)-n.end {
		q.Of, plural = singular(w[:wordAt(w, 0)])
	}
	if words, per, _ := perTime(s[n.end:min(len(s), n.end+60)]); per != nil && (n.unit == nil || words == "") {
		q.Of, q.Low, q.High = q.Of+"/time", q.Low/per.high, q.High/per.low
	}
	return q, plural
}

// singular gives the word for a counted thing in lower case and without the ending of
// a plural, and whether it had one.
func singular(w string) (string, bool) {
	w = fold.Case(w)
	for _, end := range [][2]string{{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(w, end[0]); ok && stem != "" {
			return stem + end[1], end[0] != end[1]
		}
	}
	return w, false
}

// Parse reads a text that is nothing but one quantity in digits: 1 hour, 3 attempts,
// 10 requests per second, at most 5 MB, 99.5 %. Any words that are no unit are what is
// counted.
func Parse(s string) (Quantity, bool) {
	s = strings.TrimSpace(s)
	all := numbers(s, 1)
	if len(all) == 0 || !hasDigit(s[all[0].from:all[0].to]) {
		return Quantity{}, false
	}
	n := &all[0]
	q, _ := quantityAt(s, n)
	q.Bound = boundOf(s, n)
	rest := strings.Trim(s[n.end:], " .-")
	words, _, end := perTime(s[n.end:])
	switch {
	case n.from > 0 && q.Bound == Exact && !about.MatchString(s[:n.from]):
		return Quantity{}, false
	case rest == "" || strings.HasSuffix(q.Of, "/time") && n.unit != nil && n.end+end == len(s):
		return q, true
	case n.unit != nil:
		return q, false
	case strings.HasSuffix(q.Of, "/time"):
		q.Of, _ = singular(words)
		q.Of += "/time"
		return q, true
	}
	q.Of, _ = singular(strings.Join(strings.Fields(rest), " "))
	return q, true
}

// bareFrom is the number from which one is recognised without its unit: a smaller one
// stands in too many other places.
const bareFrom = 10

// maxAsked is how many numbers of a phrase are looked for.
const maxAsked = 30

// asked lists the quantities of a phrase that a text can be searched for: what is
// measured, what is counted and named by a plural, and large numbers.
func asked(phrase string) (out []Quantity) {
	for _, n := range numbers(phrase, maxAsked) {
		q, plural := quantityAt(phrase, &n)
		if q.Value > 0 && (n.unit != nil || q.Value == math.Trunc(q.Value) && len(q.Of) > 2 && (plural || q.Value >= bareFrom)) {
			q.Bound = boundOf(phrase, &n)
			out = append(out, q)
		}
	}
	return out
}

// Has tells whether a phrase has a quantity that [States] looks for.
func Has(phrase string) bool { return len(asked(phrase)) > 0 }

// Stated is what a text states, its code included.
type Stated struct {
	facts map[string]map[fact]bool // by what is measured or counted
	bare  map[float64]bool         // numbers in digits; true without a unit
}

type fact struct {
	low, high float64
	limit     Bound
}

// maxStated is how many numbers of a text are read.
const maxStated = 20_000

// Index reads the numbers of a text, for any number of phrases.
func Index(doc *markdown.Doc) *Stated {
	t, count := &Stated{map[string]map[fact]bool{}, map[float64]bool{}}, 0
	for i := 0; i < len(doc.Lines) && count < maxStated; i++ {
		s := doc.Lines[i].Text
		all := numbers(s, maxStated-count)
		count += len(all)
		for j := range all {
			t.add(s, &all[j])
		}
	}
	return t
}

// add adds a number of a text: 0.95 may be 95 %, and m a minute.
func (t *Stated) add(s string, n *num) {
	if isDigit(s[n.to-1]) {
		t.bare[n.value] = t.bare[n.value] || n.unit == nil
	}
	q, _ := quantityAt(s, n)
	limit := boundOf(s, n)
	put := func(of string, low, high float64) {
		if t.facts[of] == nil {
			t.facts[of] = map[fact]bool{}
		}
		t.facts[of][fact{low, high, limit}] = true
	}
	put(q.Of, q.Low, q.High)
	if n.unit == nil && n.value <= 1 && n.decimals > 0 {
		put("%", 100*n.value, 100*n.value)
	} else if s[n.to:n.end] == "m" {
		put("time", 60*n.value, 60*n.value)
	}
}

// States tells whether the text states a quantity of a phrase: the same number of the
// same thing (3 attempts), what is measured in any unit (1 hour is 60 minutes or 3600,
// 5 requests per second are 300 per minute, 95 % is 0.95), or a number from 10 without
// its unit. A limit is met by a figure of the same kind on its side: "at least 95 %" by
// 97 % or ≥ 95 %, and not by 12 % or "at most 97 %". Of several quantities one suffices.
// Nothing is wanted if [Has] finds none.
func (t *Stated) States(phrase string) (stated, wanted bool) {
	all := asked(phrase)
	return slices.ContainsFunc(all, t.states), len(all) > 0
}

func (t *Stated) states(q Quantity) bool {
	if _, ok := t.bare[q.Value]; ok && q.Value >= bareFrom && q.Of != "%" {
		return true
	}
	if q.Of == "time" && q.Bound == Exact && (t.bare[q.Low] && q.Low >= 60 || t.bare[1000*q.Low] && q.Low >= 0.06) { // seconds
		return true
	}
	for f := range t.facts[q.Of] {
		if (q.Bound == AtMost || below(q.Low, f.high)) && (q.Bound == AtLeast || below(f.low, q.High)) &&
			(q.Bound == Exact || f.limit == Exact || f.limit == q.Bound) {
			return true
		}
	}
	return false
}
