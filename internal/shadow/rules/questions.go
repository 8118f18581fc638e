package rules

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// question can be asked of any work, and a program answers it.
type question struct {
	words   []wording
	check   string
	message string
}

// wording is one way to put a question.
type wording struct{ assertion, expected string }

var (
	// figures or bounded, and finished, are asked in every draw.
	figures = &question{
		words: []wording{
			{"The figures of the work come out, and its summary states none that the work lacks.", "Sums, shares, products and totals follow from their parts, and the figures of the summary stand in the content."},
			{"Whoever works the stated results out again gets the same.", "No total, share, product or difference that does not follow from its operands, here or in the summary."},
		},
		// Numbers in words are known in English.
		check:   `text.miscalculations() + text.unbacked_numbers(bundle.summary).filter(n, text.language() in ['en', ''])`,
		message: "Figures that do not come out",
	}
	bounded = &question{
		words: []wording{
			{"The figures of the work come out, and the limits that were set as figures stand in it.", "Sums, shares, products and totals follow from their parts. Each limit is stated in any usual form, or a figure that keeps it."},
			{"The work states the limits that it keeps, and its results can be worked out again.", "Every limit of the assignment that is a figure, or a figure within it, and no result that does not follow from its operands."},
		},
		// The words of a bound, such as "at most", are known in English.
		// Telling the language costs more than the rest: it is asked for once.
		check: figures.check + ` + (has(material.limits) && material.limits.exists(l, l.has_quantity() && !text.states(l)) && text.language() in ['en', ''] ? ` +
			`material.limits.filter(l, l.has_quantity() && !text.states(l)).map(l, 'not stated: ' + l) : [])`,
		message: "Figures that do not come out, or a limit of the assignment that is not dealt with",
	}
	finished = &question{
		words: []wording{
			{"The work did not fail, and nothing in it is left unsettled.", "A status other than failed, each conflict with a resolution, no text to fill in, and more than the assignment says."},
			{"What went wrong in the work was settled before it was handed in.", "It is not handed in as failed, as an echo of its assignment, with an open conflict or with gaps to fill in."},
		},
		check: `text.placeholders().map(p, 'left to fill in: ' + p) + ` +
			`bundle.conflicts.filter(c, !has(c.resolution) || c.resolution == '').map(c, 'a conflict without a resolution: ' + c.description) + ` +
			`(bundle.status == 'failed' ? ['handed in as failed'] : []) + ` +
			`(text.adds_to(domain.sub_tasks + domain.deliverables + domain.constraints) ? [] : ['it says no more than the assignment'])`,
		message: "Unfinished",
	}

	// own are questions of one category.
	own = map[shadow.Category][]*question{shadow.Security: {{
		words: []wording{
			{"The work shows no live secret.", "No private key, access key or personal token stands in the content."},
			{"No credential is given away in the text.", "Keys and tokens are named, never printed."},
		},
		check: `['AKIA', 'PRIVATE KEY', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'xox'].exists(p, text.contains(p)) && ` +
			`text.matches('\\bAKIA[0-9A-Z]{16}\\b|-----BEGIN [A-Z ]*PRIVATE KEY-----\\s+[A-Za-z0-9+/=]{40}|\\bgh[pousr]_[A-Za-z0-9]{36}|\\bxox[abprs]-[0-9A-Za-z-]{20}') ? ['a key or token is printed'] : []`,
		message: "Take the secret out of the text and replace it where it is in use",
	}}}

	// fallback is asked where an assignment has too little to ask for.
	fallback = &question{
		words: []wording{
			{"The summary has a content behind it.", "A content that is no shorter than the summary."},
			{"The work says more than its summary.", "More words in the content than in the summary."},
		},
		check:   `text.words().size() >= bundle.summary.words().size() ? [] : ['the summary is longer than the content']`,
		message: "The summary has no content behind it",
	}
)

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
		if q == bounded {
			if limits := limitsOf(dom); len(limits) > 0 {
				m.Data = map[string]any{"limits": limits}
			}
		}
		out.Material[dom.Domain] = m
	}
	return out
}

// deliveries are the wordings of criteria of delivery, by the category whose
// items they ask for. The items stand beside them.
var deliveries = map[shadow.Category][]wording{
	shadow.HappyPath: {
		{"These parts of the assignment are done, and not only announced.", "For each item a passage that does it; none says that it was left out."},
		{"None of these items was skipped or put off.", "Each is treated where a reader looks for it, and nothing says that it was not done."},
		{"Whoever asked for these items finds them in the work.", "A passage of its own on each item, with more in it than the item says."},
	},
	shadow.Completeness: {
		{"These deliverables are in the work.", "Each of them itself, not only its name."},
		{"Each deliverable on this list is handed over.", "None is missing, promised for later or replaced by a mention."},
		{"The work has these deliverables in a form that can be used.", "The content of each one; none says that it was left out."},
	},
	shadow.EdgeCase: {
		{"These bounds and special cases are dealt with.", "Each is kept or treated; none is set aside."},
		{"The work holds where these conditions and constraints apply.", "For each, what holds then; none says that it was ignored."},
		{"None of these constraints and special cases was dropped.", "Each constraint is kept, and each special case has its answer."},
	},
	shadow.ErrorHandling: {
		{"These failures and refusals are handled.", "For each item, what happens when something goes wrong."},
		{"What was asked for in case something fails is there.", "A passage on each item; none says that it was left out."},
		{"For each of these failures the work says what comes next.", "The reaction, the way back or the refusal that was asked for."},
	},
}
