package reading

import (
	_ "embed"
	"strings"
)

//go:embed data/classes.txt
var classFile string

//go:embed data/light.txt
var lightFile string

//go:embed data/roots.txt
var rootFile string

//go:embed data/marks.txt
var markFile string

// class is a set of classes of words, a bit each.
type class uint64

// lexeme is what is known of a word.
type lexeme struct {
	number  int // of all words of the lexicon
	in      class
	begins  patternSet // cues that may begin with it
	follows patternSet // cues that may go on with it
	root    string     // of 2, two and second: two; of built: build
}

// lexicon are the words of the data files, classes the classes by name.
var lexicon, classes = readClasses()

// The classes that no file names.
const (
	beginners class = 1 << 63 // a cue may begin with it
	capitals  class = 1 << 62 // it stands in capital letters somewhere in the text
)

// The classes that the code asks for.
var (
	stops        = classes["stop"]
	adverbs      = classes["adverb"]
	authors      = classes["author"]
	relatives    = classes["relative"]
	conditions   = classes["condition"]
	breakers     = classes["breaker"]
	negators     = classes["negator"]
	finites      = classes["finite"]
	contrasts    = classes["contrast"]
	prepositions = classes["preposition"]
	dones        = classes["done"]
	undones      = classes["undone"]
	weaks        = classes["weak"]
	openWords    = undones | weaks | classes["setaside"]
	statuses     = classes["status"]
	meanings     = classes["meaning"]
	codes        = classes["code"]
	perceives    = classes["perceive"]
	needless     = classes["needless"]
	nones        = classes["nothing"]
	norms        = classes["norm"]
	pronouns     = classes["pronoun"]
	admits       = classes["admit"]
	ticks        = classes["ticked"]
	absences     = classes["absence"]
	// states tell what became of something, reports also who did what.
	states  = generals | negators | authors | openWords | classes["reason"] | classes["past"]
	reports = states | classes["strong"] | classes["work"]
	// generals say nothing of what a line is about.
	generals = stops | adverbs | finites | classes["generic"] | classes["package"] | classes["period"] | classes["later"] | classes["this"]
)

func readClasses() (map[string]*lexeme, map[string]class) {
	words, names := map[string]*lexeme{}, map[string]class{}
	for line := range strings.Lines(classFile) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		bit := class(1) << len(names)
		if bit == capitals {
			panic("no room for the class " + name)
		}
		names[name] = bit
		for w := range strings.FieldsSeq(list) {
			for _, form := range forms(w) {
				l := lexemeOf(words, form)
				l.in |= bit
				if (name == "strong" || name == "work") && strings.HasSuffix(w, "+") && strings.HasSuffix(form, "ed") {
					l.in |= names["regular"]
				}
			}
		}
	}
	for line := range strings.Lines(rootFile) {
		f := strings.Fields(line)
		for _, form := range f {
			lexemeOf(words, form).root = f[0]
		}
	}
	return words, names
}

// forms gives the forms of an entry of a class.
func forms(entry string) []string {
	w, regular := strings.CutSuffix(entry, "+")
	if !regular {
		return []string{w}
	}
	if root, ok := strings.CutSuffix(w, "e"); ok {
		return []string{w, w + "s", w + "d", root + "ing"}
	}
	return []string{w, w + "s", w + "es", w + "ed", w + "ing"}
}

// lexemeOf gives the entry of a word in a lexicon, a new one if it has none.
func lexemeOf(words map[string]*lexeme, form string) *lexeme {
	if words[form] == nil {
		words[form] = &lexeme{number: len(words)}
	}
	return words[form]
}

// light are the stems of words that say what kind of work an item is.
var light = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(lightFile) {
		m[stem(w)] = true
	}
	return m
}()

// Characters that say that something is open, that it is done, and those that
// are a box before what they are about.
var openMarks, doneMarks, boxMarks = marks("open"), marks("done"), marks("box")

func marks(kind string) string {
	_, list, _ := strings.Cut(markFile, kind+" ")
	list, _, _ = strings.Cut(list, "\n")
	return list
}
