package arithmetic

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// sums checks the total that a sentence states of the numbers it lists: "18 on
// Saturday and 12 on Sunday, 30 in all". The list ends before a comma, and a
// word says that the number behind it is the total.
func (r *reader) sums() {
	for i := 0; i < len(r.toks); i++ {
		list, end := r.series(i)
		n := len(list)
		if n < 2 {
			continue
		}
		i = list[n-1]
		t := end + 1
		for t < end+4 && r.is(t, total|thatIs) {
			t++
		}
		switch {
		case n > 2 && r.totalBehind(i) && r.mark(i-1) == ',':
			r.sum(i, list[:n-1])
		case r.isMark(end, ",;:(-—") && r.count(t) && (r.is(t-1, total) || r.totalBehind(t)):
			r.sum(t, list)
		}
	}
}

// totalBehind tells whether the words behind the number at token i say that it
// is a total.
func (r *reader) totalBehind(i int) bool {
	k := r.skip(i+1, 3, total)
	return r.is(k, total) && !r.is(k, makes) || r.word(k-1) == "all" && r.word(k-2) == "in"
}

// series lists the numbers of one kind from token i on that commas or "and"
// part, each with words of its own, and gives the token behind the last words.
func (r *reader) series(i int) (list []int, end int) {
	for r.count(i) && len(list) < 32 && (len(list) == 0 || addable(&r.toks[i], &r.toks[list[0]])) {
		list, end = append(list, i), i+1
		for end < i+7 && r.word(end) != "" && r.low[end] != "and" && !r.is(end, stop|total) {
			end++
		}
		next := end
		for r.mark(next) == ',' || r.word(next) == "and" || next > end && r.word(next) == "the" {
			next++
		}
		if next == end {
			break
		}
		i = next
		if n := r.skip(i, 3, total); r.toks[list[0]].Unit != nil { // Redis 1.4 ms, script 0.3 ms
			i = n
		}
	}
	return list, end
}

// addable tells whether two numbers may be added: they have one unit, or are
// whole without one.
func addable(a, b *quantity.Token) bool {
	return a.Unit == b.Unit && (a.Unit != nil || a.Decimals == 0 && b.Decimals == 0)
}

// sum compares the number at token t with the sum of the parts. It may leave one
// of them out, or be of more or less than is listed, as it is where the error is
// a fifth of it.
func (r *reader) sum(t int, parts []int) {
	whole, sum := &r.toks[t], span{}
	for _, p := range parts {
		if x := &r.toks[p]; !addable(x, whole) || x.Value >= whole.Value || x.Value < 0 || x.Approx {
			return
		}
		sum = sum.add(spanOf(&r.toks[p]))
	}
	for _, p := range parts {
		if sum.sub(spanOf(&r.toks[p])).fits(whole) {
			return
		}
	}
	far := 5*math.Abs(sum.mid()-whole.Value) >= whole.Value
	if !whole.Approx && !sum.fits(whole) && !far && !r.ofOthers(t, parts) {
		r.finding("total", parts[0], t, t, sum.mid())
	}
}

// ofOthers tells whether the total at token t may be of more or less than the
// parts: the words between say so, or those behind it name one of the parts.
func (r *reader) ofOthers(t int, parts []int) bool {
	for i := parts[0]; i < min(t+4, len(r.toks)); i++ {
		named := i > t && r.low[i] != "" && slices.Contains(r.low[parts[0]:t], r.low[i])
		if named || r.is(i, partial) {
			return true
		}
	}
	return false
}
