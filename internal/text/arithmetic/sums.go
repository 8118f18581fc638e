package arithmetic

import (
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// aggregates are what a word says of the numbers beside it.
var aggregates = []struct {
	class string
	least int // numbers that it takes
	f     func([]span) span
}{
	{"total", 2, total},
	{"mean", 2, mean},
	{"median", 3, median},
	{"max", 3, functions["max"]},
	{"min", 3, functions["min"]},
}

// sums checks totals, means and the like of numbers that the line lists:
// "3 apples and 4 pears, 7 in total", "9 files: 3 new, 4 changed and 2
// removed". It is sure only if the line has no other number of the kind.
func (r *reader) sums() {
	if r.doc.Lines[r.at].Kind == markdown.Row {
		return
	}
	var buf [32]int
	figures := buf[:0]
	for i := range r.toks {
		if r.number(i) {
			if len(figures) == cap(buf) {
				return
			}
			figures = append(figures, i)
		}
	}
	if len(figures) < 3 {
		return
	}
	for _, a := range aggregates {
		for i := range r.toks {
			if !(r.is(i, a.class) || a.class == "total" && r.low[i] == "all" && i > 0 && r.low[i-1] == "in") || i > 0 && r.is(i-1, a.class) {
				continue
			}
			if a.class != "total" && i > 0 && len(r.low[i-1]) > 3 { // the global average
				continue
			}
			if i > 1 && r.low[i-1] == "a" && r.low[i-2] == "of" { // out of a total
				continue
			}
			if at := r.result(i, a.class); at >= 0 && !r.toks[at].Spelled {
				r.aggregate(a.class, a.least, a.f, at, figures)
			}
		}
	}
	r.breakdown(figures)
}

// result gives the number that the word at token i is about: the one up to
// three words behind it, or the one just before it. It is -1 if there is none.
func (r *reader) result(i int, class string) int {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if r.figure(k) {
			if class == "total" && !percent(&r.toks[k]) && (k == i-1 || r.closed(i)) {
				return k
			}
			break
		}
		if !r.filler(k) || r.low[k] == "and" {
			break
		}
	}
	if i+1 < len(r.low) && r.low[i+1] == "of" { // the mean of 4, 6 and 11 is 7
		for k := i + 2; k < len(r.toks)-1; k++ {
			if (r.is(k, "equals") || r.low[k] == "was" || r.mark(k) == '=') && r.figure(k+1) && r.number(i+2) {
				return k + 1
			}
		}
	}
	for k, words := i+1, 0; k < len(r.toks) && words < 4; k++ {
		if r.figure(k) {
			return k
		}
		if m := r.mark(k); m != 0 && m != ':' && m != ',' && m != '=' || m == ',' && words > 0 {
			return -1
		}
		if r.mark(k) == 0 {
			words++
			if r.number(k) || r.is(k, "part") {
				return -1
			}
		}
	}
	return -1
}

// closed tells whether a clause may end behind token i.
func (r *reader) closed(i int) bool {
	return i+1 >= len(r.toks) || r.toks[i+1].Kind == quantity.Mark || r.toks[i+1].Kind == quantity.Word
}

// aggregate compares the number at token at with what the other numbers of its
// kind come to.
func (r *reader) aggregate(class string, least int, f func([]span) span, at int, figures []int) {
	t := &r.toks[at]
	var parts []int
	for _, k := range figures {
		if k == at || percent(&r.toks[k]) != percent(t) {
			continue
		}
		if !r.figure(k) || !kindred(&r.toks[k], t) || times(&r.toks[k]) {
			return
		}
		parts = append(parts, k)
	}
	if len(parts) < least || !r.series(parts, at) || r.is(at+1, "other") {
		return
	}
	if class == "total" && slices.ContainsFunc(parts, func(k int) bool { return r.toks[k].Value > t.Value || r.toks[k].Value == t.Value && len(parts) > 1 }) {
		return
	}
	if n := len(parts); parts[n-1] < at && r.joined([]int{parts[n-1], at}) {
		return // 3 proposals, 5 addresses and 20 votes in total
	}
	if parts[0] > at && !r.opened(at, parts[0]) {
		return
	}
	if class == "total" && parts[0] > at && len(parts) == 2 && !r.joined(parts) {
		return
	}
	r.compare(class, f, at, parts)
}

