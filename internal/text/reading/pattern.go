package reading

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed data/cues.txt
var cueFile string

// kind says where stands what a cue is about: the letter of its line in
// data/cues.txt. Those that the code does not ask for are not here.
type kind byte

const (
	subjectBehind kind = 'A'
	stateCell     kind = 'C'
	done          kind = 'D' // it says that something was done
	header        kind = 'H' // it heads a list of what is missing
	weakHeader    kind = 'P' // it does if the status is partial or failed
	note          kind = 'L'
	endNote       kind = 'R'
	listed        kind = 'I' // not in the file: an entry of what is missing
)

// pattern is a cue of non-delivery, a line of data/cues.txt.
type pattern struct {
	kind     kind
	narrow   bool // -: the clause itself must name the item
	anchored bool // ^: it stands at the beginning of a clause
	closed   bool // $: it stands at the end of a clause
	elements []element

	// What follows from its elements:
	weak    bool // its words are common in what is done, too
	free    bool // its verb may be any
	gapped  bool // other words may stand between its words
	lexical bool // a word of it says alone that something is open
}

// element is a word of a pattern.
type element struct {
	in       class
	words    []*lexeme
	any      bool
	affix    bool
	ending   string // of affix: any word that ends so
	start    string // of affix: any word that begins so
	optional bool
	gap      int // up to so many words of any kind
}

func (e *element) matches(w *entry) bool {
	return e.in&w.in != 0 ||
		w.of != nil && slices.Contains(e.words, w.of) ||
		e.any && w.in&(adverbs|stops) == 0 ||
		e.affix && len(w.form) > len(e.start)+3 && strings.HasPrefix(w.form, e.start) && strings.HasSuffix(w.form, e.ending)
}

// patterns are the cues of the file, in its order.
var patterns []*pattern

// patternSet has a bit for each of the patterns.
type patternSet [7]uint64

func (s *patternSet) add(n int) { s[n/64] |= 1 << (n % 64) }

// every are all patterns, loose those whose second word may be any.
var every, loose patternSet

func init() {
	for line := range strings.Lines(cueFile) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			patterns = append(patterns, readPattern(line))
		}
	}
	words := slices.Collect(maps.Values(lexicon)) // a map is slow to go through for each pattern
	for n, p := range patterns {
		p.enter(n, words)
	}
}

// readPattern reads a line of the file of cues.
func readPattern(line string) *pattern {
	fields := strings.Fields(line)
	p := &pattern{kind: kind(fields[0][0]), narrow: strings.HasSuffix(fields[0], "-")}
	for _, f := range fields[1:] {
		switch f {
		case "^":
			p.anchored = true
		case "$":
			p.closed = true
		default:
			p.elements = append(p.elements, readElement(f, line))
		}
	}
	for _, e := range p.elements {
		p.free = p.free || p.narrow && (e.any || e.ending != "")
		p.weak = p.weak || e.in&weaks != 0 || e.ending != ""
		p.gapped = p.gapped || e.gap > 0
		p.lexical = p.lexical || e.in&openWords != 0 || slices.ContainsFunc(e.words, func(l *lexeme) bool { return l.in&openWords != 0 })
	}
	for _, w := range p.elements[0].words { // "was not …" behind a comma goes on with the clause
		p.weak = p.weak || p.anchored && w.in&finites != 0
	}
	return p
}

func readElement(f, line string) element {
	var e element
	f, e.optional = strings.CutSuffix(f, "?")
	if n, err := strconv.Atoi(f); err == nil && n > 0 {
		e.gap = n
		return e
	}
	for part := range strings.SplitSeq(f, "|") {
		switch name, isClass := strings.CutPrefix(part, "@"); {
		case part == "*":
			e.any = true
		case strings.Contains(part[1:], "*"):
			e.affix = true
			e.start, e.ending, _ = strings.Cut(part, "*")
		case part[0] == '*':
			e.affix, e.ending = true, part[1:]
		case isClass && classes[name] == 0:
			panic(fmt.Sprintf("no class %q for the cue %q", name, line))
		case isClass:
			e.in |= classes[name]
		default:
			e.words = append(e.words, lexemeOf(lexicon, part))
		}
	}
	return e
}

// enter lets the lexicon find the n-th pattern by its first word and the one
// behind, which may be one of several if some can be left out.
func (p *pattern) enter(n int, words []*lexeme) {
	first, second, wild := &p.elements[0], p.elements[1:], true
	for i := range second {
		if e := &second[i]; e.any || e.affix || e.gap > 0 {
			break
		} else if !e.optional {
			second, wild = second[:i+1], false
			break
		}
	}
	every.add(n)
	if wild {
		loose.add(n)
	}
	for _, l := range words {
		if first.has(l) {
			l.begins.add(n)
			l.in |= beginners
		}
		follows := wild
		for i := 0; i < len(second) && !follows; i++ {
			follows = second[i].has(l)
		}
		if follows {
			l.follows.add(n)
		}
	}
}

// has tells whether an element names a word of the lexicon.
func (e *element) has(l *lexeme) bool { return e.in&l.in != 0 || slices.Contains(e.words, l) }
