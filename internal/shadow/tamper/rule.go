package tamper

import (
	_ "embed"
	"iter"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// rule is a pattern of rules.txt, which says how one is written.
type rule struct {
	kind     string
	terms    []term
	need     []mask // classes of which the sentence has one each
	without  mask   // classes that it must not have
	anyOrder bool
}

// term is a word of a pattern.
type term struct {
	is     mask
	within int    // words behind the one before
	place  string // what its place is like: > ^ : , or nothing
	called bool   // a sign stands behind it
}

// reach is how far behind each other the words of a pattern stand.
const reach = 8

//go:embed rules.txt
var rulesFile string

// rules are those of the file. rulesOf holds for each class those that need a word
// of it first, a bit for each.
var rules, rulesOf = func() (all []rule, of [64][2]uint64) {
	for line := range strings.Lines(rulesFile) {
		kind, pattern, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || kind[0] == '#' {
			continue
		}
		r := rule{kind: strings.TrimPrefix(kind, "~"), anyOrder: kind[0] == '~'}
		if r.anyOrder {
			r.need = []mask{abroad}
		}
		for w := range strings.FieldsSeq(pattern) {
			r.add(w)
		}
		for class := range of {
			if r.need[0]>>class&1 != 0 {
				of[class][len(all)/64] |= 1 << (len(all) % 64)
			}
		}
		all = append(all, r)
	}
	return all, of
}()

// possible are the rules that may find something in a sentence with some classes.
func possible(has mask) iter.Seq[*rule] {
	return func(yield func(*rule) bool) {
		var set [2]uint64
		for ; has != 0; has &= has - 1 {
			of := &rulesOf[bits.TrailingZeros64(uint64(has))]
			set[0], set[1] = set[0]|of[0], set[1]|of[1]
		}
		for i, left := range set {
			for ; left != 0; left &= left - 1 {
				if !yield(&rules[64*i+bits.TrailingZeros64(left)]) {
					return
				}
			}
		}
	}
}

// word is the form of a word of a pattern.
var word = regexp.MustCompile(`^([->^:,+]?)([a-z|]+)(,?)(?:/([0-9]+))?$`)

// add reads a word of a pattern. An unknown class is a mistake in rules.txt.
func (r *rule) add(w string) {
	m := word.FindStringSubmatch(w)
	t := term{within: reach, place: m[1], called: m[3] != ""}
	for name := range strings.SplitSeq(m[2], "|") {
		if classes[name] == 0 {
			panic("rules.txt: words.txt has no class " + name)
		}
		t.is |= classes[name]
	}
	if n, err := strconv.Atoi(m[4]); err == nil {
		t.within = n
	}
	switch m[1] {
	case "-":
		r.without |= t.is
		return
	case "+":
	default:
		r.terms = append(r.terms, t)
	}
	r.need = append(r.need, t.is)
}

// find gives the first and the last word of the pattern in a sentence whose
// classes are has.
func (r *rule) find(toks []token, has mask) (from, to int, ok bool) {
	if has&r.without != 0 {
		return 0, 0, false
	}
	for _, is := range r.need {
		if has&is == 0 {
			return 0, 0, false
		}
	}
	for i := range toks {
		if !r.terms[0].at(toks, i) {
			continue
		}
		if r.anyOrder && toks[i].is&foreign != 0 {
			return i, i, true
		}
		if to, ok := r.last(toks, i); ok && !r.anyOrder {
			return i, to, true
		}
	}
	return 0, 0, false
}

// at tells whether word i is one of the pattern's.
func (t *term) at(toks []token, i int) bool {
	w := &toks[i]
	if w.is&t.is == 0 || t.called && !strings.ContainsRune(",:!", w.behind) {
		return false
	}
	switch t.place {
	case ">":
		return commanded(toks, i)
	case "^":
		return i == 0
	case ":", ",":
		return string(w.before) == t.place
	}
	return true
}

// last gives where the pattern ends that begins at word i.
func (r *rule) last(toks []token, i int) (int, bool) {
	for n := range r.terms[1:] {
		t := &r.terms[n+1]
		end := min(i+t.within, len(toks)-1)
		for i++; i <= end && !t.at(toks, i); i++ {
		}
		if i > end {
			return 0, false
		}
	}
	return i, true
}

// commanded tells whether word i stands where an English sentence has its
// imperative, or behind the second person.
func commanded(toks []token, i int) bool {
	if i == 0 || strings.ContainsRune(",:\"(–—-", toks[i].before) {
		return true
	}
	prev := &toks[i-1]
	switch {
	case prev.is&to != 0: // you are to give, be sure to give; not: a way to give
		return i >= 2 && toks[i-2].is&(urge|you) != 0
	case prev.is&modal != 0: // you must give; not: the tool must give
		return i >= 2 && toks[i-2].is&(you|judge) != 0
	}
	return prev.is&(lead|you|judge) != 0 || prev.is&never != 0 && prev.is&no == 0
}
