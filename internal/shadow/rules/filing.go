package rules

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

//go:embed filing.txt
var filingFile string

// classes are the words of the data file, by class.
var classes = func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for line := range strings.Lines(filingFile) {
		if name, list, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			m[name] = fold.WordSet(list)
		}
	}
	return m
}()

// token is a word of an item. A word with a hyphen is one: "error-free" is about
// no error.
type token struct {
	word        string
	comma, mark bool // what stands before it: a comma, another mark
}

func tokensOf(text string) (tokens []token) {
	text = fold.Case(text)
	for text != "" {
		begin := strings.IndexFunc(text, letterOrDigit)
		if begin < 0 {
			break
		}
		end := begin + wordEnd(text[begin:])
		before := strings.TrimSpace(text[:begin])
		tokens = append(tokens, token{text[begin:end], before == ",", before != "" && before != ","})
		text = text[end:]
	}
	return tokens
}

// wordEnd is where the word ends that a text begins with: behind the last letter
// or digit before a space or a mark that parts words.
func wordEnd(text string) (end int) {
	for i, r := range text {
		switch {
		case letterOrDigit(r):
			end = i + utf8.RuneLen(r)
		case unicode.IsSpace(r), strings.ContainsRune(",;:()", r):
			return end
		}
	}
	return end
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// is tells whether a word is of one of some classes.
func (t token) is(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return classes[name][t.word] })
}

func anyIs(tokens []token, names ...string) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.is(names...) })
}

// phrase gives the words up to the first that no noun phrase has.
func phrase(t []token) []token {
	k := 0
	for k < len(t) && !t[k].is("link") && (k == 0 || !t[k].mark) {
		k++
	}
	return t[:k]
}

// categoryOf files an item by its grammar. A deliverable is completeness. A
// failure in the verb, in the head of the object or in a condition is error
// handling. A bound there, any other condition, and a constraint is an edge
// case. The rest is the happy path.
func categoryOf(it shadow.Item) shadow.Category {
	if it.Kind == shadow.Deliverable {
		return shadow.Completeness
	}
	switch fails, bounds := signs(tokensOf(it.Text), it.Kind == shadow.Constraint); {
	case fails:
		return shadow.ErrorHandling
	case bounds, it.Kind == shadow.Constraint:
		return shadow.EdgeCase
	}
	return shadow.HappyPath
}

// signs tells whether an item is about a failure or about a bound: by its verb,
// by its object or, before "must", its subject, by conditions and circumstances.
func signs(t []token, noVerb bool) (fails, bounds bool) {
	verb, from := 0, 1
	if modal := slices.IndexFunc(t, func(t token) bool { return t.is("modal") }); modal >= 0 {
		for from, verb, noVerb = 0, modal+1, false; verb < len(t) && t[verb].is("filler"); verb++ {
		}
	} else if len(t) > 3 && t[1].is("joint") { // detect and report failures
		verb, from = 2, 3
	}
	if verb >= len(t) {
		return false, false
	}
	if !noVerb && !t[verb].is("settling") {
		fails, bounds = objectSigns(t[from:], from == 0 || t[verb].is("treating"))
	}
	fails = fails || t[0].is("refusing") || t[verb].is("refusing")
	for k, read := 2, false; k < len(t)-2; k++ {
		switch rest := t[k+1:]; {
		case t[k].is("circumstance"):
			fails = fails || anyIs(phrase(rest), "failure", "faulty", "loss")
			bounds = bounds || anyIs(phrase(rest), "bounding", "unusual")
		case t[k].is("condition") && rest[0].word != "to" && !t[k-1].is("joint"): // "how and when", "when to call"
			fails = fails || !read && t[k].is("happening") && anyIs(rest, "failure", "faulty", "loss", "failing")
			bounds, read = true, read || t[k].is("happening") // what follows is read once
		}
	}
	return fails, bounds
}

// objectSigns does the same for the object that t begins with. Where its head
// says little, as in "a procedure for lost devices" and "cases: lost devices",
// it reads what follows as the thing that is treated.
func objectSigns(t []token, treated bool) (fails, bounds bool) {
	for len(t) > 0 {
		if t[0].is("complement") { // plan for the loss of a zone
			t, treated = t[1:], treated || t[0].word == "for"
		}
		object, head := phrase(t), 0
		for head+1 < len(object) && !object[head+1].comma && !object[head+1].is("joint") {
			head++
		}
		at := head
		for at > 0 && object[at].is("carrier") {
			at--
		}
		switch {
		case len(object) == 0:
			return false, false
		case object[at].is("failure"), treated && anyIs(object, "faulty", "loss"):
			return true, false
		case object[at].is("bound"), at < head && object[at].is("special"), anyIs(object, "bounding"), treated && anyIs(object, "unusual"):
			return false, true
		case !object[head].is("carrier"):
			return false, false
		}
		t, treated = t[len(object):], true
		if len(t) > 0 && !t[0].is("complement") && !t[0].mark {
			return false, false
		}
	}
	return false, false
}

// requirements are those of a decomposition, read once for all domains.
type requirements struct {
	categories []shadow.Category
	sizes      []int            // how many words each has that count
	with       map[string][]int // by word: the requirements that have it
}

func requirementsOf(d *shadow.Decomposition) *requirements {
	r := &requirements{with: map[string][]int{}}
	for k, req := range d.Requirements {
		words := stemsOf(req.Text)
		for w := range words {
			r.with[w] = append(r.with[w], k)
		}
		r.sizes = append(r.sizes, len(words))
		r.categories = append(r.categories, categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.RequirementItem}, Text: req.Text}))
	}
	return r
}

// matching lists the requirements that are about something that a domain was
// asked for: one of the texts of the domain has half of their words of four
// letters and more, and two of them at least. Endings do not count.
func (r *requirements) matching(texts []string) (list []int) {
	matched, shared := make([]bool, len(r.sizes)), make([]int, len(r.sizes))
	for _, text := range texts {
		clear(shared)
		for w := range stemsOf(text) {
			for _, k := range r.with[w] {
				shared[k]++
			}
		}
		for k, n := range shared {
			matched[k] = matched[k] || n >= 2 && 2*n >= r.sizes[k]
		}
	}
	for k, is := range matched {
		if is {
			list = append(list, k)
		}
	}
	return list
}

// stemsOf gives the beginnings of the longer words of a text.
func stemsOf(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range fold.Words(text) {
		if utf8.RuneCountInString(w) >= 4 && !fold.Stop(w) {
			m[fold.Beginning(w, 5)] = true
		}
	}
	return m
}
