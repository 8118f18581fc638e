package rules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The reading rule of package check knows English and reads for the matter of
// a phrase. Two kinds of items it cannot read: those in another language, and
// those that ask for a form ("open with a one-paragraph answer"). Such an item
// counts as missing only if a text in the item's language has no trace of any
// of its words.

// A tongue is the language that a decomposition is written in.
type tongue struct {
	foreign bool
	own     []string // words that tell a text in this language
}

var inEnglish = tongue{own: []string{"the", "and", "with"}}

// functionWords tell a language. None of them is an English word.
var functionWords = map[string]string{
	"de": "und der die das nicht für mit ist werden eine einen wird auf von",
	"es": "el los las una para que con por como está del",
	"fr": "le les des une pour que avec dans est sur aux",
	"it": "il gli della una per che con nel sono delle",
	"pt": "os uma para que com não dos das pelo são",
	"nl": "het een van voor niet met zijn worden deze",
}

// tongueOf finds the language of a decomposition. English is what it falls
// back to.
func tongueOf(d *shadow.Decomposition) tongue {
	count := map[string]int{}
	letters, far := 0, 0 // far: of a script that English is not written in
	englishWords := 0
	see := func(text string) {
		if letters > enoughLetters {
			return
		}
		text = clip(strings.ToValidUTF8(text, ""), 20_000)
		for _, r := range text {
			if unicode.IsLetter(r) {
				letters++
				if !unicode.Is(unicode.Latin, r) {
					far++
				}
			}
		}
		for _, w := range wordsOf(text) {
			if englishFunction[w] {
				englishWords++
			}
			for _, lang := range languagesOf[w] {
				count[lang]++
			}
		}
	}
	see(d.Task)
	see(d.Specification)
	for i := range d.Domains {
		dom := &d.Domains[i]
		see(dom.TaskBrief)
		for _, list := range [][]string{dom.SubTasks, dom.Deliverables, dom.Constraints} {
			for _, s := range list {
				see(s)
			}
		}
	}
	if far*2 > letters {
		return tongue{foreign: true}
	}
	best := ""
	for lang, n := range count {
		if n > count[best] || n == count[best] && lang < best {
			best = lang
		}
	}
	if count[best] < 3 || count[best] <= 2*englishWords {
		return inEnglish
	}
	return tongue{foreign: true, own: strings.Fields(functionWords[best])}
}

// enoughLetters is how much of a decomposition tells its language.
const enoughLetters = 50_000

var englishFunction = set("the and of to with for that is are by from when if must should")

var languagesOf = func() map[string][]string {
	m := map[string][]string{}
	for lang, words := range functionWords {
		for _, w := range strings.Fields(words) {
			m[w] = append(m[w], lang)
		}
	}
	return m
}()

// formal tells whether an English phrase asks for a form more than for a
// matter. Texts have a form without naming it.
func formal(words []string) bool {
	for i, w := range words {
		switch w {
		case "comparison", "overview", "introduction", "conclusion", "headline", "paragraph":
			return true
		case "open", "begin", "start", "end", "close", "conclude", "finish":
			if i == 0 && len(words) > 1 && words[1] == "with" {
				return true
			}
		}
	}
	return false
}

// trace marks the items that the reading rule cannot read.
func (b *builder) trace(d *shadow.Decomposition) {
	var common map[string]int
	for m := range b.matters {
		items := b.matters[m].items
		kept := items[:0]
		for _, it := range items {
			switch {
			case it.kind == name:
			case len(it.traces) > 0:
			case !b.lang.foreign && !it.limit && formal(wordsOf(it.phrase)):
				it.traces = tracesOf(it.phrase, nil)
			case b.lang.foreign:
				if common == nil {
					common = b.common(d)
				}
				if it.limit = false; it.kind == constraint {
					it.traces = figureTraces(it.phrase)
				}
				if it.traces == nil {
					it.traces = tracesOf(it.phrase, common)
				}
				if len(it.traces) == 0 {
					continue
				}
			}
			kept = append(kept, it)
		}
		b.matters[m].items = kept
	}
	b.matters = slices.DeleteFunc(b.matters, func(m matter) bool { return len(m.items) == 0 })
}

// common counts in how many phrases of the assignment each piece stands.
func (b *builder) common(d *shadow.Decomposition) map[string]int {
	count := map[string]int{}
	for _, list := range [][]string{{d.Task, b.dom.TaskBrief}, b.dom.SubTasks, b.dom.Deliverables} {
		for _, s := range list {
			for piece := range set(strings.Join(tracesOf(clip(s, maxBrief), nil), " ")) {
				count[piece]++
			}
		}
	}
	return count
}

