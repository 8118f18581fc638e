package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// draft collects what a model writes for one domain, as far as it can be used,
// and notes why the rest cannot.
type draft struct {
	order *shadow.Order
	items []shadow.Item
	// sources are the texts that a sentence may stand in, words those of all of
	// the material, with a space around each.
	sources []source
	words   string

	left     int // how many criteria are still wanted
	criteria []shadow.Material
	problems []problem // of the last reply
	reasons  []string  // of all replies, for the operator
}

type source struct {
	text string
	read *passage.Text
}

// problem says why a criterion cannot be used. The quote is for the model
// alone: the operator's notes hold nothing of a criterion.
type problem struct{ why, quote string }

func (p problem) String() string {
	if p.quote == "" {
		return p.why
	}
	return fmt.Sprintf("%s: %.200q", p.why, p.quote)
}

func newDraft(o *shadow.Order, dom *shadow.Domain, items []shadow.Item) *draft {
	d := o.Decomposition
	dr := &draft{order: o, items: items, left: o.Count[dom.Domain]}
	all := []string{dom.Domain}
	for _, text := range []string{d.Task, d.Specification, dom.TaskBrief} {
		dr.sources = append(dr.sources, source{text, passage.New(text)})
		all = append(all, text)
	}
	for _, r := range d.Requirements {
		all = append(all, r.Text)
	}
	for _, it := range items {
		all = append(all, it.Text)
	}
	dr.words = spacedWords(strings.Join(all, "\n"))
	return dr
}

// spacedWords are the words of a text with a space around each.
func spacedWords(text string) string { return " " + strings.Join(fold.Words(text), " ") + " " }

// criterionReply is a criterion as a model writes it.
type criterionReply struct {
	Rests     []string        `json:"rests"`
	Sentence  string          `json:"sentence"`
	Category  shadow.Category `json:"category"`
	Assertion string          `json:"assertion"`
	Expected  string          `json:"expected"`
}

// maxBeyond bounds how many criteria are looked at beyond twice what is wanted: each
// is compared with the others.
const maxBeyond = 20

// take reads a reply and keeps the criteria that can be used and are wanted.
func (dr *draft) take(text string) {
	dr.problems = nil
	var reply struct {
		Criteria []json.RawMessage `json:"criteria"`
	}
	all, _ := objectsIn(thought(text))
	if len(all) != 1 || json.Unmarshal(all[0], &reply) != nil {
		dr.refuse(problem{why: "the reply is not one JSON object of the asked form"})
		return
	}
	for i, raw := range reply.Criteria[:min(len(reply.Criteria), 2*dr.left+maxBeyond)] {
		if dr.left == 0 {
			return // more than was asked for
		}
		m, p := dr.read(raw)
		if p == (problem{}) {
			dr.left--
			dr.criteria = append(dr.criteria, m)
			continue
		}
		p.why = fmt.Sprintf("criterion %d: %s", i+1, p.why)
		dr.refuse(p)
	}
}

func (dr *draft) refuse(p problem) {
	dr.problems, dr.reasons = append(dr.problems, p), append(dr.reasons, p.why)
}

// repair is the prompt for what cannot be used.
func (dr *draft) repair() string {
	var lines []string
	for _, p := range dr.problems {
		lines = append(lines, "- "+p.String())
	}
	return filled("author_repair.txt", struct {
		Problems string
		Left     int
	}{strings.Join(lines, "\n"), dr.left})
}

// done is what was written. What was refused concerns the operator only where it
// was not made good.
func (dr *draft) done() shadow.Draft {
	d := shadow.Draft{Criteria: dr.criteria}
	if dr.left > 0 {
		d.Refused = slices.Compact(slices.Clone(dr.reasons))
	}
	return d
}

