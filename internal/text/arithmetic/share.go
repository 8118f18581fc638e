package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// shares checks the percentages that stand beside a part and its whole. If
// none of a line fits, and there are several or parts without a percentage,
// they are no shares: 9/12 (30 %).
func (r *reader) shares() {
	before, pairs, fits := len(r.found), 0, false
	for i := range r.toks {
		if !r.count(i) {
			continue
		}
		a, b, p := i, r.whole(i), -1
		if b > 0 {
			if r.mark(i+1) == '/' {
				pairs++
			}
			if p = r.shareBehind(b); p < 0 {
				p = r.shareBefore(i, b)
			}
		} else if a, b = r.partLater(i), i; a > 0 {
			p = r.shareBehind(a)
		}
		if p > 0 && r.share(a, b, min(i, p), p) {
			fits = true
		}
	}
	if !fits && pairs > 1 {
		r.found = r.found[:before]
	}
	r.stated()
	r.used()
}

// stated checks "300 of them are 20 % of the 2,500", whose part is the nearest
// figure of the kind before.
func (r *reader) stated() {
	for p := range r.toks {
		a, b := p-1, r.skip(p+2, 3, 0)
		if !r.figure(p) && r.word(a) != "up" || !percent(&r.toks[p]) || r.word(p+1) != "of" || !r.count(b) { // make up 20 %
			continue
		}
		if !r.is(a, thatIs|makes) && r.mark(a) != ',' {
			continue
		}
		for a--; r.word(a) != "" || r.number(a) && (r.toks[a].Spelled || r.toks[a].Unit != r.toks[b].Unit); a-- {
		}
		if r.count(a) && p-a <= 12 {
			r.share(a, b, a, p)
		}
	}
}

// count tells whether token i is a figure that may be a part or a whole.
func (r *reader) count(i int) bool {
	return r.figure(i) && !percent(&r.toks[i]) && !times(&r.toks[i])
}

// skip passes over at most n words from token i on that may stand inside a
// relation, until one of a class.
func (r *reader) skip(i, n int, until class) int {
	for ; n > 0 && r.word(i) != "" && !r.is(i, stop|until); n-- {
		i++
	}
	return i
}

// back is skip towards the start of the line.
func (r *reader) back(i, n int, until string) int {
	for ; n > 0 && r.word(i) != "" && r.word(i) != until; n-- {
		i--
	}
	return i
}

// whole gives the b of "a out of b", "a of the b", "a/b", whose a is token i;
// 0 if there is none.
func (r *reader) whole(i int) int {
	k := i + 1
	if r.mark(k) != '/' {
		for k < i+4 && r.word(k) != "of" && r.word(k) != "" {
			k++
		}
		if r.word(k) != "of" {
			return 0
		}
		k = r.skip(k+1, 2, 0) - 1
	}
	if !r.count(k + 1) {
		return 0
	}
	return k + 1
}

// partLater gives the a of "of the b forms, a (…", whose b is token i; 0 if
// there is none.
func (r *reader) partLater(i int) int {
	k, at := r.back(i-1, 3, "of"), r.skip(i+1, 4, 0)
	if r.word(k) != "of" || r.number(k-1) || r.mark(at) != ',' || !r.count(at+1) {
		return 0
	}
	return at + 1
}

// shareBehind gives the percentage that belongs to the pair that ends with
// token b, -1 if there is none.
func (r *reader) shareBehind(b int) int {
	k := r.skip(b+1, 4, thatIs)
	m, p := r.mark(k), k+1
	if r.is(k, thatIs) || r.is(k+1, thatIs|article) {
		p = r.skip(p, 4, 0)
	}
	switch {
	case k > b+1 && r.mark(b-1) == '/' && m == '=': // 3/5 of grade 0 = 97 %
	case !r.figure(p) || !percent(&r.toks[p]) || r.is(p+1, other) || r.mark(p+1) == '/':
	case m == '(' || m == '=' || r.is(k, thatIs):
		return p
	case (m == ',' || m == '-' || m == '—') && (r.is(k+1, thatIs|article) || p == k+1 && r.word(p+1) == ""):
		return p
	}
	return -1
}

