package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// question can be asked of any work, and a program answers it.
type question struct {
	category shadow.Category
	words    []wording
	check    string
	message  string
	// limits: it is about the figures that the assignment sets as limits.
	limits bool
}

// wording is one way to put a question.
type wording struct{ assertion, expected string }

var (
	// figures and finished are asked in every draw.
	figures = &question{
		words: []wording{
			{"The figures of the work come out, and its summary states none that the work lacks.", "Sums, shares, products and totals follow from their parts, and the figures of the summary stand in the content."},
			{"Whoever works the stated results out again gets the same.", "No total, share, product or difference that does not follow from its operands, here or in the summary."},
		},
		// Numbers in words are known in English.
		check:   `text.miscalculations() + text.unbacked_numbers(bundle.summary).filter(n, text.language() in ['en', ''])`,
		message: "Figures that do not come out",
	}
	finished = &question{
		words: []wording{
			{"The work is handed in as finished and is more than its assignment.", "No text that is left to fill in, no conflict without a resolution, a status other than failed, and words of its own."},
			{"Nothing in the work waits to be filled in, settled or written at all.", "Placeholders are replaced, conflicts resolved, and the text says more than the assignment did."},
		},
		check: `text.placeholders().map(p, 'left to fill in: ' + p) + ` +
			`bundle.conflicts.filter(c, !has(c.resolution) || c.resolution == '').map(c, 'a conflict without a resolution: ' + c.description) + ` +
			`(bundle.status == 'failed' ? ['handed in as failed'] : []) + ` +
			`(text.adds_to(domain.sub_tasks + domain.deliverables + domain.constraints) ? [] : ['it says no more than the assignment'])`,
		message: "Unfinished",
	}

	// questions are drawn from where a category has room.
	questions = []*question{
		{
			category: shadow.EdgeCase, limits: true,
			words: []wording{
				{"The limits that were set as figures stand in the work.", "Each figure of the constraints, in any usual form, or a figure that keeps the bound."},
				{"The work says by which of the required limits it goes.", "Every stated bound of the assignment turns up with its value."},
			},
			// The words of a bound, such as "at most", are known in English.
			// Telling the language costs more than the rest: it is asked for once.
			check: `material.limits.exists(l, l.has_quantity() && !text.states(l)) && text.language() in ['en', ''] ? ` +
				`material.limits.filter(l, l.has_quantity() && !text.states(l)).map(l, l + ': not stated') : []`,
			message: "A limit of the assignment is not dealt with",
		},
		{
			category: shadow.Security,
			words: []wording{
				{"The work shows no live secret.", "No private key, access key or personal token stands in the content."},
				{"No credential is given away in the text.", "Keys and tokens are named, never printed."},
			},
			check: `['AKIA', 'PRIVATE KEY', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'xox'].exists(p, text.contains(p)) && ` +
				`text.matches('\\bAKIA[0-9A-Z]{16}\\b|-----BEGIN [A-Z ]*PRIVATE KEY-----\\s+[A-Za-z0-9+/=]{40}|\\bgh[pousr]_[A-Za-z0-9]{36}|\\bxox[abprs]-[0-9A-Za-z-]{20}') ? ['a key or token is printed'] : []`,
			message: "Take the secret out of the text and replace it where it is in use",
		},
	}

	// standby are asked where an assignment has too little to ask for. Each
	// stands in a criterion of its own then.
	standby = []*question{
		{
			words: []wording{
				{"The content is there.", "At least a sentence of content."},
				{"The work can be read.", "A content with at least one sentence."},
			},
			check:   `text.words().size() >= 5 ? [] : ['no content']`,
			message: "There is nothing to read",
		},
		{
			words: []wording{
				{"The summary has a content behind it.", "A content that is no shorter than the summary."},
				{"The work says more than its summary.", "More words in the content than in the summary."},
			},
			check:   `text.words().size() >= bundle.summary.words().size() ? [] : ['the summary is longer than the content']`,
			message: "The summary has no content behind it",
		},
	}
)