// opened tells whether a mark stands between a number and its parts.
func (r *reader) opened(at, part int) bool {
	for k := at + 1; k < part; k++ {
		if m := r.mark(k); m == ':' || m == '(' || m == ',' || m == '-' {
			return true
		}
	}
	return false
}

// kindred tells whether a number may be added to t: it has its unit, and bare
// numbers are whole.
func kindred(a, t *quantity.Token) bool {
	return a.Unit == t.Unit && (a.Decimals == 0 && t.Decimals == 0 || a.Unit != nil)
}

// compare reports the number at token at unless the parts, or all but the
// first or the last of them, come to it.
func (r *reader) compare(class string, f func([]span) span, at int, parts []int) {
	values := make([]span, len(parts))
	for i, k := range parts {
		values[i] = of(&r.toks[k])
	}
	t := &r.toks[at]
	v := f(values)
	if v.fits(t) || v.hi == 0 || percent(t) && class != "mean" && class != "total" {
		return
	}
	if n := len(values); class == "total" && n > 2 && (f(values[1:]).fits(t) || f(values[:n-1]).fits(t)) {
		return
	}
	from, to := min(at, parts[0]), max(at, parts[len(parts)-1])
	for k := from; k <= to; k++ {
		if r.is(k, "part") && !(r.low[k] == "remaining" || r.low[k] == "not" || k > 0 && r.low[k-1] == "the") {
			return
		}
	}
	r.finding(class, from, to, at, v.mid())
}

// series tells whether numbers are listed: each two are parted by a comma, a
// semicolon, a plus sign or "and", the number at token at standing outside.
func (r *reader) series(parts []int, at int) bool {
	if at > parts[0] && at < parts[len(parts)-1] {
		return false
	}
	for i := 1; i < len(parts); i++ {
		links, depth := 0, 0
		for k := parts[i-1] + 1; k < parts[i]; k++ {
			switch m := r.mark(k); {
			case m == '(':
				depth++
			case m == ')':
				depth--
			case depth != 0 || r.number(k):
			case m == ',' || m == '+' || r.low[k] == "and" || r.low[k] == "&" || r.low[k] == "plus":
				links++
			case m == ':':
			case m != 0 || r.is(k, "stop") && r.low[k] != "with":
				return false
			}
		}
		if depth != 0 || links == 0 || links > 2 || parts[i]-parts[i-1] > 12 {
			return false
		}
	}
	return true
}

// joined tells whether "and" or a plus sign stands before the last of the
// numbers, which says that there are no more.
func (r *reader) joined(parts []int) bool {
	n := len(parts)
	for k := parts[n-2] + 1; k < parts[n-1]; k++ {
		if r.low[k] == "and" || r.mark(k) == '+' {
			return true
		}
	}
	return false
}

// breakdown checks "11 files: 3 new, 4 changed and 2 removed", which names no
// total: a number, its noun, and then all other numbers as one closed list.
func (r *reader) breakdown(figures []int) {
	var plain []int
	for _, k := range figures {
		if !percent(&r.toks[k]) {
			plain = append(plain, k)
		}
	}
	if len(plain) < 3 || len(plain) < len(figures) {
		return
	}
	at, parts := plain[0], plain[1:]
	t := &r.toks[at]
	for _, k := range plain {
		if !r.figure(k) || !kindred(&r.toks[k], t) || times(&r.toks[k]) || r.toks[k].Decimals > 0 || r.toks[k].Value > t.Value {
			return
		}
	}
	k := at + 1
	for k < parts[0] && r.filler(k) && k < at+5 {
		k++
	}
	opener, nouns := r.mark(k), k > at+1 || t.Unit != nil
	if k+3 < parts[0] || r.open(at) {
		return
	}
	if (opener != ':' && opener != '(') || t.Spelled || r.is(k+1, "part") || !nouns || !r.series(parts, at) {
		return
	}
	if !r.joined(parts) && (len(parts) < 3 || opener != ':') {
		return
	}
	r.compare("total", total, at, parts)
}
