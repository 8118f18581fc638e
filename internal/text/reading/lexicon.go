package reading

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed data/classes.txt
var classFile string

//go:embed data/cues.txt
var cueFile string

// class is a set of classes of words, a bit each.
type class uint64

// Indices of the classes that the code asks for, in the order of classNames.
var classNames = map[string]class{}

var (
	lexicon                                                                                                                                                                                                                                 = map[string]*lexeme{}
	stops, adverbs, relatives, conditions, breakers, negators, finites, dones, authors, undones, weaks, setasides, statuses, prepositions, bes, modals, limits, contrasts, perceives, needless, generics, packages, periods, laters, thises class
)

// lexeme is what is known of a word.
type lexeme struct {
	in     class
	begins []*pattern // cues that may begin with it
}

// pattern is a cue of non-delivery.
type pattern struct {
	about    byte // the letter of its line in data/cues.txt
	narrow   bool // the clause itself must name the item
	weak     bool // its words are common in what is done, too
	free     bool // its verb may be any
	un       bool // the word for * is a negation of one that the item has
	lexical  bool // a word of it says alone that something is open
	opening  bool // the word for * is the verb that opens the item
	anchored bool // it stands at the beginning of a clause
	closed   bool // it stands at the end of a clause
	elements []element
}

// element is a word of a pattern.
type element struct {
	in       class
	words    []string
	any      bool
	ending   string // any word that ends so
	start    string // any word that begins so
	optional bool
	gap      int // up to so many words of any kind
}

func (e *element) matches(form string, in class) bool {
	if e.any && in&(adverbs|stops) == 0 || e.in&in != 0 || e.ending != "" && strings.HasSuffix(form, e.ending) || e.start != "" && len(form) > len(e.start)+3 && strings.HasPrefix(form, e.start) {
		return true
	}
	for _, w := range e.words {
		if w == form {
			return true
		}
	}
	return false
}

func init() {
	for line := range strings.Lines(classFile) {
		name, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		bit := class(1) << len(classNames)
		classNames[name] = bit
		for w := range strings.FieldsSeq(words) {
			for _, form := range forms(w) {
				lexemeOf(form).in |= bit
			}
		}
	}
	for name, c := range map[string]*class{"stop": &stops, "adverb": &adverbs, "relative": &relatives, "condition": &conditions, "breaker": &breakers,
		"negator": &negators, "finite": &finites, "done": &dones, "author": &authors, "undone": &undones, "status": &statuses,
		"weak": &weaks, "setaside": &setasides, "preposition": &prepositions, "be": &bes, "modal": &modals, "limit": &limits, "contrast": &contrasts,
		"perceive": &perceives, "needless": &needless, "generic": &generics, "package": &packages, "period": &periods, "later": &laters, "this": &thises} {
		*c = classNames[name]
	}
	for line := range strings.Lines(cueFile) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			addPattern(line)
		}
	}
}

//go:embed data/marks.txt
var markFile string

// The characters that say that something is open, or done, and those of the
// open ones that stand before what they are about.
var openMarks, doneMarks, boxMarks = readMarks()

func readMarks() (open, done, box map[rune]bool) {
	marks := map[string]map[rune]bool{}
	for line := range strings.Lines(markFile) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		marks[name] = map[rune]bool{}
		for _, r := range list {
			marks[name][r] = true
		}
	}
	return marks["open"], marks["done"], marks["box"]
}

func lexemeOf(form string) *lexeme {
	if lexicon[form] == nil {
		lexicon[form] = &lexeme{}
	}
	return lexicon[form]
}

// forms gives the forms of an entry of a class.
func forms(entry string) []string {
	w, regular := strings.CutSuffix(entry, "+")
	if !regular {
		return []string{w}
	}
	root, e := strings.CutSuffix(w, "e")
	if e {
		return []string{w, w + "s", w + "d", root + "ing"}
	}
	return []string{w, w + "s", w + "es", w + "ed", w + "ing"}
}

// addPattern reads a line of the file of cues.
func addPattern(line string) {
	fields := strings.Fields(line)
	p := &pattern{about: fields[0][0], opening: strings.HasSuffix(fields[0], "+"), narrow: strings.HasSuffix(fields[0], "-")}
	for _, f := range fields[1:] {
		switch f {
		case "^":
			p.anchored = true
			continue
		case "$":
			p.closed = true
			continue
		}
		p.elements = append(p.elements, readElement(f, line))
	}
	for _, e := range p.elements {
		p.free = p.free || p.narrow && (e.any || e.ending != "")
		p.un = p.un || e.start != ""
		p.weak = p.weak || e.in&weaks != 0 || e.ending != ""
		p.lexical = p.lexical || e.in&(undones|weaks|setasides) != 0
	}
	first := p.elements[0]
	for _, w := range first.words {
		p.weak = p.weak || p.anchored && lexicon[w] != nil && lexicon[w].in&finites != 0
	}
	if first.start != "" {
		lexemeOf(first.start + "*").begins = append(lexemeOf(first.start+"*").begins, p)
	}
	for _, w := range first.words {
		lexemeOf(w).begins = append(lexemeOf(w).begins, p)
	}
	for _, l := range lexicon {
		if l.in&first.in != 0 {
			l.begins = append(l.begins, p)
		}
	}
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
		case strings.HasSuffix(part, "*"):
			e.start = strings.TrimSuffix(part, "*")
		case part[0] == '*':
			e.ending = part[1:]
		case isClass && classNames[name] == 0:
			panic(fmt.Sprintf("no class %q for the cue %q", name, line))
		case isClass:
			e.in |= classNames[name]
		default:
			e.words = append(e.words, part)
		}
	}
	return e
}

//go:embed data/light.txt
var lightFile string

// light are the stems of words that say what kind of work an item is.
var light = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(lightFile) {
		m[stem(w)] = true
	}
	return m
}()
