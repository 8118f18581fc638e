package check

import (
	"strings"
	"unicode"
)

// Weights of the words of a phrase.
const (
	weightOpening   = 0.45 // an opening verb that is neither generic nor the matter itself
	weightAndVerb   = 0.15 // a generic verb behind "and", or in "that creates"
	weightGenre     = 0.35 // a noun of genre, a light verb
	weightQualifier = 0.35 // an adjective or adverb that narrows a thing down
	weightDigit     = 0.5  // a number of one digit
	weightPassive   = 0.5  // what is done to the matter: "is requested"
	maxTerms        = 40
	shortNameBytes  = 8
)

// phraseTerm is one word of a phrase, or one identifier.
type phraseTerm struct {
	raw      string
	stem     string
	parts    []string // stems of an identifier's parts
	weight   float32
	anchor   int // how many content words it counts for; 0 for verbs and genre
	verb     bool
	hash     uint64 // of stem
	synonyms []stemHash
	touches  lineIs // what a line that has it is
}

type stemHash struct {
	stem string
	hash uint64
}

// finish adds what does not depend on the phrase.
func (t *phraseTerm) finish() {
	t.hash = hashOf(t.stem)
	t.touches = touched | spoken
	if t.verb {
		t.touches = touched
	}
	for _, g := range synonyms.of[t.stem] {
		for _, other := range synonyms.groups[g] {
			if other != t.stem {
				t.synonyms = append(t.synonyms, stemHash{other, hashOf(other)})
			}
		}
	}
}

// phrase is a phrase made ready to be looked for.
type phrase struct {
	text   string
	lower  string
	terms  []phraseTerm
	weight float32 // of all terms
	anchor int
	// reason: it asks for a reason, a comparison or an effect. property: it
	// states what must hold. Texts answer both without naming them.
	reason, property bool
	// restricts: it asks that something is not done. Then a text that negates
	// it does as it is told.
	restricts bool
}

// phraseFor is parsePhrase with a memory. The phrases are those of sealed
// material: every bundle of a domain is searched for the same. A phrase must
// not be changed.
func phraseFor(text string) *phrase {
	if p, ok := knownPhrases.Get(text); ok {
		return p
	}
	text = strings.Clone(text) // it may be a piece of a document
	p := parsePhrase(text)
	knownPhrases.Add(text, &p)
	return &p
}

var knownPhrases = newLRU[*phrase](2048)

func parsePhrase(text string) phrase {
	p := phrase{text: text, lower: strings.ToLower(text)}
	seen := map[string]int{}
	fields := strings.Fields(text)
	// opening: the next word opens the phrase, as a verb. A sentence ("keys
	// must rotate") and a noun ("rotation of keys") open with none.
	opening, content := imperative(fields), false
	and, relative, passive := false, false, false
	for n := 0; n < len(fields) && len(p.terms) < maxTerms; n++ {
		field := strings.Trim(fields[n], "`\"'()[]{}<>,;:!?*“”‘’.")
		if n+1 < len(fields) { // "roll back" is one word
			next := strings.ToLower(strings.Trim(fields[n+1], "`\"'()[]{}<>,;:!?*“”‘’."))
			if joined := compound(strings.ToLower(field), next); joined != "" {
				field = joined
				n++
			}
		}
		if field == "" {
			continue
		}
		if t, ok := identifier(field); ok {
			p.add(t, seen)
			opening, and, relative, passive = false, false, false, false
			content = true
			continue
		}
		var words []lexeme
		tokenise(field, lowerASCII(field), func(t lexeme) { words = append(words, t) })
		for i, w := range words {
			if last := words[len(words)-1]; last.joined && compounds[last.word] {
				if i > 0 { // the whole replaces its parts: roll-back
					break
				}
				w = lexeme{word: last.word}
			}
			if w.joined {
				continue
			}
			if reasonWords[w.word] || n <= 1 && questionWords[w.word] || opening && reasonVerbs[w.word] {
				p.reason = true
			}
			if restrictions[w.word] {
				p.restricts = true
			}
			if modals[w.word] && content {
				p.property = true
			}
			if !stopWords[w.word] && (len(w.word) > 1 || isNumber(w.word)) {
				t := p.term(w.word, opening, and, relative)
				if passive && t.weight == 1 && strings.HasSuffix(w.word, "ed") {
					t.weight = weightPassive
				}
				p.add(t, seen)
				content = true
			}
			opening = false
		}
		lower := strings.ToLower(field)
		and = lower == "and" || lower == "or"
		relative = lower == "that" || lower == "which" || lower == "to"
		passive = lower == "is" || lower == "are" || lower == "be" || lower == "was" || lower == "were" || lower == "been"
	}
	for i := range p.terms {
		p.terms[i].finish()
	}
	for _, t := range p.terms {
		p.weight += t.weight
		p.anchor += t.anchor
	}
	return p
}

