package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// otherMeasures are what a percentage beside a count may be of instead.
var otherMeasures = words("coverage score confidence uptime availability faster slower savings saved progress weighted reduction improvement average mean completion complete ready readiness utilization")

// shares checks the percentages that stand beside a part and its whole, and nothing
// else in their brackets: "8 of 20 (40 %)", "8/20 tests (40 %)", "40 % (8/20)".
func (r *reader) shares() {
	for i := range r.toks {
		whole := r.whole(i)
		if whole < 0 {
			continue
		}
		if p := r.percentBehind(whole); p >= 0 {
			r.share(i, whole, p, i, p+1)
		} else if p, end := i-2, r.words(whole+1); r.mark(i-1) == '(' && r.mark(end) == ')' && r.figure(p) && percent(&r.toks[p]) {
			r.share(i, whole, p, p, end)
		}
	}
}

// whole gives the token of the whole whose part is token i: 8 of 20, 8 of the 20, 8
// out of 20, 8/20; -1 if there is none.
func (r *reader) whole(i int) int {
	if !r.count(i) {
		return -1
	}
	k := i + 1
	switch {
	case r.mark(k) == '/' && r.mark(i-1) != '/':
		k++
	case r.word(k) == "of" || r.word(k) == "out" && r.word(k+1) == "of":
		for r.word(k) == "out" || r.word(k) == "of" || r.word(k) == "the" || r.word(k) == "all" {
			k++
		}
	default:
		return -1
	}
	if !r.count(k) || r.mark(k+1) == '/' {
		return -1
	}
	return k
}

// count tells whether token i is a whole number without a unit.
func (r *reader) count(i int) bool {
	return r.figure(i) && r.toks[i].Unit == nil && r.toks[i].Value == math.Trunc(r.toks[i].Value) && !r.toks[i].Signed
}

// few is how many things there may be for a round percentage before them to be an
// estimate of how far they are: 60 % (3/7 stories).
const few = 10

// maxBetween is how many words may stand between the whole and its bracket.
const maxBetween = 3

// words passes over at most some words from token i on.
func (r *reader) words(i int) int {
	for n := 0; n < maxBetween && r.word(i) != ""; n++ {
		i++
	}
	return i
}

// percentBehind gives the percentage alone in brackets behind token whole and at
// most some words, -1 if there is none.
func (r *reader) percentBehind(whole int) int {
	k := r.words(whole + 1)
	if p := k + 1; r.mark(k) == '(' && r.figure(p) && percent(&r.toks[p]) && r.mark(p+1) == ')' {
		return p
	}
	return -1
}

// share compares the percentage at token p with what the part at a is of the whole
// at b. What is left of the whole is another reading.
func (r *reader) share(a, b, p, from, to int) {
	part, whole, t := &r.toks[a], &r.toks[b], &r.toks[p]
	if slices.ContainsFunc(r.low[:to], func(w string) bool { return otherMeasures[w] }) || strings.Contains(r.in.Text, "进度") || strings.Contains(r.in.Text, "完成度") {
		return
	}
	if whole.Value == 0 || part.Value > whole.Value || t.Signed {
		return
	}
	if from == p && t.Decimals == 0 && math.Mod(t.Value, 5) == 0 && whole.Value <= few { // an estimate of progress
		return
	}
	v := exactly(part.Value).apply('/', exactly(whole.Value)).scale(100)
	if v.near(t) || exactly(100).apply('-', v).near(t) {
		return
	}
	right := like(v.at, r.in.Text, t)
	r.add(Share, r.in.No, 0, r.text(from, to), right, fmt.Sprintf("%s is %s, the text says %s", r.text(a, b), right, r.text(p, p)))
}
