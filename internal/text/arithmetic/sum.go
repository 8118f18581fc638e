package arithmetic

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// sums checks the totals that a sentence states of what it lists: "3 new and 4
// old rules, 7 in all", "7 rules (3 new + 4 old)", "7 in total: 3 new, 4 old".
// What the list counts must fill its bracket or its sentence.
func (r *reader) sums() {
	for i := 0; i < len(r.toks); i++ {
		list, end := r.series(i)
		n := len(list)
		if n < 2 {
			continue
		}
		k := r.skip(end, 3, total)
		said := r.is(k, total) || r.word(k-1) == "all" && r.word(k-2) == "in"
		if n > 2 && said && !r.joined(list[n-2], list[n-1]) {
			r.sum(list[n-1], list[:n-1])
		} else if t, last := r.totalBefore(i), r.mark(r.skip(end, 6, 0)); t >= 0 && (last == ')' || last == '.') {
			r.sum(t, list)
		}
		i = list[n-1]
	}
}

// series lists the numbers of one kind from token i on that commas, plus signs
// or "and" part, and gives the token behind the last.
func (r *reader) series(i int) (list []int, end int) {
	for i < len(r.toks) && r.count(i) && len(list) < 32 && (len(list) == 0 || kindred(&r.toks[i], &r.toks[list[0]])) {
		list, end = append(list, i), i+1
		for i = end; i < end+6 && r.word(i) != "" && r.low[i] != "and" && !r.is(i, stop|total); {
			i++
		}
		link := i
		for r.mark(i) == ',' || r.mark(i) == '+' || r.word(i) == "and" {
			i++
		}
		if i == link {
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

// totalBefore gives the number of "7 rules (", "7 in total: " or "a total of 7
// rules: ", which ends before token i; -1 if there is none.
func (r *reader) totalBefore(i int) int {
	open := r.back(i-1, 1, "")
	k := r.back(open-1, 6, "")
	said := r.is(k-1, total) || r.is(k-2, total)
	for j := k; j < open && j > 0; j++ {
		said = said || r.is(j, total)
	}
	if !r.count(k) || r.mark(open) != '(' && !(said && r.mark(open) == ':') {
		return -1
	}
	return k
}

// sum compares the number at token t with the sum of the parts. It is sure if
// the line has no other number of the kind, the last parts are joined by "and"
// or a plus sign, none is written in words, no word says that the parts are not
// all, and the error is less than half.
func (r *reader) sum(t int, parts []int) {
	n, whole, sum := len(parts), &r.toks[t], span{}
	from, to := min(t, parts[0]), max(t, parts[n-1])
	for _, p := range parts {
		if x := &r.toks[p]; !kindred(x, whole) || x.Value >= whole.Value || x.Value < 0 || x.Approx || x.Spelled {
			return
		}
		sum = sum.add(of(&r.toks[p]))
	}
	for i := range r.toks {
		within := i >= from-2 && i <= to+3
		if r.number(i) && i != t && r.toks[i].Unit == whole.Unit && !slices.Contains(parts, i) || within && (r.is(i, partial) || r.mark(i) == '*') {
			return
		}
	}
	if (n > 3 || r.joined(parts[n-2], parts[n-1])) && !whole.Spelled && !whole.Approx && !sum.fits(whole) && 2*math.Abs(sum.mid()-whole.Value) < whole.Value {
		r.finding("total", from, to, t, sum.mid())
	}
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
