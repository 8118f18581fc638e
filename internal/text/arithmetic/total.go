package arithmetic

import (
	"math"
	"strings"
)

// together checks the total that a sentence states of all other numbers in it,
// which stand before: "3 new and 4 old rules, 7 in all". The last two are joined
// by "and" or a plus sign.
func (r *reader) together() {
	at, parts, joined, link := -1, []int(nil), false, false
	for t := range r.toks {
		x := &r.toks[t]
		link = link || r.word(t) == "and" || r.mark(t) == '+'
		if r.is(t, partial) || at < 0 && len(parts) > 0 && r.is(t, stop) || r.number(t) && (at >= 0 || !r.count(t) || x.Approx || x.Spelled || x.Decimals > 0 || len(parts) > 0 && x.Unit != r.toks[parts[0]].Unit) {
			return
		}
		if !r.number(t) {
			continue
		}
		k := r.skip(t+1, 3, total)
		if said := r.is(k, total) || r.word(k-1) == "all" && r.word(k-2) == "in"; !said {
			parts, joined, link = append(parts, t), link, false
		} else if at = t; len(parts) < 2 || !joined || link || !strings.ContainsRune(",;:(-", max(' ', r.mark(t-1))) {
			return
		}
	}
	if at < 0 {
		return
	}
	sum := span{}
	for _, p := range parts {
		sum = sum.add(of(&r.toks[p]))
	}
	if x := &r.toks[at]; !sum.fits(x) && 2*math.Abs(sum.mid()-x.Value) < x.Value {
		r.finding("total", parts[0], at, at, sum.mid())
	}
}
