package arithmetic

import (
	"math"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// relation is a form in which a text states that one number follows from
// others. For the patterns see [macros].
type relation struct {
	kind    string
	pattern string
	at      int // which of its numbers follows; -1 is the last
	// read gives what the number may be, the likeliest first, from all
	// numbers; nothing if they do not belong together.
	read func(n []*quantity.Token) []span
}

var relationTable = []relation{
	{"share", "R ~4 ( ~3 P ~3 )", 2, share(0, 1)},
	{"share", "R ~4 , @thatis ~4 P !other", 2, share(0, 1)},
	{"share", "R ~4 , P [),.;]", 2, share(0, 1)},
	{"share", "R ~4 [-—] @thatis? ~3 P !other", 2, share(0, 1)},
	{"share", "R ~3 = P !other", 2, share(0, 1)},
	{"share", "R ~4 @equals P !other", 2, share(0, 1)},
	{"share", "P ( ~1 R ~4 [);]", 0, share(1, 2)},
	{"share", "P of ~5 ( ~1 R ~4 [);]", 0, share(1, 2)},
	{"share", "of ~3 N ~4 , N ~2 ( P )", 2, share(1, 0)},
	{"share", "of ~3 N ~4 , N ~3 [-—,:] @thatis ~4 P !other", 2, share(1, 0)},
	{"share", "P of ~3 N ~3 @equals N !more", 2, portion},
	{"share", "P of ~3 N ~3 ( N )", 2, portion},
	{"share", "P of ~2 N ~3 ,? and? ~1 leaves|leaving N", 0, used},
	{"change", "D ~3 ( V @change? )", 2, change},
	{"change", "D ~3 ( @change V )", 2, change},
	{"change", "D ~4 [,-—] @thatis? ~3 V !on", 2, change},
	{"change", "by V , D", 0, changeOf},
	{"change", "by V ( D", 0, changeOf},
	{"difference", "N ~4 , which? ~1 leaves|leaving N ~2 of ~2 N", 1, func(n []*quantity.Token) []span { return gap(n[2], n[0], n[1]) }},
	{"conversion", "V ~1 ( V )", 1, convert},
	{"conversion", "V , i.e|that|which .? is? V", 1, convert},
	{"total", "S ~3 [,(:—-] ~6 N ~3 @total", -1, sumOf(-1)},
	{"total", "S ~3 [,(:—-] ~6 N ~3 in all", -1, sumOf(-1)},
	{"total", "S ~3 [,(:—-] ~4 @total ~2 N", -1, sumOf(-1)},
	{"total", "@total ~2 N ~4 [:(,—-] ~3 S", 0, sumOf(0)},
	{"total", "N ~3 @total ~2 [:(,—-] ~3 S", 0, sumOf(0)},
	{"total", "N ~4 [:(] ~2 S", 0, sumOf(0)},
	{"total", "@total : N ,? ~2 S", 0, sumOf(0)},
	{"total", "adding ~3 S ~4 gives|makes|to N", -1, sumOf(-1)},
	{"mean", "mean|average of S @equals N", -1, meanOf},
	{"mean", "S ~3 [,(] ~2 @mean ~2 N", -1, meanOf},
}

// form is a compiled relation, with the classes of words that it needs.
type form struct {
	*relation
	elements []element
	needs    class
}

// hasPercent stands among the classes for a percentage.
const hasPercent class = 1 << 31

// forms are those that begin with a word, and those that begin with a number.
var forms = func() (out [2][]form) {
	for i := range relationTable {
		for _, p := range compile(relationTable[i].pattern) {
			k := 0
			if strings.IndexByte("NVPS", p[0].kind) >= 0 {
				k = 1
			}
			f := form{&relationTable[i], p, 0}
			for _, e := range p {
				if e.kind == 'P' {
					f.needs |= hasPercent
				} else if e.kind == '@' && !e.opt {
					f.needs |= e.of
				}
			}
			out[k] = append(out[k], f)
		}
	}
	return out
}()

// relations checks the line in hand against the table. If several shares of
// a line are wrong and none is right, they are no shares: 9/12 (30 %).
func (r *reader) relations() {
	before, fits, numbers, has := len(r.found), 0, 0, class(0)
	for i := range r.toks {
		if has |= r.cue[i]; r.number(i) {
			numbers++
			if percent(&r.toks[i]) {
				has |= hasPercent
			}
		}
	}
	for i := 0; i < len(r.toks) && numbers > 1; i++ {
		list := forms[0]
		if r.number(i) {
			list = forms[1]
		} else if r.cue[i] == 0 {
			continue
		}
		for k := range list {
			if list[k].needs&^has == 0 && r.relate(&list[k], i) {
				fits++
			}
		}
	}
	if fits == 0 && len(r.found) > before+1 && !slices.ContainsFunc(r.found[before:], func(f Finding) bool { return f.Kind != "share" }) {
		r.found = r.found[:before]
	}
}

// relate checks one relation at token i, and tells whether it is there and
// comes out.
func (r *reader) relate(f *form, i int) bool {
	var buf [8]int
	nums, ok := r.match(f.elements, i, buf[:0])
	if !ok {
		return false
	}
	n := make([]*quantity.Token, len(nums))
	for k, c := range nums {
		n[k] = &r.toks[c]
	}
	at, last := f.at, nums[len(nums)-1]
	if at < 0 {
		at = len(nums) - 1
	}
	readings := f.read(n)
	for _, v := range readings {
		if !v.finite() || v.fits(n[at]) || n[at].Value < 0 && v.scale(-1).fits(n[at]) {
			return true
		}
	}
	switch {
	case len(readings) == 0, f.kind == "conversion" && r.is(nums[0]-1, classes["span"]), f.kind == "change" && !r.changed(f, nums, n), (f.kind == "total" || f.kind == "mean") && !r.whole(nums, at):
	default:
		r.finding(f.kind, min(i, nums[0]), last, nums[at], readings[0].mid())
	}
	return false
}

// changed tells whether the text calls the third number a change: a word of
// change stands before or behind it, or a sign or a unit in parentheses.
func (r *reader) changed(f *form, nums []int, n []*quantity.Token) bool {
	if r.word(nums[2]+2) == "than" {
		return false
	}
	if f.at != 2 || f.pattern[len(f.pattern)-1] == ')' && (n[2].Unit != nil || n[2].Signed) {
		return true
	}
	for k := nums[1] + 1; k <= nums[2]+2; k++ {
		if r.is(k, changing) {
			return true
		}
	}
	return false
}

// whole tells whether a total or a mean is sure: the line has no other number
// of the kind, no word says that the parts are not all, two parts are joined
// by "and", and the number at nums[at] does not belong to the list.
func (r *reader) whole(nums []int, at int) bool {
	t, from, to := &r.toks[nums[at]], nums[0], nums[len(nums)-1]
	if t.Spelled || r.doc.Lines[r.at].Kind == markdown.Row {
		return false
	}
	for i := range r.toks {
		if r.number(i) && r.toks[i].Unit == t.Unit && !slices.Contains(nums, i) {
			return false
		}
		if i >= from-2 && i <= to && r.is(i, part) && r.word(i-1) != "the" && r.low[i] != "not" && r.low[i] != "remaining" {
			return false
		}
	}
	joined := func(a, b int) bool {
		for k := a + 1; k < b; k++ {
			if r.low[k] == "and" || r.mark(k) == '+' {
				return true
			}
		}
		return false
	}
	if n := len(nums); at == 0 {
		return (t.Unit != nil || r.word(from+1) != "" || r.is(from-1, classes["total"])) && (n > 3 || joined(nums[n-2], nums[n-1]))
	}
	return !joined(nums[at-1], nums[at])
}

// share is the percentage that number a is of number b. What is left of b is
// another reading.
func share(a, b int) func([]*quantity.Token) []span {
	return func(n []*quantity.Token) []span {
		for _, t := range n {
			if percent(t) && (t.Value == 0 || t.Value == 100 || t.Signed) { // 100 % complete (1/52)
				return nil
			}
		}
		if !sameKind(n[a], n[b]) || n[a].Value > n[b].Value || n[a].Value < 0 || n[a].Unit == nil && n[a].Decimals+n[b].Decimals > 0 {
			return nil
		}
		v := of(n[a]).div(of(n[b])).scale(100)
		return []span{v, exactly(100).sub(v)}
	}
}

// portion is n[0] percent of n[1].
func portion(n []*quantity.Token) []span {
	if n[1].Unit != n[2].Unit {
		return nil
	}
	v := of(n[0]).mul(of(n[1])).scale(0.01)
	return []span{v, of(n[1]).sub(v)}
}

// used is the percentage of n[1] that is gone if n[2] is left.
func used(n []*quantity.Token) []span {
	if !sameKind(n[1], n[2]) {
		return nil
	}
	return []span{of(n[1]).sub(of(n[2])).div(of(n[1])).scale(100)}
}

// change is by how much n[1] differs from n[0], in the form of n[2].
func change(n []*quantity.Token) []span {
	a, b, t := of(n[0]), of(n[1]), n[2]
	if !sameKind(n[0], n[1]) {
		return nil
	}
	diff := b.sub(a).abs()
	rel := diff.div(a).scale(100)
	switch {
	case percent(t) && percent(n[1]):
		return []span{rel, diff}
	case percent(t):
		return []span{rel}
	case times(t):
		v := []span{b.div(a), b.div(a).sub(exactly(1)), a.div(b)}
		if percent(n[1]) { // 14 times fewer failures
			c, d := exactly(100).sub(a), exactly(100).sub(b)
			v = append(v, c.div(d), d.div(c))
		}
		return v
	case percent(n[1]) && (t.Unit == nil || t.Unit.Of == "points"):
		return []span{diff, rel}
	}
	return gap(n[0], n[1], t)
}

func changeOf(n []*quantity.Token) []span {
	return change([]*quantity.Token{n[1], n[2], n[0]})
}

// gap is the difference of two numbers, in thousands too.
func gap(a, b, t *quantity.Token) []span {
	if !sameKind(a, b) || t.Unit != nil && t.Unit != a.Unit && t.Unit != b.Unit || t.Value == a.Value || t.Value == b.Value {
		return nil
	}
	d := of(b).sub(of(a)).abs()
	return []span{d, {1000 * (d.lo - 1), 1000 * (d.hi + 1)}}
}

// convert is n[0] in the unit of n[1], which is another of the same kind. Days
// may have 8 working hours and weeks 5 working days.
func convert(n []*quantity.Token) []span {
	a, b := n[0].Unit, n[1].Unit
	if a == nil || b == nil || a == b || a.Of != b.Of || a.IsMoney() || n[0].Spelled && n[1].Spelled {
		return nil
	}
	v := of(n[0]).mul(span{a.Low, a.High}).div(span{b.Low, b.High})
	if back := n[1].Value * b.Low / a.Low; math.Abs(back-n[0].Value) < 0.3*n[0].Ulp { // 3 minutes (191 s)
		return []span{of(n[1])}
	}
	return []span{v, v.scale(1.0 / 3), v.scale(5.0 / 7), v.scale(5.0 / 21)}
}

// ends parts the number that follows, the first or the last, from the others.
func ends(at int, n []*quantity.Token) (t *quantity.Token, parts []*quantity.Token) {
	if at == 0 {
		return n[0], n[1:]
	}
	return n[len(n)-1], n[:len(n)-1]
}

// sumOf is the sum of the listed numbers, or of all but the first or the last.
// A number of the list that is no less than the sum is no part of it.
func sumOf(at int) func([]*quantity.Token) []span {
	return func(n []*quantity.Token) []span {
		t, parts := ends(at, n)
		v := span{}
		for _, p := range parts {
			if !kindred(p, t) || p.Value >= t.Value || p.Value < 0 {
				return nil
			}
			v = v.add(of(p))
		}
		if len(parts) > 2 {
			return []span{v, v.sub(of(parts[0])), v.sub(of(parts[len(parts)-1]))}
		}
		return []span{v}
	}
}

func meanOf(n []*quantity.Token) []span {
	t, parts := ends(-1, n)
	v := span{}
	for _, p := range parts {
		if p.Unit != t.Unit {
			return nil
		}
		v = v.add(of(p))
	}
	return []span{v.scale(1 / float64(len(parts)))}
}
