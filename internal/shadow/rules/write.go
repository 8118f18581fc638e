package rules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// criterion writes out what is asked, in one of its wordings.
func (a *ask) criterion(d *shadow.Decomposition, r *rand.Rand) shadow.Criterion {
	c := shadow.Criterion{Category: a.category, Material: make(map[string]shadow.Material, len(d.Domains))}
	if q := a.question; q != nil {
		w := q.words[r.IntN(len(q.words))]
		c.Assertion, c.Expected, c.Check = a.sized(w.assertion), a.sized(w.expected), withText(a.sized(q.check))
		for i := range d.Domains {
			c.Material[d.Domains[i].Domain] = q.material(d, &d.Domains[i])
		}
		return c
	}
	w := partWords[a.category]
	if w == nil {
		w = partWords[shadow.HappyPath]
	}
	one := w[r.IntN(len(w))]
	c.Assertion, c.Expected = a.labelled(one.assertion), one.expected
	if a.finished {
		c.Assertion = strings.TrimSuffix(c.Assertion, ".") + ", and nothing in the bundle is left to be filled in."
		c.Expected += " No mark or bracket stands where content belongs."
	}
	if a.figures != nil {
		c.Assertion = strings.TrimSuffix(c.Assertion, ".") + ", and the stated figures are right."
	}
	chunks, limits := a.shape()
	c.Check = a.check(chunks, limits)
	for i := range d.Domains {
		c.Material[d.Domains[i].Domain] = a.material(d, i, chunks)
	}
	return c
}

// partWords are the ways to ask for a part of the assignments. {part} is empty
// if there is one part only.
var partWords = map[shadow.Category][]wording{
	shadow.HappyPath: {
		{"Each main task of the domain's assignment{part} has been worked on.", "A passage for each main task of the domain's assignment."},
		{"The bundle carries out the main tasks{part} that its domain was given.", "No main task of the domain's assignment is without a passage of its own."},
	},
	shadow.EdgeCase: {
		{"The limits and special cases of the assignment{part} are dealt with.", "A passage on each special case of the assignment, and the figure of each limit."},
		{"What the assignment says about unusual cases and limits{part} has been taken up.", "Each special case of the assignment is treated, each limit stated with its figure."},
	},
	shadow.ErrorHandling: {
		{"The failures that the assignment names{part} are dealt with.", "For each failure that the assignment names, a passage on what happens then."},
		{"Wherever the assignment speaks of errors and their consequences{part}, the bundle has an answer.", "No failure, refusal or emergency of the assignment goes without treatment."},
	},
	shadow.Completeness: {
		{"What the domain was to hand over{part} is there.", "Each thing to be handed over is found in the bundle."},
		{"The bundle holds all that it was to deliver{part}.", "None of the things to be delivered is absent."},
	},
	shadow.Security: {
		{"The protective measures of the assignment{part} have been worked on.", "A passage on each protective measure of the assignment."},
		{"What the assignment asks for in the way of security{part} is dealt with.", "No security point of the assignment goes without treatment."},
	},
}

// labelled names the part, so that no two criteria say the same.
func (a *ask) labelled(s string) string {
	label := ""
	if a.parts > 1 {
		label = fmt.Sprintf(" (part %d of %d)", a.part, a.parts)
	}
	return strings.Replace(s, "{part}", label, 1)
}

// shape tells how many lists of phrases the domain with the most of them
// needs, and whether any domain has limits.
func (a *ask) shape() (chunks int, limits bool) {
	for _, items := range a.items {
		n := 0
		for i := range items {
			if items[i].limit {
				limits = true
			} else {
				n++
			}
		}
		chunks = max(chunks, (n+check.MaxPhrases-1)/check.MaxPhrases)
	}
	return max(chunks, 1), limits
}

// chunkKey names the k-th list of phrases in the material.
func chunkKey(k int) string {
	if k == 0 {
		return "items"
	}
	return fmt.Sprintf("items%d", k+1)
}

