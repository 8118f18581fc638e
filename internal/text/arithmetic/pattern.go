package arithmetic

import (
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// A pattern is a row of elements, with spaces between:
//
//	N V P    a number that is no percentage, any number, a percentage
//	~3       up to three words
//	( ) , =  a mark; [,-] is one of several
//	of|in    a word
//	@total   a word of a class of cues.txt
//	!other   no word of the class comes next
//	x?       x may be missing
//
// R and D stand for two patterns each: a part of a whole, and a change from
// one number to another.
type element struct {
	kind  byte // N, V, P, ~, mark, word, @ or !
	max   int
	words []string
	marks string
	opt   bool
}

var macros = map[string][2]string{
	"R": {"N ~2 out? of ~2 N", "N / N"},
	"D": {"from V ~2 to V", "V ~2 → V"},
}

// compile gives the patterns that a pattern stands for.
func compile(pattern string) (out [][]element) {
	for macro, forms := range macros {
		for i, f := range strings.Fields(pattern) {
			if f == macro {
				fields := strings.Fields(pattern)
				before, after := strings.Join(fields[:i], " "), strings.Join(fields[i+1:], " ")
				for _, form := range forms {
					out = append(out, compile(before+" "+form+" "+after)...)
				}
				return out
			}
		}
	}
	var p []element
	for f := range strings.FieldsSeq(pattern) {
		e := element{kind: f[0]}
		if len(f) > 1 && strings.HasSuffix(f, "?") {
			f, e.opt = f[:len(f)-1], true
		}
		switch {
		case f == "N" || f == "V" || f == "P":
		case f[0] == '~':
			e.max, _ = strconv.Atoi(f[1:])
		case f[0] == '@' || f[0] == '!':
			e.words = []string{f[1:]}
		case f[0] == '[':
			e.kind, e.marks = 'm', f[1:len(f)-1]
		case f[0] >= 'a' && f[0] <= 'z':
			e.kind, e.words = 'w', strings.Split(f, "|")
		default:
			e.kind, e.marks = 'm', f
		}
		p = append(p, e)
	}
	return append(out, p)
}

// match tries a pattern at token i and puts the tokens of its numbers into
// caps. It gives the token behind the match.
func (r *reader) match(p []element, i int, caps []int) ([]int, int, bool) {
	if len(p) == 0 {
		return caps, i, true
	}
	e := &p[0]
	if e.kind == '~' {
		for n := 0; ; n++ {
			if c, end, ok := r.match(p[1:], i, caps); ok {
				return c, end, true
			}
			if n == e.max || !r.filler(i) {
				return nil, 0, false
			}
			i++
		}
	}
	if e.kind == '!' {
		if r.is(i, e.words[0]) {
			return nil, 0, false
		}
		return r.match(p[1:], i, caps)
	}
	if i < len(r.toks) && r.one(e, i) {
		next := caps
		if e.kind == 'N' || e.kind == 'V' || e.kind == 'P' {
			next = append(caps, i)
		}
		behind := i + 1
		if e.kind == '@' && r.mark(behind) == '.' { // i.e.
			behind++
		}
		if c, end, ok := r.match(p[1:], behind, next); ok || !e.opt {
			return c, end, ok
		}
	}
	if e.opt {
		return r.match(p[1:], i, caps)
	}
	return nil, 0, false
}

// filler tells whether token i is a word that may stand inside a relation.
func (r *reader) filler(i int) bool {
	return i < len(r.toks) && r.toks[i].Kind == quantity.Word && !r.is(i, "stop")
}

// one tells whether an element that stands for one token fits token i.
func (r *reader) one(e *element, i int) bool {
	t := &r.toks[i]
	switch e.kind {
	case 'N':
		return t.Kind == quantity.Number && !percent(t) && !times(t) && r.figure(i) && !r.number(i+1) && !r.number(i-1)
	case 'P':
		return t.Kind == quantity.Number && percent(t) && r.figure(i)
	case 'V':
		return t.Kind == quantity.Number && r.figure(i) && !r.number(i+1) && !r.number(i-1)
	case 'm':
		return t.Kind == quantity.Mark && strings.ContainsRune(e.marks, t.Mark)
	case '@':
		return r.is(i, e.words[0])
	}
	if t.Kind != quantity.Word {
		return false
	}
	for _, w := range e.words {
		if r.low[i] == w {
			return true
		}
	}
	return false
}
