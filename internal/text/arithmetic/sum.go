package arithmetic

import (
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// sums checks the totals that a sentence states of what it lists: "3 new and 4
// old rules, 8 in all", "8 rules (3 new + 4 old)", "8 in total: 3 new, 4 old".
func (r *reader) sums() {
	for i := 0; i < len(r.toks); i++ {
		list, end := r.series(i)
		n := len(list)
		if n < 2 {
			continue
		}
		switch k := r.skip(end, 3, total); {
		case n > 2 && !r.joined(list[n-2], list[n-1]) && (r.is(k, total) || r.word(k) == "in" && r.word(k+1) == "all"):
			r.sum(list[n-1], list[:n-1])
		case r.mark(end) != 0 && r.totalBehind(end) > 0:
			r.sum(r.totalBehind(end), list)
		case r.totalBefore(i) >= 0:
			r.sum(r.totalBefore(i), list)
		}
		i = list[n-1]
	}
}

// series lists the numbers of one kind from token i on that commas, plus signs
// or "and" part, and gives the token behind their words.
func (r *reader) series(i int) (list []int, end int) {
	for i < len(r.toks) && r.count(i) && len(list) < 32 && (len(list) == 0 || kindred(&r.toks[i], &r.toks[list[0]])) {
		list = append(list, i)
		end = i + 1
		for n := 0; n < 6 && r.word(end) != "" && r.low[end] != "and" && !r.is(end, stop|total); n++ {
			end++
		}
		for i = end; r.mark(i) == ',' || r.mark(i) == '+' || r.word(i) == "and" || r.word(i) == "plus"; {
			i++
		}
		if i == end {
			break
		}
		i = r.skip(i, 4, total)
	}
	return list, end
}

// kindred tells whether a number may be added to t: it has its unit, and bare
// numbers are whole.
func kindred(a, t *quantity.Token) bool {
	return a.Unit == t.Unit && (a.Unit != nil || a.Decimals == 0 && t.Decimals == 0)
}

// totalBehind gives the number of "(8 in total" or ", a total of 8", which
// begins with the mark at token i; -1 if there is none.
func (r *reader) totalBehind(i int) int {
	k := r.skip(i+1, 4, total)
	if said := r.is(k, total); said {
		k = r.skip(k+1, 2, 0)
		if r.count(k) {
			return k
		}
		return -1
	}
	if e := r.skip(k+1, 3, total); r.count(k) && r.is(e, total) {
		return k
	}
	return -1
}

// totalBefore gives the number of "8 rules (", "8 in total: " or "a total of 8
// rules: ", which ends before token i; -1 if there is none.
func (r *reader) totalBefore(i int) int {
	k := i - 1
	if r.word(k) != "" {
		k--
	}
	m, said := r.mark(k), false
	for k--; k >= 0 && k > i-8 && r.word(k) != ""; k-- {
		said = said || r.is(k, total)
	}
	said = said || r.is(k-1, total) || r.is(k-2, total)
	if !r.count(k) || m != '(' && !(said && m == ':') {
		return -1
	}
	return k
}

// sum compares the number at token t with the sum of the parts. It is sure if
// the line has no other number of the kind, the last parts are joined by "and"
// or a plus sign, and no word says that the parts are not all.
func (r *reader) sum(t int, parts []int) {
	n, whole, sum := len(parts), &r.toks[t], span{}
	from, to := min(t, parts[0]), max(t, parts[n-1])
	for _, p := range parts {
		if !kindred(&r.toks[p], whole) || r.toks[p].Value >= whole.Value || r.toks[p].Value < 0 || r.toks[p].Approx {
			return
		}
		sum = sum.add(of(&r.toks[p]))
	}
	for i := range r.toks {
		if r.number(i) && i != t && r.toks[i].Unit == whole.Unit && !slices.Contains(parts, i) || i >= from-2 && i <= to && (r.is(i, partial) || r.mark(i) == '*' || r.low[i] == "x1" || r.low[i] == "x2") {
			return
		}
	}
	if n < 4 && !r.joined(parts[n-2], parts[n-1]) || whole.Spelled || whole.Approx || sum.fits(whole) {
		return
	}
	r.finding("total", from, to, t, sum.mid())
}

// joined tells whether "and" or a plus sign stands between two tokens.
func (r *reader) joined(a, b int) bool {
	for k := a + 1; k < b; k++ {
		if r.low[k] == "and" || r.mark(k) == '+' {
			return true
		}
	}
	return false
}
