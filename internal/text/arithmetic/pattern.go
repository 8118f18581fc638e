package arithmetic

import (
	"slices"
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

// element is an element of a pattern.
type element struct {
	kind  byte     // N, V, P, S, ~, @, !, w for a word and m for a mark
	max   int      // of ~
	of    class    // of @ and !
	words []string // of w
	marks string   // of m
	opt   bool
}

// compile gives the patterns that a pattern stands for.
func compile(pattern string) [][]element {
	f := strings.Fields(pattern)
	p := make([]element, len(f))
	for i, text := range f {
		if forms, ok := macros[text]; ok {
			before, after := strings.Join(f[:i], " "), strings.Join(f[i+1:], " ")
			return append(compile(before+" "+forms[0]+" "+after), compile(before+" "+forms[1]+" "+after)...)
		}
		e := element{kind: text[0]}
		text, e.opt = strings.CutSuffix(text, "?")
		switch c := text[0]; {
		case c == '~':
			e.max = int(text[1] - '0')
		case c == '@' || c == '!':
			e.of = classes[text[1:]]
		case 'a' <= c && c <= 'z':
			e.kind, e.words = 'w', strings.Split(text, "|")
		case c < 'A' || c > 'Z':
			e.kind, e.marks = 'm', strings.Trim(text, "[]")
		}
		p[i] = e
	}
	return [][]element{p}
}

// match tries a pattern at token i and appends the tokens of its numbers.
func (r *reader) match(p []element, i int, nums []int) ([]int, bool) {
	if len(p) == 0 {
		return nums, true
	}
	switch e := &p[0]; {
	case e.kind == '~':
		for n := 0; ; n, i = n+1, i+1 {
			if out, ok := r.match(p[1:], i, nums); ok {
				return out, true
			}
			if n == e.max || !r.filler(i) {
				return nil, false
			}
		}
	case e.kind == '!':
		if r.is(i, e.of) {
			return nil, false
		}
		return r.match(p[1:], i, nums)
	case e.kind == 'S':
		list := r.series(i)
		for n := len(list); n > 1; n-- {
			if out, ok := r.match(p[1:], list[n-1]+1, append(nums, list[:n]...)); ok {
				return out, true
			}
		}
		return nil, false
	case i < len(r.toks) && r.one(e, i):
		next, k := nums, i+1
		if e.kind < 'a' && e.kind != '@' {
			next = append(nums, i)
		}
		if e.kind == '@' && r.mark(k) == '.' { // i.e.
			k++
		}
		if out, ok := r.match(p[1:], k, next); ok || !e.opt {
			return out, ok
		}
		fallthrough
	default:
		if e.opt {
			return r.match(p[1:], i, nums)
		}
		return nil, false
	}
}

// filler tells whether token i is a word that may stand inside a relation.
func (r *reader) filler(i int) bool { return r.word(i) != "" && r.cue[i]&stop == 0 }

// one tells whether an element for one token fits token i.
func (r *reader) one(e *element, i int) bool {
	t := &r.toks[i]
	switch e.kind {
	case 'N':
		return t.Kind == quantity.Number && !percent(t) && !times(t) && r.figure(i)
	case 'P':
		return t.Kind == quantity.Number && percent(t) && r.figure(i)
	case 'V':
		return r.figure(i)
	case '@':
		return r.cue[i]&e.of != 0
	case 'w':
		return slices.Contains(e.words, r.low[i])
	}
	return t.Kind == quantity.Mark && strings.ContainsRune(e.marks, t.Mark)
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
