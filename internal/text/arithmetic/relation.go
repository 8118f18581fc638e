package arithmetic

import (
	"slices"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// relation is a form in which a text states that one number follows from
// others.
type relation struct {
	kind    string
	pattern string
	at      int // which of its numbers follows
	// read gives what the number may be, the likeliest first, from all
	// numbers of the pattern; nothing if they do not belong together.
	read func(n []*quantity.Token) []span
}

// relationTable are the relations that are read in sentences, items and
// cells. R is "a of b" or a/b, D is "from a to b" or a → b.
var relationTable = []relation{
	{"share", "R ~4 ( ~3 P ~3 )", 2, share(0, 1)},
	{"share", "R ~4 , @thatis ~4 P !other", 2, share(0, 1)},
	{"share", "R ~4 , P [),.;]", 2, share(0, 1)},
	{"share", "R ~4 - @thatis? ~3 P !other", 2, share(0, 1)},
	{"share", "R ~3 [=] P !other", 2, share(0, 1)},
	{"share", "R ~4 @equals P !other", 2, share(0, 1)},
	{"share", "P ( ~1 R ~4 [);]", 0, share(1, 2)},
	{"share", "P of ~5 ( ~1 R ~4 [);]", 0, share(1, 2)},
	{"share", "of ~3 N ~4 , N ~2 ( P )", 2, share(1, 0)},
	{"share", "of ~3 N ~4 , N ~3 [-,:] @thatis ~4 P !other", 2, share(1, 0)},
	{"share", "P of ~3 N ~3 @equals N !more", 2, portion},
	{"share", "P of ~3 N ~3 ( N )", 2, portion},
	{"share", "P of ~3 N ~3 , @thatis N", 2, portion},
	{"share", "P of ~2 N ~3 ,? and? ~1 leaves|leaving N", 0, used},
	{"change", "D ~3 ( ~2 V !on ~3 )", 2, change},
	{"change", "D ~4 [,-] @thatis? ~6 V !on", 2, change},
	{"change", "by V , D", 0, changeOf},
	{"change", "by V ( D", 0, changeOf},
	{"difference", "@change between V ~2 and V ~3 @equals V", 2, change},
	{"difference", "V ~3 , up|down V from V", 1, func(n []*quantity.Token) []span { return gap(n[0], n[2], n[1]) }},
	{"difference", "N ~4 , which? ~1 leaves|leaving N ~2 of ~2 N", 1, func(n []*quantity.Token) []span { return gap(n[2], n[0], n[1]) }},
	{"difference", "gap ~4 ( N ~1 ) and ~3 ( N ~1 ) is N", 2, change},
	{"total", "adding ~3 N ~3 and ~3 N ~4 gives|makes|to N", 2, func(n []*quantity.Token) []span { return []span{of(n[0]).add(of(n[1]))} }},
	{"conversion", "V ~1 ( V )", 1, convert},
	{"conversion", "V ~1 , @thatis V", 1, convert},
	{"conversion", "V , or V", 1, convert},
	{"product", "N ~2 with|of|at N ~2 each [,(]? ~4 N ~3 @total", 2, each},
}

type form struct {
	*relation
	elements []element
}

// forms are the compiled relations, by the first token that they may begin
// with: a number or a word.
var numberForms, wordForms = func() (numbers, words []form) {
	for i := range relationTable {
		rel := &relationTable[i]
		for _, p := range compile(rel.pattern) {
			if k := p[0].kind; k == 'N' || k == 'V' || k == 'P' {
				numbers = append(numbers, form{rel, p})
			} else {
				words = append(words, form{rel, p})
			}
		}
	}
	return numbers, words
}()

// relations checks the line in hand against the table.
func (r *reader) relations() {
	numbers := 0
	for i := range r.toks {
		if r.toks[i].Kind == quantity.Number {
			numbers++
		}
	}
	if numbers < 2 {
		return
	}
	before, fits := len(r.found), 0
	for i := range r.toks {
		forms := wordForms
		switch r.toks[i].Kind {
		case quantity.Number:
			forms = numberForms
		case quantity.Mark:
			continue
		default:
			if len(cues[r.low[i]]) == 0 {
				continue
			}
		}
		for k := range forms {
			if r.relate(&forms[k], i) {
				fits++
			}
		}
	}
	if fits == 0 && len(r.found) > before+1 && !slices.ContainsFunc(r.found[before:], func(f Finding) bool { return f.Kind != "share" }) {
		r.found = r.found[:before] // 9/12 (30 %), 12/15 (48 %): they are no shares
	}
}

// relate checks one relation at token i, and tells whether it is there and
// comes out.
func (r *reader) relate(f *form, i int) bool {
	var buf [6]int
	caps, _, ok := r.match(f.elements, i, buf[:0])
	if !ok {
		return false
	}
	last := caps[len(caps)-1]
	if f.kind == "conversion" && r.is(caps[0]-1, "span") || f.kind == "change" && last+2 < len(r.low) && r.low[last+2] == "than" {
		return false
	}
	n := make([]*quantity.Token, len(caps))
	for k, c := range caps {
		n[k] = &r.toks[c]
	}
	readings := f.read(n)
	if len(readings) == 0 {
		return false
	}
	for _, v := range readings {
		if !v.finite() || v.fits(n[f.at]) || n[f.at].Value < 0 && v.scale(-1).fits(n[f.at]) {
			return true
		}
	}
	if f.kind == "change" && f.at == 2 && (f.pattern[len(f.pattern)-1] != ')' || n[2].Unit == nil && !n[2].Signed) && !r.changes(caps[1], caps[2]) {
		return false
	}
	r.finding(f.kind, min(i, caps[0]), caps[len(caps)-1], caps[f.at], readings[0].mid())
	return false
}

// changes tells whether a word of change stands between two tokens or just
// behind the second.
func (r *reader) changes(from, to int) bool {
	for k := from + 1; k <= to+2; k++ {
		if r.is(k, "change") {
			return true
		}
	}
	return false
}

// share is the percentage that number a is of number b. What is left of b is
// another reading.
func share(a, b int) func([]*quantity.Token) []span {
	return func(n []*quantity.Token) []span {
		if !sameKind(n[a], n[b]) || n[a].Value > n[b].Value || n[a].Value < 0 || n[a].Unit == nil && n[a].Decimals+n[b].Decimals > 0 {
			return nil
		}
		for _, t := range n {
			if percent(t) && (t.Value == 0 || t.Value == 100) { // 100 % complete (1/52)
				return nil
			}
		}
		v := of(n[a]).div(of(n[b])).scale(100)
		return []span{v, exactly(100).sub(v)}
	}
}

// portion is n[0] percent of n[1].
func portion(n []*quantity.Token) []span {
	if !sameKind(n[1], n[2]) {
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
	switch {
	case percent(t) && n[0].Value != 0:
		rel := diff.div(a).scale(100)
		if percent(n[0]) || percent(n[1]) {
			return []span{rel, diff}
		}
		return []span{rel}
	case times(t):
		up, down := b.div(a), a.div(b)
		if n[0].Value > n[1].Value {
			up, down = down, up
		}
		return []span{up, up.sub(exactly(1)), down}
	case percent(n[0]):
		if t.Unit != nil && t.Unit.Of != "points" {
			return nil
		}
		return []span{diff, diff.div(a).scale(100)}
	}
	return gap(n[0], n[1], t)
}

func changeOf(n []*quantity.Token) []span {
	return change([]*quantity.Token{n[1], n[2], n[0]})
}

// gap is the difference of two numbers in the unit of t.
func gap(a, b, t *quantity.Token) []span {
	if !sameKind(a, b) || !sameKind(b, t) {
		return nil
	}
	d := of(b).sub(of(a)).abs()
	if t.Value == a.Value || t.Value == b.Value {
		return nil
	}
	return []span{d, {1000 * (d.lo - 1), 1000 * (d.hi + 1)}}
}

// convert is n[0] in the unit of n[1], which is another of the same kind.
func convert(n []*quantity.Token) []span {
	a, b := n[0].Unit, n[1].Unit
	if a == nil || b == nil || a == b || n[0].Spelled && n[1].Spelled || a.Of != b.Of || percent(n[0]) || len(a.Of) == 3 {
		return nil
	}
	v := of(n[0]).mul(span{a.Low, a.High}).div(span{b.Low, b.High})
	return []span{v, v.scale(1.0 / 3), v.scale(5.0 / 7), v.scale(5.0 / 21)} // days of 8 hours, weeks of 5 days
}

// each is the product of two numbers.
func each(n []*quantity.Token) []span {
	if n[1].Unit != n[2].Unit {
		return nil
	}
	return []span{of(n[0]).mul(of(n[1]))}
}

// converted checks an equation of two quantities, 90 minutes = 1.5 hours.
func (r *reader) converted(from, at int) bool {
	v := convert([]*quantity.Token{&r.toks[from], &r.toks[at]})
	if len(v) > 0 && r.figure(from) && r.figure(at) && !v[0].fits(&r.toks[at]) {
		r.finding("conversion", from, at, at, v[0].mid())
	}
	return true
}