// shareBefore gives the percentage of "p (a of b)", "p of users (a of b)",
// whose a is token i; -1 if there is none.
func (r *reader) shareBefore(i, b int) int {
	open, end := r.back(i-1, 1, ""), r.skip(b+1, 4, 0)
	p := r.back(open-1, 6, "")
	if r.mark(open) != '(' || r.mark(end) != ')' && r.mark(end) != ';' || !r.figure(p) || !percent(&r.toks[p]) || p < open-1 && r.word(p+1) != "of" {
		return -1
	}
	return p
}

// share compares the percentage at token p with what the part at a is of the
// whole at b, and tells whether it fits. What is left of the whole is another
// reading, and so is every other pair of numbers in the line.
func (r *reader) share(a, b, from, p int) bool {
	x, y, t := &r.toks[a], &r.toks[b], &r.toks[p]
	if !sameKind(x, y) || x.Unit.IsMoney() != y.Unit.IsMoney() || x.Value > y.Value || x.Value < 0 || y.Value == 0 || y.Spelled || x.Unit == nil && (fractional(x) || fractional(y)) || t.Value == 0 || t.Value == 100 || t.Signed || t.Value == x.Value || t.Value == y.Value { // a 30/70 split (30 % …)
		return false
	}
	v := measured(x).div(measured(y)).scale(100)
	left := exactly(100).sub(v)
	if v.near(t) || left.near(t) {
		return true
	}
	if math.Abs(left.mid()-t.Value) < math.Abs(v.mid()-t.Value) {
		v = left
	}
	var seen []float64
	for i := 0; i < len(r.toks) && len(seen) < 16; i++ {
		if n := &r.toks[i]; i != p && r.number(i) && n.Value > 0 {
			for _, m := range seen {
				if m != n.Value && exactly(100*min(m, n.Value)/max(m, n.Value)).near(t) {
					return false
				}
			}
			seen = append(seen, n.Value)
		}
	}
	r.finding("share", from, max(a, b, p), p, v.mid())
	return false
}

// fractional tells whether a number is not whole: 2.5, and not 2.5 million.
func fractional(t *quantity.Token) bool { return t.Value != math.Trunc(t.Value) }

// measured is of for a number that may be rounded though it is whole: 26 MB.
func measured(t *quantity.Token) span {
	if t.Unit == nil || t.Unit.IsMoney() || t.Decimals > 0 || t.Approx {
		return of(t)
	}
	h := min(t.Ulp/2, math.Abs(t.Value)/40)
	return span{t.Value - h, t.Value + h}
}

// near tells whether a number states a value, rounded up or down.
func (a span) near(t *quantity.Token) bool {
	return a.fits(t) || math.Abs(a.mid()-t.Value) < 1e-3*t.Value || a.lo < t.Value+t.Ulp && t.Value-t.Ulp < a.hi
}

// used checks "p % of the 2,500 and leaves 440".
func (r *reader) used() {
	for p := range r.toks {
		b := r.skip(p+2, 3, 0)
		if !r.figure(p) || !percent(&r.toks[p]) || r.word(p+1) != "of" || !r.count(b) {
			continue
		}
		k := r.skip(b+1, 3, leave)
		if r.mark(k) == ',' && r.word(k+1) == "which" {
			k = r.skip(k+2, 1, leave)
		}
		if !r.is(k, leave) || !r.count(k+1) || !sameKind(&r.toks[b], &r.toks[k+1]) {
			continue
		}
		whole := of(&r.toks[b])
		if v := whole.sub(of(&r.toks[k+1])).div(whole).scale(100); v.lo > 0 && !v.near(&r.toks[p]) {
			r.finding("share", p, k+1, p, v.mid())
		}
	}
}