// core is the phrase in lower case without what only orders it: "rollback plan"
// of "Write the rollback plan".
func (p *phrase) core() string {
	words := strings.Fields(strings.TrimRight(p.lower, ".!"))
	if len(p.terms) > 0 && p.terms[0].verb && p.terms[0].weight == 0 {
		words = words[1:]
	}
	for len(words) > 0 && (words[0] == "the" || words[0] == "a" || words[0] == "an" || words[0] == "our" || words[0] == "its") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// imperative tells whether a phrase opens with a verb that orders something.
// A sentence ("keys must rotate"), a noun ("rotation of keys") and a name of a
// few words ("retraining schedule") do not.
func imperative(fields []string) bool {
	if len(fields) == 0 {
		return false
	}
	for i, f := range fields {
		f = strings.ToLower(f)
		if i == 1 && f == "of" || i > 0 && modals[f] {
			return false
		}
	}
	first := strings.ToLower(strings.Trim(fields[0], "`\"'()[]{}<>,;:!?*“”‘’."))
	if matterVerbs[first] || genericVerbs[stem(first)] {
		return true
	}
	for _, end := range [...]string{"ing", "ion", "ions", "ment", "ity", "ness", "ance", "ence", "ies", "al", "ic", "ive", "ous"} {
		if len(first) > len(end)+3 && strings.HasSuffix(first, end) {
			return false
		}
	}
	if n := len(first); n > 3 && first[n-1] == 's' && !strings.ContainsRune("sui", rune(first[n-2])) { // signatures use RS256
		return false
	}
	if len(fields) > 3 {
		return true
	}
	for _, f := range fields[1:] {
		if stopWords[strings.ToLower(f)] { // "resume the upload"
			return true
		}
	}
	return false
}

// term weighs a word by its place.
func (p *phrase) term(w string, opening, and, relative bool) phraseTerm {
	t := phraseTerm{raw: w, stem: stem(w), weight: 1, anchor: 1}
	generic := genericVerbs[t.stem]
	switch {
	case opening && generic:
		t.weight, t.anchor, t.verb = 0, 0, true
	case opening && !matterVerbs[w]:
		t.weight, t.anchor, t.verb = weightOpening, 0, true
	case (and || relative) && generic:
		t.weight, t.anchor, t.verb = weightAndVerb, 0, true
	case genreNouns[w] || lightVerbs[t.stem]:
		t.weight, t.anchor = weightGenre, 0
	case qualifiers[w] || len(w) > 5 && strings.HasSuffix(w, "ly"):
		t.weight, t.anchor = weightQualifier, 0
	case isNumber(w) && len(w) == 1:
		t.weight, t.anchor = weightDigit, 0
	}
	return t
}

// add takes a term, or raises the weight of the same word's earlier one.
func (p *phrase) add(t phraseTerm, seen map[string]int) {
	if i, ok := seen[t.stem]; ok && i < len(p.terms) && p.terms[i].stem == t.stem {
		if t.weight > p.terms[i].weight {
			p.terms[i] = t
		}
		return
	}
	seen[t.stem] = len(p.terms)
	p.terms = append(p.terms, t)
}

// identifier reads a name as programs write it: refresh_tokens, keyRotation,
// jwt-service.ts, /auth/refresh. It is one thing, so that its parts must
// stand together to name it.
func identifier(field string) (phraseTerm, bool) {
	name := field
	named := strings.Contains(field, "_")
	if i := strings.LastIndexByte(field, '.'); i > 1 && isExtension(field[i+1:]) {
		name = field[strings.LastIndexByte(field[:i], '/')+1 : i]
		named = true
	} else if strings.HasPrefix(field, "/") || strings.Count(field, "/") > 1 {
		named = true
	}
	if !named {
		var before rune
		for _, r := range field {
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				named = true
			}
			if r == '/' {
				return phraseTerm{}, false // login/logout
			}
			before = r
		}
	}
	if !named {
		return phraseTerm{}, false
	}
	var parts []string
	tokenise(name, lowerASCII(name), func(t lexeme) {
		if !t.joined {
			parts = append(parts, t.word)
		}
	})
	if len(parts) < 2 || len(parts) > 6 {
		return phraseTerm{}, false
	}
	joined := strings.Join(parts, "")
	t := phraseTerm{raw: field, stem: stem(joined), weight: float32(min(len(parts), 3)), anchor: 2}
	if len(joined) <= shortNameBytes && !strings.Contains(field, "_") { // a name: OpenAPI, GitHub
		t.weight, t.anchor = 1, 1
	}
	for _, part := range parts {
		t.parts = append(t.parts, stem(part))
	}
	return t, true
}

func isExtension(s string) bool {
	if len(s) == 0 || len(s) > 5 {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) {
			return false
		}
	}
	return !isNumber(s)
}
