package arithmetic

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// A pattern is a row of elements with spaces between:
//
//	N V P    a number that is no percentage, any number, a percentage
//	S        two or more listed numbers: 3 new, 4 changed and 2 removed
//	~3       up to three words
//	( [,-]   a mark; one of several
//	of|in    a word
//	@total   a word of a class of cues.txt
//	!other   no word of the class comes next
//	x?       x may be missing
//
// R and D stand for two patterns each: a part of a whole, and a change from
// one number to another.
var macros = map[string][2]string{
	"R": {"N ~2 out? of ~2 N", "N / N"},
	"D": {"from V ~2 to V", "V ~2 → V"},
}

// compile gives the patterns that a pattern stands for, cut into elements.
func compile(pattern string) [][]string {
	f := strings.Fields(pattern)
	for macro, forms := range macros {
		for i := range f {
			if f[i] == macro {
				before, after := strings.Join(f[:i], " "), strings.Join(f[i+1:], " ")
				return append(compile(before+" "+forms[0]+" "+after), compile(before+" "+forms[1]+" "+after)...)
			}
		}
	}
	return [][]string{f}
}

// match tries a pattern at token i and appends the tokens of its numbers.
func (r *reader) match(p []string, i int, nums []int) ([]int, bool) {
	if len(p) == 0 {
		return nums, true
	}
	e, opt := strings.CutSuffix(p[0], "?")
	switch e[0] {
	case '~':
		for n := byte('0'); ; n, i = n+1, i+1 {
			if out, ok := r.match(p[1:], i, nums); ok {
				return out, true
			}
			if n == e[1] || !r.filler(i) {
				return nil, false
			}
		}
	case '!':
		if r.is(i, e[1:]) {
			return nil, false
		}
		return r.match(p[1:], i, nums)
	case 'S':
		list := r.series(i)
		for n := len(list); n > 1; n-- {
			if out, ok := r.match(p[1:], list[n-1]+1, append(nums, list[:n]...)); ok {
				return out, true
			}
		}
		return nil, false
	}
	if i < len(r.toks) && r.one(e, i) {
		next, k := nums, i+1
		if e[0] >= 'A' && e[0] <= 'Z' {
			next = append(nums, i)
		}
		if e[0] == '@' && r.mark(k) == '.' { // i.e.
			k++
		}
		if out, ok := r.match(p[1:], k, next); ok || !opt {
			return out, ok
		}
	}
	if opt {
		return r.match(p[1:], i, nums)
	}
	return nil, false
}

// filler tells whether token i is a word that may stand inside a relation.
func (r *reader) filler(i int) bool { return r.word(i) != "" && !r.is(i, "stop") }

// one tells whether an element for one token fits token i.
func (r *reader) one(e string, i int) bool {
	t := &r.toks[i]
	switch {
	case e == "N" || e == "P" || e == "V":
		return t.Kind == quantity.Number && (e == "V" || percent(t) == (e == "P") && !times(t)) && r.figure(i)
	case e[0] == '@':
		return r.is(i, e[1:])
	case 'a' <= e[0] && e[0] <= 'z':
		for w := range strings.SplitSeq(e, "|") {
			if r.low[i] == w {
				return true
			}
		}
		return false
	}
	return t.Kind == quantity.Mark && strings.ContainsRune(strings.Trim(e, "[]"), t.Mark)
}

// series lists the numbers from token i on that commas, plus signs or "and"
// part. Shares in parentheses are passed over.
func (r *reader) series(i int) (list []int) {
	for i < len(r.toks) && r.figure(i) && len(list) < 32 && (len(list) == 0 || kindred(&r.toks[i], &r.toks[list[0]])) {
		list = append(list, i)
		words := 0
		for i++; r.filler(i) && r.low[i] != "and" && words < 6; i++ {
			words++
		}
		if r.mark(i) == '(' && r.mark(i+2) == ')' {
			i += 3
		}
		link := i
		for r.mark(i) == ',' || r.mark(i) == '+' || r.word(i) == "and" || r.word(i) == "plus" {
			i++
		}
		if i == link {
			break
		}
		for words = 0; r.filler(i) && words < 4; i++ {
			words++
		}
	}
	return list
}

// kindred tells whether a number may be added to t: it has its unit, and bare
// numbers are whole.
func kindred(a, t *quantity.Token) bool {
	return a.Unit == t.Unit && !times(a) && (a.Unit != nil || a.Decimals == 0 && t.Decimals == 0)
}