// figureTraces gives the traces of a limit: its numbers, in digits and words,
// and its units where they are short. Nil if it has no number.
func figureTraces(phrase string) []string {
	var out []string
	for i, words := 0, wordsOf(phrase); i < len(words); i++ {
		if !isDigits(words[i]) {
			continue
		}
		out = append(out, piecesOf(words[i])...)
		if i+1 < len(words) && len(words[i+1]) <= 3 {
			out = append(out, words[i+1])
		}
	}
	return out[:min(len(out), maxTraces)]
}

// countTraces gives the traces of a count whose unit has two words ("2 heating
// seasons"), which no function finds as a quantity. Nil if there is none.
func countTraces(phrase string) []string {
	m := countForm.FindStringSubmatch(strings.ToLower(phrase))
	if m == nil {
		return nil
	}
	out := []string{m[1], "*" + m[2][:len(m[2])-1] + "*"}
	if n, ok := englishNumbers[m[1]]; ok {
		out = append(out, n)
	}
	return out
}

var (
	countForm      = regexp.MustCompile(`\b(\d+)\s+[a-z]{3,}\s+([a-z]{3,}s)\b`)
	englishNumbers = map[string]string{"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "10": "ten", "12": "twelve"}
)

// ownWords tell a text in the language of a domain's items.
func (b *builder) ownWords(d *shadow.Decomposition) []string {
	switch {
	case !b.lang.foreign:
		return inEnglish.own
	case b.lang.own != nil:
		return b.lang.own
	}
	var out []string
	for _, s := range slices.Concat([]string{d.Task, b.dom.TaskBrief}, b.dom.SubTasks) {
		out = append(out, tracesOf(clip(s, maxBrief), nil)...)
	}
	return out[:min(len(out), 100)]
}

// maxTraces bounds the pieces of words of one item.
const maxTraces = 24

// tracesOf gives the pieces of a phrase's words of which a text that deals
// with it has at least one: the beginnings of long words, since endings differ,
// and the ends of very long ones, since they are put together. common are
// pieces that stand all over the assignment and tell nothing.
func tracesOf(phrase string, common map[string]int) []string {
	var all, telling []string
	for _, w := range strings.FieldsFunc(phrase, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, piece := range piecesOf(w) {
			if len(all) < maxTraces {
				all = append(all, piece)
				if common[piece] < 2 {
					telling = append(telling, piece)
				}
			}
		}
	}
	if len(telling) >= 2 {
		return telling
	}
	return all
}

// piecesOf gives the pieces of one word, each with stars as Text.Mentions
// takes them.
func piecesOf(w string) []string {
	r := []rune(strings.ToLower(w))
	switch {
	case emptyWords[string(r)] || idleWords[string(r)]:
		return nil
	case unicode.In(r[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai): // no spaces between words
		var out []string
		for i := range max(len(r)-1, 0) {
			out = append(out, "*"+string(r[i:i+2])+"*")
		}
		return out
	case isDigits(string(r)):
		return append([]string{string(r)}, numberNames[string(r)]...)
	case len(r) < 5:
		if strings.ToUpper(w) == w && len(r) > 1 { // PDF
			return []string{"*" + string(r) + "*"}
		}
		return nil
	}
	out := []string{"*" + string(r[:min(max(len(r)*2/3, 4), 6)]) + "*"}
	if len(r) >= 12 {
		out = append(out, "*"+string(r[len(r)-6:len(r)-1])+"*")
	}
	return out
}

var numberNames = map[string][]string{
	"2": {"zwei", "dos", "deux", "due"}, "3": {"drei", "tres", "trois", "tre"}, "4": {"vier", "cuatro", "quatre"}, "5": {"fünf", "cinco", "cinq"},
	"6": {"sechs", "seis", "six"}, "7": {"sieben", "siete", "sept"}, "8": {"acht", "ocho", "huit"}, "9": {"neun", "nueve", "neuf"},
	"10": {"zehn", "diez", "dix", "dieci"}, "12": {"zwölf", "doce", "douze"},
}

// idleWords are verbs of other languages that fit every task.
var idleWords = set(`schreibe schreiben entwerfen entwirf einbauen einrichten gestalten formulieren sicherstellen berücksichtigen anbieten erstellen erstelle
	definieren definiere dokumentieren dokumentiere beschreiben beschreibe umsetzen einführen prüfen bauen
	definir describir escribir crear diseñar implementar documentar añadir preparar garantizar
	définir décrire écrire créer concevoir ajouter préparer documenter implémenter garantir rédiger`)
