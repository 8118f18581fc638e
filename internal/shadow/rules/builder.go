package rules

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// builder gathers the matters of one domain.
type builder struct {
	matters  assignment
	dom      *shadow.Domain
	security bool
	lang     tongue
	lex      lexicon
	have     map[string]bool // phrases, in lower case
	finder   *finder
	of       []int // matter of each phrase in finder
}

func newBuilder(d *shadow.Decomposition, dom *shadow.Domain, security bool, lang tongue, lex lexicon) *builder {
	items := len(dom.SubTasks) + len(dom.Deliverables) + len(dom.Constraints)
	b := &builder{dom: dom, security: security, lang: lang, lex: lex, have: make(map[string]bool, items), finder: newFinder(maxAlike)}
	for _, s := range dom.SubTasks {
		b.add(subTask, s)
	}
	for _, s := range dom.Deliverables {
		b.add(deliverable, s)
	}
	for _, s := range dom.Constraints {
		b.add(constraint, s)
	}
	if len(dom.SubTasks)+len(dom.Deliverables) == 0 { // the brief is all there is
		brief := dom.TaskBrief
		if strings.TrimSpace(brief) == "" && len(d.Domains) == 1 {
			brief = d.Task
		}
		b.add(subTask, brief)
	}
	b.named()
	return b
}

func (b *builder) add(k kind, text string) {
	var phrases []string
	for _, p := range phrasesOf(text) {
		phrases = append(phrases, listed(p)...)
	}
	for _, p := range phrases {
		words := wordsOf(p)
		if idle(p) {
			continue
		}
		if k == deliverable && itself(words, b.dom.Domain) || !b.fresh(p) {
			continue
		}
		it := item{kind: k, phrase: p, words: b.lex.content(words), also: alternatives(p)}
		c := classify(words, b.security)
		switch k {
		case deliverable:
			if c != shadow.Security {
				c = shadow.Completeness
			}
		case constraint:
			var asked bool
			if it.limit, asked = limitOf(p); it.limit {
				c = shadow.EdgeCase
			} else if it.traces = countTraces(p); asked && it.traces != nil && !negates(words) {
				c = shadow.EdgeCase
			} else if it.traces = nil; !asked || !askable(p, words) {
				continue
			}
		}
		b.place(it, c)
	}
}

// itself tells whether a deliverable is the bundle itself: "final report",
// "briefing text" of the domain briefing. A text need not name what it is.
func itself(words []string, domain string) bool {
	for _, w := range words {
		if !bundleWords[w] && !slices.Contains(wordsOf(strings.ReplaceAll(domain, "_", " ")), w) {
			return false
		}
	}
	return true
}

var bundleWords = set("a an the final full complete written text report briefing document memo article essay paper letter content draft post")

// fresh tells whether a phrase is not asked yet.
func (b *builder) fresh(phrase string) bool {
	key := strings.ToLower(phrase)
	if b.have[key] {
		return false
	}
	b.have[key] = true
	return true
}

// named adds the names that the brief mentions and no item has.
func (b *builder) named() {
	for _, p := range phrasesOf(b.dom.TaskBrief) {
		if negates(wordsOf(p)) {
			continue
		}
		for _, n := range namesIn(p) {
			if !b.mentions(n) && b.fresh(n) {
				it := item{kind: name, phrase: n, id: "brief", words: b.lex.content(wordsOf(n))}
				if !isName(n) { // one word, which the reading rule takes for too little
					it.traces = []string{"*" + strings.ToLower(n) + "*"}
				}
				b.place(it, shadow.Completeness)
			}
		}
	}
}

// mentions tells whether an item has a name in its phrase.
func (b *builder) mentions(name string) bool {
	name = strings.ToLower(name)
	for have := range b.have {
		if strings.Contains(have, name) {
			return true
		}
	}
	return false
}

// bind adds a requirement that bears on a matter, or on the domain as a whole
// if matter is negative. What says the same as an item joins it, so that what
// is missing once fails one criterion. A condition stands where conditions are
// asked for.
func (b *builder) bind(r item, at int) {
	if r.kind == name && b.mentions(r.phrase) || !b.fresh(r.phrase) {
		return
	}
	c := classify(wordsOf(r.phrase), b.security)
	switch {
	case r.kind == name:
		c = shadow.Completeness
	case r.condition && c == shadow.HappyPath:
		c = shadow.EdgeCase
	}
	if at >= 0 && r.kind != name {
		m := &b.matters[at]
		apart := r.condition && m.category != c && !slices.ContainsFunc(m.items, func(it item) bool { return sameMatter(it.words, r.words) })
		if !apart {
			m.items = append(m.items, r)
			return
		}
	}
	b.matters = append(b.matters, matter{category: c, items: []item{r}})
}

// sameMatter tells whether two phrases are about the same thing.
func sameMatter(x, y []string) bool {
	shared := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			shared++
		}
	}
	return shared >= 2 && float64(shared) >= alike*float64(min(len(x), len(y)))
}

// place puts an item to the matter that it is about, or makes one for it.
// Sub-tasks are told apart by their domain, and figures stand alone.
func (b *builder) place(it item, c shadow.Category) {
	m := -1
	if it.kind != subTask && it.kind != name && !it.limit {
		if n, share, shared := b.finder.best(it.words); share >= alike && shared >= 2 {
			m = b.of[n]
		}
	}
	if m < 0 {
		m = len(b.matters)
		b.matters = append(b.matters, matter{category: c})
	}
	b.matters[m].items = append(b.matters[m].items, it)
	if !it.limit {
		b.finder.add(len(b.of), it.words)
		b.of = append(b.of, m)
	}
}

// askable tells whether a bundle that keeps a constraint without a figure has
// to say so: only if it names a thing and forbids nothing. "Must not break the
// API" is kept in silence.
func askable(constraint string, words []string) bool {
	if !named(constraint) {
		return false
	}
	for _, w := range words {
		switch w {
		case "no", "not", "never", "without", "none", "avoid", "unchanged", "don", "cannot", "keep", "only", "nothing":
			return false
		}
	}
	return true
}