// read is a criterion, or why it cannot be used.
func (dr *draft) read(raw json.RawMessage) (m shadow.Material, p problem) {
	var w criterionReply
	if json.Unmarshal(raw, &w) != nil {
		return m, problem{why: "it is not of the asked form"}
	}
	m = shadow.Material{Category: w.Category, Assertion: oneLine(w.Assertion), Expected: oneLine(w.Expected)}
	p = cmp.Or(dr.checkWords(&m), dr.ground(&w, &m), dr.checkNew(&m))
	return m, p
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// vagueWords leave open whether a criterion is met.
var vagueWords = regexp.MustCompile(`(?i)\b(should|ideally|preferably|where possible|if possible|as much as possible|appropriate(ly)?|adequate(ly)?|sufficient(ly)?|reasonabl[ey]|properly|clear(ly)?|good|high-quality|robust(ly)?|user-friendly|intuitive(ly)?|well-(written|structured|designed|documented)|thorough(ly)?|comprehensive(ly)?|easy|easily|etc|on a scale|score of|partially|to some extent)\b`)

// checkWords looks at the category and the texts of a criterion.
func (dr *draft) checkWords(m *shadow.Material) problem {
	if !slices.Contains(dr.order.Categories, m.Category) {
		return problem{why: "its category is none of those asked for"}
	}
	for _, f := range []struct {
		name, text     string
		minLen, maxLen int
	}{{"assertion", m.Assertion, 20, 400}, {"expected", m.Expected, 3, 300}} {
		switch n := utf8.RuneCountInString(f.text); {
		case n < f.minLen || n > f.maxLen:
			return problem{why: fmt.Sprintf("its %s has %d characters: write %d to %d", f.name, n, f.minLen, f.maxLen)}
		case passage.New(f.text).Imitates() || !utf8.ValidString(f.text):
			return problem{why: "its " + f.name + " has characters that nobody sees, or what a model takes for a token"}
		}
	}
	for _, word := range vagueWords.FindAllString(m.Assertion, -1) {
		if !dr.says(word) {
			return problem{"its assertion is not binary, since a word in it leaves open whether it is met", strings.ToLower(word)}
		}
	}
	if strings.HasSuffix(m.Assertion, "?") || !strings.ContainsFunc(m.Assertion, unicode.IsLetter) {
		return problem{why: "its assertion is no statement"}
	}
	return problem{}
}

// says tells whether the material has a word itself, with or without -ly: then it
// is a matter of the task, as in "on a scale from 1 to 5".
func (dr *draft) says(word string) bool {
	word = strings.TrimSpace(spacedWords(word))
	return slices.ContainsFunc([]string{word, word + "ly", strings.TrimSuffix(word, "ly")}, func(form string) bool {
		return strings.Contains(dr.words, " "+form+" ")
	})
}

// Bounds of the sentence that a criterion rests on: a word stands everywhere, and
// the commander reads the sentence.
const (
	minSentence = 2   // words
	maxSentence = 600 // bytes
)

// ground puts into m what the criterion rests on: items, or else a sentence.
func (dr *draft) ground(w *criterionReply, m *shadow.Material) problem {
	for _, name := range w.Rests {
		if strings.TrimSpace(name) == "" {
			continue
		}
		item := dr.itemNamed(name)
		if item == "" {
			return problem{"it rests on an item that the assignment does not have", name}
		}
		if !slices.Contains(m.Items, item) {
			m.Items = append(m.Items, item)
		}
	}
	sentence := strings.TrimSpace(w.Sentence)
	switch {
	case len(m.Items) > 0:
		return problem{}
	case sentence == "":
		return problem{why: "it rests on nothing: name items of the assignment in \"rests\", or copy a sentence into \"sentence\""}
	case len(fold.Words(sentence)) < minSentence || len(sentence) > maxSentence:
		return problem{why: "its sentence is too short or too long: copy one whole sentence"}
	}
	for _, it := range dr.items {
		if _, ok := passage.New(it.Text).Find(sentence); ok && it.Kind != shadow.Brief {
			m.Items = []string{it.Name}
			return problem{}
		}
	}
	for _, s := range dr.sources {
		if p, ok := s.read.Find(sentence); ok {
			if m.Basis = oneLine(s.text[p.From:p.To]); !bearsOn(m.Basis, m.Assertion) {
				return problem{why: "its sentence is about something else than its assertion"}
			}
			return problem{}
		}
	}
	return problem{"its sentence does not stand in the task, the specification or the brief: copy one character by character, or name items in \"rests\"", sentence}
}

// itemNamed is the name of the item that a model means: case, spaces, hyphens,
// the item's text behind a colon, and "requirement" before an id make no
// difference. It is empty where there is none.
func (dr *draft) itemNamed(name string) string {
	head, _, _ := strings.Cut(name, ": ")
	for _, meant := range []string{name, head} {
		for _, it := range dr.items {
			if key := nameKey(it.Name); nameKey(meant) == key || it.Kind == shadow.RequirementItem && "requirement"+nameKey(meant) == key {
				return it.Name
			}
		}
	}
	return ""
}

// nameKey is a name in small letters and digits alone.
func nameKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// bearsOn tells whether a sentence and an assertion are about one matter: they
// share a word that is neither common nor a word about documents.
func bearsOn(sentence, assertion string) bool {
	in := map[string]bool{}
	for _, w := range fold.Words(sentence) {
		in[fold.Beginning(w, 5)] = true
	}
	return slices.ContainsFunc(fold.Words(assertion), func(w string) bool {
		return !fold.Stop(w) && !aboutDocuments[w] && in[fold.Beginning(w, 5)]
	})
}

// aboutDocuments are words that assertions on any matter have.
var aboutDocuments = fold.WordSet(`document documents work says say said states state stated names name named gives give given describes describe described
	shows show shown lists list listed section part parts text task team one two least most same`)

// matter is a sentence without the words that say that something is done.
func matter(sentence string) *shadow.Material {
	words := slices.DeleteFunc(fold.Words(sentence), func(w string) bool { return aboutDocuments[w] || doing[fold.Beginning(w, 5)] })
	return &shadow.Material{Assertion: strings.Join(words, " ")}
}

// doing are the beginnings of words that say that something is done.
var doing = fold.WordSet("imple deliv write writt docum provi creat build built add added exist compl produ conta inclu prepa prese fully")

// checkNew refuses what another criterion or an item asks.
func (dr *draft) checkNew(m *shadow.Material) problem {
	for i := range dr.criteria {
		if m.SameAs(&dr.criteria[i]) {
			return problem{"it asks what another one asks", dr.criteria[i].Assertion}
		}
	}
	for _, it := range dr.items {
		if m.SameAs(&shadow.Material{Assertion: it.Text}) || matter(m.Assertion).SameAs(matter(it.Text)) {
			return problem{"it asks for an item, which is asked for anyway", it.Name}
		}
	}
	return problem{}
}