// check looks for the phrases and figures of the material. For a domain that
// has none it asks the stand-in instead. A text that is not there fails
// whatever is asked.
func (a *ask) check(chunks int, limits bool) string {
	terms := make([]string, 0, chunks+3)
	for k := range chunks {
		terms = append(terms, "text.missing(material."+chunkKey(k)+")")
	}
	none := "material.items.size() == 0"
	if limits {
		terms = append(terms, "material.limits.filter(l, !text.states(l)).map(l, l + ': no such figure is stated')")
		none += " && material.limits.size() == 0"
	}
	if a.finished {
		terms = append(terms, "text.placeholders().map(p, '"+open+": ' + p)")
	}
	instead := "[]"
	if a.standIn != nil {
		instead = a.standIn.check
	}
	if a.finished {
		instead = nothingOpen.check
	}
	if a.figures != nil {
		instead = a.figures.check
		terms = append(terms, instead)
	}
	// Whoever handed in next to nothing is told all that there is to do.
	var all []string
	for k := range chunks {
		all = append(all, "material."+chunkKey(k)+".map(p, p + ': "+nothing+"')")
	}
	if limits {
		all = append(all, "material.limits.map(l, l + ': "+nothing+"')")
	}
	return isThin + " ? (" + none + " ? " + nothingThere + " : " + strings.Join(all, " + ") + ")" +
		" : " + none + " ? (" + instead + ") : " + strings.Join(terms, " + ")
}

// material is what a part asks the i-th domain for.
func (a *ask) material(d *shadow.Decomposition, i, chunks int) shadow.Material {
	dom := &d.Domains[i]
	limits := []any{}
	phrases := make([][]any, chunks)
	for k := range phrases {
		phrases[k] = []any{}
	}
	m := shadow.Material{Messages: make(map[string]string, len(a.items[i])+2), Data: map[string]any{}}
	m.Messages[thin] = thinMessage
	if a.finished {
		m.Messages[open] = dom.Domain + ": " + openMessage
	}
	n := 0
	for _, it := range a.items[i] {
		m.Messages[it.phrase] = it.message()
		if it.limit {
			limits = append(limits, it.phrase)
			continue
		}
		phrases[n/check.MaxPhrases] = append(phrases[n/check.MaxPhrases], it.phrase)
		n++
	}
	for k := range phrases {
		m.Data[chunkKey(k)] = phrases[k]
	}
	m.Data["limits"] = limits
	m.Message = dom.Domain + ": a part of the assignment is still to be done"
	if a.figures != nil {
		m.Message = dom.Domain + ": " + a.figures.message
	}
	if len(a.items[i]) == 0 && a.standIn != nil {
		s := a.standIn.material(d, dom)
		m.Message = s.Message
		if !a.finished && a.figures == nil {
			m.Messages[thin] = s.Messages[thin]
		}
		maps.Copy(m.Data, s.Data)
	}
	if a.standIn != nil && a.standIn.terms && m.Data["terms"] == nil {
		m.Data["terms"] = []any{}
	}
	return m
}

// material is what a question asks a domain for.
func (q *question) material(d *shadow.Decomposition, dom *shadow.Domain) shadow.Material {
	m := shadow.Material{Message: dom.Domain + ": " + q.message, Messages: map[string]string{thin: thinMessage}}
	if !q.absence { // what it wants says more
		m.Messages[thin] = m.Message
	}
	if q.terms {
		m.Data = map[string]any{"terms": termsOf(d, dom)}
	}
	return m
}

// maxTerms bounds the words of a brief that are looked for.
const maxTerms = 12

// termsOf returns the words that say what a domain is about, with stars for
// their endings: those of its brief, or of the run's task if it has none.
func termsOf(d *shadow.Decomposition, dom *shadow.Domain) []any {
	brief := dom.TaskBrief
	if strings.TrimSpace(brief) == "" {
		brief = d.Task
	}
	terms := []any{}
	for _, w := range (lexicon{}).content(wordsOf(clip(brief, 1000))) {
		if len(terms) == maxTerms {
			break
		}
		if strings.IndexFunc(w, unicode.IsLetter) >= 0 && len(w) > 3 && len(w) < 100 {
			terms = append(terms, "*"+strings.TrimRight(w, "eiy")+"*")
		}
	}
	return terms
}
