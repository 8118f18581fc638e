package rules

import (
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// requirementsOf lists the requirements of a run: the numbered ones, and what
// the specification demands, or lays down for some case, and no numbered one
// repeats. The names that its other sentences mention follow.
func requirementsOf(d *shadow.Decomposition, lex lexicon) []item {
	var out []item
	known := newFinder(maxAlike)
	add := func(r item) {
		known.add(len(out), r.words)
		out = append(out, r)
	}
	for _, r := range d.Requirements {
		for _, p := range phrasesOf(r.Text) {
			p = asCase(p)
			words := wordsOf(p)
			add(item{kind: requirement, phrase: p, also: alternatives(p), id: strings.ToValidUTF8(r.ID, ""), words: lex.content(words), condition: conditional(words)})
		}
	}
	if d.Specification == "" {
		return out
	}
	given := len(out)
	t := check.Analyse(strings.ToValidUTF8(d.Specification, ""))
	outside := sectionsOutside(t)
	var names []item
	for i := range t.Lines {
		l := &t.Lines[i]
		if outside[l.Section] {
			continue
		}
		id, text, optional := statementOf(l)
		for _, p := range appendPhrase(nil, text) {
			p = asCase(p)
			words := wordsOf(p)
			content := lex.content(words)
			switch {
			case optional, strings.HasSuffix(p, "?"):
			case id != "" && l.Kind == check.Row || demands(p) || lays(words):
				if n, share, shared := known.best(content); n >= 0 && n < given && shared >= 2 && share >= alike {
					continue
				}
				if conditional(words) || !silent(p, words) {
					add(item{kind: requirement, phrase: p, also: alternatives(p), id: id, words: content, heads: headsOf(t, l.Section, lex),
						condition: conditional(words), doubted: id == "" && !demands(p)})
				}
			case !negates(words):
				for _, n := range namesIn(p) {
					names = append(names, item{kind: name, phrase: n, id: "specification", words: content})
				}
			}
		}
	}
	return append(out, names...)
}

// numbered lists the ids of the run's numbered requirements by the phrases that
// are asked for them, in lower case.
func numbered(d *shadow.Decomposition) map[string][]string {
	ids := map[string][]string{}
	for _, r := range d.Requirements {
		for _, p := range phrasesOf(r.Text) {
			key := strings.ToLower(asCase(p))
			ids[key] = append(ids[key], r.ID)
		}
	}
	return ids
}

// headsOf gives the content words of the headings above a section's lines. The
// document's own title is none of them.
func headsOf(t *check.Text, section int, lex lexicon) []string {
	title := ""
	for s := section; s > 0 && t.Sections[s].Level > 1; s = t.Sections[s].Up {
		title += " " + t.Sections[s].Title
	}
	return lex.content(wordsOf(title))
}

// asCase puts a case that opens with "when" as one with "if". The reading rule
// takes a phrase that opens with "when" for a question.
func asCase(phrase string) string {
	if rest, ok := strings.CutPrefix(phrase, "When "); ok {
		return "If " + rest
	}
	return phrase
}

// statementOf is what a line of a specification says, without its number. Of a
// row it is the longest cell; optional tells that the line leaves the choice.
func statementOf(l *check.Line) (id, text string, optional bool) {
	switch l.Kind {
	case check.Sentence, check.Item:
		text = l.Text
	case check.Row:
		if l.Header < 0 {
			return "", "", false
		}
		for _, cell := range strings.Split(l.Text, " | ") {
			cell = strings.TrimSpace(cell)
			if len(cell) > len(text) {
				text = cell
			}
			if m := numberForm.FindString(cell); m == cell {
				id = cell
			}
			optional = optional || choice[strings.ToLower(cell)]
		}
	}
	if m := leadForm.FindStringSubmatch(text); m != nil {
		id, text = m[1], text[len(m[0]):]
	}
	return id, text, optional
}

// Numbers of requirements: FR-3, R12, NFR-1.2, "REQ 7".
var (
	numberForm = regexp.MustCompile(`^[A-Z]{1,6}[-_ ]?\d+(\.\d+)*`)
	leadForm   = regexp.MustCompile(`^\W{0,3}([A-Z]{1,6}[-_ ]?\d+(?:\.\d+)*)\W{0,2}[:.)–-]\s+`)
)

// choice are the priorities that leave a requirement open.
var choice = set("could may optional won't wont nice-to-have low")

// sectionsOutside tells which sections say what is not asked for, or why all
// this is done.
func sectionsOutside(t *check.Text) []bool {
	out := make([]bool, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		if s.Up >= 0 && out[s.Up] {
			out[i] = true
			continue
		}
		title := " " + strings.Join(wordsOf(s.Title), " ") + " "
		for _, words := range []string{"not part", "out of scope", "outside the scope", "not in scope", "non goal", "non goals", "future", "background", "motivation", "alternatives", "glossary"} {
			out[i] = out[i] || strings.Contains(title, " "+words+" ")
		}
	}
	return out
}

// demands tells whether a sentence asks for something.
func demands(sentence string) bool {
	for _, w := range wordsOf(sentence) {
		switch w {
		case "must", "shall", "should", // German, Spanish, French:
			"muss", "müssen", "soll", "sollen", "darf", "dürfen", "debe", "deben", "deberá", "deberán", "doit", "doivent", "devra":
			return true
		}
	}
	return false
}

// conditional tells whether a sentence says what holds in some case.
func conditional(words []string) bool {
	for i, w := range words {
		switch w {
		case "if", "unless", "whenever", "wenn", "falls", "si", "lorsque":
			return true
		case "when", "while", "once", "after", "during", "cuando", "quand":
			if i == 0 {
				return true
			}
		case "case":
			if i > 0 && words[i-1] == "in" {
				return true
			}
		}
	}
	return false
}

// lays tells whether a sentence without must or should lays down what happens
// in a case that is out of the ordinary: "If the store is unavailable, the
// endpoint answers 503." What hopes, allows or asks does not.
func lays(words []string) bool {
	if !conditional(words) {
		return false
	}
	unusual := classify(words, false) != shadow.HappyPath
	for _, w := range words {
		switch w {
		case "may", "might", "would", "could", "want", "wants", "wanted", "hope", "wish", "today", "currently", "we", "they":
			return false
		}
		unusual = unusual || unusualWords[w]
	}
	return unusual
}

// unusualWords make a condition one that a careful worker deals with.
var unusualWords = set(`cannot damaged missing unknown refused refuses lost late absent blocked twice repeated repeats disagree disagrees contradict
	contradicts leaves second again interrupted cancelled canceled`)

// negates tells whether a sentence says what is not to be, or no longer is.
func negates(words []string) bool {
	for _, w := range words {
		switch w {
		case "no", "not", "never", "without", "none", "avoid", "unchanged", "don", "cannot", "nothing", "instead", "replace", "replaces", "replaced",
			"remove", "removes", "removed", "old", "former", "formerly", "except", "forbidden", "nicht", "kein", "keine", "ohne", "statt", "sin", "sans":
			return true
		}
	}
	return false
}

// silent tells whether a requirement is kept in silence: it forbids something,
// without a figure or a name that one could come across.
func silent(phrase string, words []string) bool {
	return negates(words) && !named(phrase) && !strings.ContainsAny(phrase, "0123456789")
}
