package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// shares checks the percentages that stand beside a part and its whole. If
// none of a line fits, and there are several or parts without a percentage,
// they are no shares: 9/12 (30 %).
func (r *reader) shares() {
	before, fractions, fits := len(r.found), 0, false
	for i := range r.toks {
		part, whole, p := r.triple(i)
		if r.mark(part+1) == '/' && whole > 0 {
			fractions++
		}
		if p >= 0 && r.share(part, whole, p) {
			fits = true
		}
	}
	if !fits && fractions > 1 {
		r.found = r.found[:before]
	}
}

// triple gives the part, the whole and the percentage that belong together, of
// which token i stands first, or is the percentage of "are 20 % of"; p is -1 if
// there is none.
func (r *reader) triple(i int) (part, whole, p int) {
	switch {
	case percent(&r.toks[i]):
		if part, whole = r.partBefore(i), r.skip(i+2, 3, 0); part >= 0 && r.word(i+1) == "of" && r.count(whole) {
			return part, whole, i
		}
	case !r.count(i):
	case r.wholeBehind(i) > 0:
		whole = r.wholeBehind(i)
		if p = r.shareBehind(whole); p < 0 {
			p = r.shareBefore(i, whole)
		}
		return i, whole, p
	case r.partBehind(i) > 0:
		part = r.partBehind(i)
		return part, i, r.shareBehind(part)
	}
	return 0, 0, -1
}

// count tells whether token i is a figure that may be a part or a whole.
func (r *reader) count(i int) bool { return r.figure(i) && !percent(&r.toks[i]) && !times(&r.toks[i]) }

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

// partBefore gives the part of "300 of them are 20 %", whose percentage is token
// p: the nearest count before; -1 if there is none.
func (r *reader) partBefore(p int) int {
	i := p - 1
	if !r.is(i, thatIs|makes) && r.word(i) != "up" {
		return -1
	}
	for r.word(i) != "" || r.number(i) && r.toks[i].Spelled {
		i--
	}
	if p-i > 12 || !r.count(i) {
		return -1
	}
	return i
}

// shareBehind gives the percentage that belongs to the pair that ends with
// token b, -1 if there is none.
func (r *reader) shareBehind(b int) int {
	k := r.skip(b+1, 4, thatIs)
	m, p := r.mark(k), k+1
	said := r.is(k, thatIs) || r.is(p, thatIs|article)
	if said {
		p = r.skip(p, 4, 0)
	}
	joined := m == '(' || m == '=' || r.is(k, thatIs)
	apart := (m == ',' || m == '-' || m == '—') && (said || r.word(p+1) == "")
	if !joined && !apart || !r.figure(p) || !percent(&r.toks[p]) || r.is(p+1, other) {
		return -1
	}
	return p
}

// shareBefore gives the percentage of "p (a of b)", "p of users (a of b)",
// whose a is token i; -1 if there is none.
func (r *reader) shareBefore(i, b int) int {
	open, end := r.skipBack(i-1, 1, ""), r.skip(b+1, 4, 0)
	p := r.skipBack(open-1, 6, "")
	bracketed := r.mark(open) == '(' && r.isMark(end, ");")
	if !bracketed || !r.figure(p) || !percent(&r.toks[p]) || p < open-1 && r.word(p+1) != "of" {
		return -1
	}
	return p
}

// share compares the percentage at token p with what the part at a is of the
// whole at b, and tells whether it fits. What is left of the whole is another
// reading.
func (r *reader) share(a, b, p int) bool {
	part, whole, t := &r.toks[a], &r.toks[b], &r.toks[p]
	split := t.Value == part.Value || t.Value == whole.Value // a 30/70 split (30 % …)
	if t.Signed || split || !isPart(part, whole) {
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
	r.finding("share", min(a, b, p), max(a, b, p), p, v.mid())
	return false
}

// isPart tells whether one number may be a part of another: they have one unit, or
// one of them has none. Without a unit both count things, and are whole.
func isPart(part, whole *quantity.Token) bool {
	alike := part.Unit == whole.Unit || !part.Unit.IsMoney() && whole.Unit == nil || part.Unit == nil && !whole.Unit.IsMoney()
	if !alike || part.Unit == nil && (fractional(part) || fractional(whole)) {
		return false
	}
	return 0 <= part.Value && part.Value <= whole.Value && whole.Value != 0 && !whole.Spelled
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
	return a.fits(t) || a.lo < t.Value+t.Ulp && t.Value-t.Ulp < a.hi
}
