package arithmetic

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// shares checks the percentages that stand beside a part and its whole. If
// none of a line fits, and there are several or parts without a percentage,
// they are no shares: 9/12 (30 %).
func (r *reader) shares() {
	before, fractions, fits := len(r.found), 0, false
	for i := range r.toks {
		if !r.count(i) {
			continue
		}
		part, whole, p := i, r.wholeBehind(i), -1
		if whole > 0 {
			if r.mark(i+1) == '/' {
				fractions++
			}
			if p = r.shareBehind(whole); p < 0 {
				p = r.shareBefore(i, whole)
			}
		} else if part, whole = r.partBehind(i), i; part > 0 {
			p = r.shareBehind(part)
		}
		if p >= 0 && r.share(part, whole, min(i, p), p) {
			fits = true
		}
	}
	if !fits && fractions > 1 {
		r.found = r.found[:before]
	}
	r.sharesOfWhole()
	r.remainders()
}

// sharesOfWhole checks "300 of them are 20 % of the 2,500", whose part is the
// nearest figure of the kind before.
func (r *reader) sharesOfWhole() {
	for p := range r.toks {
		part, whole := p-1, r.skip(p+2, 3, 0)
		if !r.figure(p) && r.word(part) != "up" || !percent(&r.toks[p]) || r.word(p+1) != "of" || !r.count(whole) { // make up 20 %
			continue
		}
		if !r.is(part, thatIs|makes) && r.mark(part) != ',' {
			continue
		}
		for part--; r.word(part) != "" || r.number(part) && (r.toks[part].Spelled || r.toks[part].Unit != r.toks[whole].Unit); part-- {
		}
		if r.count(part) && p-part <= 12 {
			r.share(part, whole, part, p)
		}
	}
}

// count tells whether token i is a figure that may be a part or a whole.
func (r *reader) count(i int) bool { return r.figure(i) && !percent(&r.toks[i]) && !times(&r.toks[i]) }

// percentage tells whether token i is a figure in percent.
func (r *reader) percentage(i int) bool { return r.figure(i) && percent(&r.toks[i]) }

// skip passes over at most n words from token i on that may stand inside a
// relation, until one of a class.
func (r *reader) skip(i, n int, until class) int {
	for ; n > 0 && r.word(i) != "" && !r.is(i, stop|until); n-- {
		i++
	}
	return i
}

// skipBack passes over at most n words from token i towards the start of the
// line, until one word.
func (r *reader) skipBack(i, n int, until string) int {
	for ; n > 0 && r.word(i) != "" && r.word(i) != until; n-- {
		i--
	}
	return i
}

// wholeBehind gives the whole of "part out of whole", "part of the whole" and
// "part/whole", whose part is token i; 0 if there is none.
func (r *reader) wholeBehind(i int) int {
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

// partBehind gives the part of "of the whole forms, part (…", whose whole is
// token i; 0 if there is none.
func (r *reader) partBehind(i int) int {
	k, at := r.skipBack(i-1, 3, "of"), r.skip(i+1, 4, 0)
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
	case !r.percentage(p) || r.is(p+1, other) || r.mark(p+1) == '/':
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
	open, end := r.skipBack(i-1, 1, ""), r.skip(b+1, 4, 0)
	p := r.skipBack(open-1, 6, "")
	bracketed := r.mark(open) == '(' && (r.mark(end) == ')' || r.mark(end) == ';')
	if !bracketed || !r.percentage(p) || p < open-1 && r.word(p+1) != "of" {
		return -1
	}
	return p
}

// share compares the percentage at token p with what the part at a is of the
// whole at b, and tells whether it fits. What is left of the whole is another
// reading, and so is every other pair of numbers in the line.
func (r *reader) share(a, b, from, p int) bool {
	part, whole, t := &r.toks[a], &r.toks[b], &r.toks[p]
	noShare := t.Value == 0 || t.Value == 100 || t.Signed    // none, all, a change
	split := t.Value == part.Value || t.Value == whole.Value // a 30/70 split (30 % …)
	if noShare || split || !isPart(part, whole) {
		return false
	}
	v := measured(part).div(measured(whole)).scale(100)
	left := exactly(100).sub(v)
	if v.near(t) || left.near(t) {
		return true
	}
	if 4*math.Abs(left.mid()-t.Value) < math.Abs(v.mid()-t.Value) { // 3 h of 40 h, 85 % less
		v = left
	}
	if !r.otherPair(p) {
		r.finding("share", from, max(a, b, p), p, v.mid())
	}
	return false
}

// isPart tells whether one number may be a part of another. Without a unit both
// count things, and are whole.
func isPart(part, whole *quantity.Token) bool {
	if part.Unit == nil && (fractional(part) || fractional(whole)) || part.Unit.IsMoney() != whole.Unit.IsMoney() {
		return false
	}
	return sameKind(part, whole) && 0 <= part.Value && part.Value <= whole.Value && whole.Value != 0 && !whole.Spelled
}

// otherPair tells whether two numbers of the line, of the first 16, make the
// percentage at token p.
func (r *reader) otherPair(p int) bool {
	t := &r.toks[p]
	var seen []float64
	for i := 0; i < len(r.toks) && len(seen) < 16; i++ {
		if n := r.toks[i].Value; i != p && r.number(i) && n > 0 {
			if slices.ContainsFunc(seen, func(m float64) bool { return m != n && exactly(100*min(m, n)/max(m, n)).near(t) }) {
				return true
			}
			seen = append(seen, n)
		}
	}
	return false
}

// fractional tells whether a number is not whole: 2.5, and not 2.5 million.
func fractional(t *quantity.Token) bool { return t.Value != math.Trunc(t.Value) }

// measured is spanOf for a number that may be rounded though it is whole: 26 MB.
func measured(t *quantity.Token) span {
	if t.Unit == nil || t.Unit.IsMoney() {
		return spanOf(t)
	}
	return rounded(t)
}

// near tells whether a number states a value, rounded up or down.
func (a span) near(t *quantity.Token) bool {
	return a.fits(t) || math.Abs(a.mid()-t.Value) < 1e-3*t.Value || a.lo < t.Value+t.Ulp && t.Value-t.Ulp < a.hi
}

// remainders checks "p % of the 2,500 and leaves 440".
func (r *reader) remainders() {
	for p := range r.toks {
		b := r.skip(p+2, 3, 0)
		if !r.percentage(p) || r.word(p+1) != "of" || !r.count(b) {
			continue
		}
		k := r.skip(b+1, 3, leave)
		if r.mark(k) == ',' && r.word(k+1) == "which" {
			k = r.skip(k+2, 1, leave)
		}
		if !r.is(k, leave) || !r.count(k+1) || !sameKind(&r.toks[b], &r.toks[k+1]) {
			continue
		}
		whole := spanOf(&r.toks[b])
		if v := whole.sub(spanOf(&r.toks[k+1])).div(whole).scale(100); v.lo > 0 && !v.near(&r.toks[p]) {
			r.finding("share", p, k+1, p, v.mid())
		}
	}
}