// fits tells whether the question has something to ask for.
func (q *question) fits(d *shadow.Decomposition) bool {
	return !q.limits || slices.ContainsFunc(d.Domains, func(dom shadow.Domain) bool { return len(limitsOf(&dom)) > 0 })
}

// limitsOf lists the constraints of a domain that set a limit, or a time, a size
// or a share. One on the length of the text itself is kept in silence.
func limitsOf(d *shadow.Domain) (limits []any) {
	for _, c := range d.Constraints {
		ofText := slices.ContainsFunc(fold.Words(c), func(w string) bool { return slices.Contains(textUnits, w) })
		isLimit := func(q quantity.Quantity) bool {
			return q.Bound != quantity.Exact || slices.Contains([]string{"time", "bytes", "%"}, q.Of)
		}
		if !ofText && len(c) <= maxLimit && quantity.Has(c) && slices.ContainsFunc(quantity.Find(c), isLimit) {
			limits = append(limits, c)
		}
	}
	return limits
}

// maxLimit is how long a phrase is that checks take, in bytes.
const maxLimit = 2000

var textUnits = strings.Fields("word words page pages character characters line lines sentence sentences paragraph paragraphs slide slides")

// criterion puts the question in one of its wordings.
func (q *question) criterion(c shadow.Category, d *shadow.Decomposition, r *rand.Rand) shadow.Criterion {
	w := q.words[r.IntN(len(q.words))]
	out := shadow.Criterion{Category: c, Assertion: w.assertion, Expected: w.expected, Check: q.check, Material: map[string]shadow.Material{}}
	for i := range d.Domains {
		dom := &d.Domains[i]
		m := shadow.Material{Message: q.message}
		if q.limits {
			limits := limitsOf(dom)
			if len(limits) == 0 {
				continue
			}
			m.Data = map[string]any{"limits": limits}
		}
		out.Material[dom.Domain] = m
	}
	return out
}

// deliveries are the wordings of criteria of delivery, by the category whose
// items they ask for.
var deliveries = map[shadow.Category][]wording{
	shadow.HappyPath: {
		{"The domain's part of the task is done, not announced.", "For each item a passage of its own that does what was asked."},
		{"What the domain was asked to do stands in its work.", "Content on each item; none is put off or left out."},
	},
	shadow.Completeness: {
		{"The deliverables that were asked for are there.", "Each deliverable itself, not only its name."},
		{"Everything that was to be handed over is handed over.", "No deliverable is missing, promised for later or replaced by a mention."},
	},
	shadow.EdgeCase: {
		{"The conditions and bounds of the assignment are dealt with.", "Content on each condition and constraint; none is set aside."},
		{"What holds in special cases, and within which bounds, is worked out.", "Each condition that the assignment names is treated."},
	},
	shadow.ErrorHandling: {
		{"What was asked for where something fails or is refused is done.", "Content on each failure that the assignment names."},
		{"The failures that the assignment names are handled.", "For each of them the work says what happens."},
	},
}

func deliveryOf(c, of shadow.Category, material map[string]shadow.Material, r *rand.Rand) shadow.Criterion {
	words := deliveries[of]
	w := words[r.IntN(len(words))]
	return shadow.Criterion{Category: c, Assertion: w.assertion, Expected: w.expected, Delivery: true, Material: material}
}

// distinct tells criteria apart that have the same words: they ask for other
// parts of the assignments.
func distinct(criteria []shadow.Criterion) []shadow.Criterion {
	seen := map[string]int{}
	for i := range criteria {
		c := &criteria[i]
		seen[c.Assertion]++
		if n := seen[c.Assertion]; n > 1 {
			c.Assertion = fmt.Sprintf("%s (part %d)", c.Assertion, n)
		}
	}
	return criteria
}
