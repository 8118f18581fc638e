package rules

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// question is one that can be asked of any piece of work. Its check is a list
// of what is wrong with a text that is there.
type question struct {
	category shadow.Category
	// weight is how decisive the answer is, and so how often a draw takes the
	// question: 8 for a flaw that anybody grants, 1 for a hint.
	weight int
	// standIn says that it may be put to a domain that was given nothing of
	// the category. It must be one that decent work hardly ever fails.
	standIn bool
	// apart says that it asks for something else than the parts of its
	// category do: it stands in where no other question is left.
	apart bool
	words []wording
	check string
	// implied says that whoever does what an assignment lists in the category
	// cannot fail it. It is asked only where a domain has nothing listed.
	implied bool
	// message is told behind the domain's name.
	message string
	// absence says that it asks whether something bad is absent. Its message
	// would tell nothing to whoever handed in no text.
	absence bool
	// empty replaces the message to whoever handed in no text, where several
	// such questions are asked.
	empty string
	// terms says that the check reads material.terms, the words of the brief.
	terms bool
}

// wording is one way to put a question.
type wording struct{ assertion, expected string }

// withText asks for a text at all before it asks something else. What asks
// whether something bad is absent would otherwise be passed by an empty bundle.
func withText(check string) string {
	return "(" + isThin + " ? " + nothingThere + " : []) + (" + check + ")"
}

const (
	isThin       = "text.words().size() < 20"
	nothingThere = "['" + thin + ": " + nothing + "']"
	nothing      = "next to nothing was handed in"
	thin         = "content"
	thinMessage  = "There is hardly any text: hand in the work itself"
)

// says is the check that a text has one of some English words, which are
// separated by bars. Text in another language passes. Of the conditions in
// also none may hold either.
func says(words, wrong string, also ...string) string {
	check := `text.mentions(['the', 'and', 'with']) && !text.mentions(['` + strings.ReplaceAll(words, "|", "', '") + `'])`
	for _, c := range also {
		check += " && !" + c
	}
	return check + ` ? ['` + wrong + `'] : []`
}

// summaryNames are the identifiers of the summary and the paths of its files.
const summaryNames = `bundle.summary.find_all('[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|\\b[a-z][\\w-]*(?:/[\\w.-]+)+\\.[a-z]{2,4}\\b')`

// httpError is a condition: a status of HTTP that says that something failed.
const httpError = `text.matches('\\b[45]\\d\\d\\b')`

// arithmetic is asked in every draw. Its second form is drawn where the
// summary has no criterion of its own.
var arithmetic = question{
	category: shadow.Completeness,
	words: []wording{
		{"Every sum, product, share and total that the bundle states is right.", "All stated results follow from the numbers beside them; rounding to the digits shown is fine."},
		{"The bundle's figures add up: no stated result contradicts its own operands, parts or table rows.", "Recomputing each stated sum, product, percentage and table total gives the value that is stated."},
	},
	check:   "text.miscalculations()",
	message: "work out the figures again, at least one result does not come out",
	absence: true,
}

var arithmeticAndSummary = question{
	category: shadow.Completeness,
	words: []wording{
		{"The figures hold: stated results add up, and the summary claims no number that the work itself lacks.", "All stated results follow from their operands, and each number of the summary is found in the content."},
		{"No figure is wrong or made up: calculations come out, and the summary's numbers stand in the content.", "Recomputing every stated result confirms it, and the summary repeats numbers of the content only."},
	},
	check:   "text.miscalculations() + text.unbacked_numbers(bundle.summary)",
	message: "work out the figures again and hold the summary against the text, at least one number does not come out",
	absence: true,
}

var (
	summaryBacked = question{
		category: shadow.Completeness, weight: 8,
		words: []wording{
			{"The summary claims no number that the content does not bear out.", "Each number of the summary stands in the content or follows from it."},
			{"What the summary counts and measures can be found in the work itself.", "No figure of the summary is without its counterpart in the content."},
		},
		check:   "text.unbacked_numbers(bundle.summary)",
		message: "the summary gives numbers that your work does not show, correct it or add what they rest on",
		absence: true,
	}
	nothingOpen = question{
		category: shadow.Completeness, weight: 8,
		words: []wording{
			{"Nothing is left to be filled in.", "The text holds no TODO, no TBD and no bracket that waits for its content."},
			{"The bundle is written to the end, without placeholders.", "Every passage is finished: no marks or brackets stand where content belongs."},
		},
		check:   "text.placeholders().map(p, '" + open + ": ' + p)",
		message: openMessage,
		absence: true,
	}
	questions = []*question{
		&summaryBacked,
		&nothingOpen,
		{
			category: shadow.Completeness, weight: 4, standIn: true,
			words: []wording{
				{"What the summary names by a file or an identifier is treated in the content.", "Each file name and identifier of the summary has a trace in the content."},
				{"The summary announces no file and no identifier that the work does not speak of.", "Names that the summary gives turn up in the content, in whatever spelling."},
			},
			check:   "text.missing(" + summaryNames + ".size() > 50 ? " + summaryNames + ".slice(0, 50) : " + summaryNames + ")",
			apart:   true,
			message: "the summary names things that your work does not speak of, correct it or add them",
			empty:   "A summary alone was handed in: add the work that it sums up",
			absence: true,
		},
		{
			category: shadow.Completeness, weight: 6, standIn: true,
			words: []wording{
				{"Every conflict inside the team that the bundle reports has been settled.", "Each entry of the list of conflicts names its resolution."},
				{"No reported disagreement is left without a decision.", "Beside every conflict stands how it was resolved."},
			},
			check:   "bundle.conflicts.filter(c, c.resolution.words().size() == 0).map(c, 'not settled: ' + c.description)",
			apart:   true,
			message: "settle the disagreements that you reported and say how each one ended",
			empty:   "The content is as good as empty: write down what your team decided",
			absence: true,
		},
		{
			category: shadow.Completeness, weight: 1, standIn: true,
			words: []wording{
				{"The bundle has substance: it is more than a note.", "At least 80 words of content."},
				{"The content is long enough to be the work itself and not an announcement of it.", "Eighty words or more."},
			},
			check:   "text.words().size() < 80 ? ['only ' + string(text.words().size()) + ' words'] : []",
			message: "what you handed in is a note, hand in the work itself",
		},
		{
			category: shadow.HappyPath, weight: 6,
			words: []wording{
				{"The commander itself calls the work done.", "The status of the bundle is success, neither partial nor failed."},
				{"The domain's work has been brought to its end.", "The bundle comes with the status success."},
			},
			check:   "bundle.status != 'success' ? ['the status is ' + string(bundle.status)] : []",
			message: "bring the work to its end, it was handed in as unfinished",
			empty:   "Nothing of the task can be found: start on it and hand in the result",
			absence: true,
		},
		{
			category: shadow.HappyPath, weight: 4, standIn: true, terms: true,
			words: []wording{
				{"The bundle is about the task that its domain was given.", "At least a quarter of the words that carry the assignment turn up in the content."},
				{"The work keeps to its subject.", "The content speaks of the things that the assignment names: of one in four at least."},
			},
			check:   "material.terms.size() > 0 && material.terms.filter(t, text.mentions([t])).size() * 4 < material.terms.size() ? ['the words of the assignment are not in the text'] : []",
			implied: true,
			message: "keep to the task that you were given, the text hardly speaks of it",
		},
		{
			category: shadow.HappyPath, weight: 1, standIn: true,
			words: []wording{
				{"The bundle is concrete: it shows lists, tables, code, names or figures, not prose alone.", "At least one list, table, code block, identifier or number."},
				{"Something in the bundle can be held in hand: a list, a table, a piece of code, a name, a number.", "The content has at least one such element."},
			},
			check:   "text.list_items().size() + text.tables().size() + text.code_blocks().size() == 0 && !text.matches('\\\\d|`[^`]+`|\\\\w[._/]\\\\w') ? ['nothing but general prose'] : []",
			message: "say it in concrete terms, with names, numbers, steps or code",
		},
		{
			category: shadow.HappyPath, weight: 1,
			words: []wording{
				{"A long text is divided, so that its parts can be found.", "Content of more than 300 words has headings, lists or tables."},
				{"The bundle has a structure that a reader can follow.", "Beyond 300 words there are headings, or at least lists or tables."},
			},
			check:   "text.words().size() > 300 && text.headings().size() + text.list_items().size() + text.tables().size() == 0 ? ['one undivided text'] : []",
			message: "divide the text into parts with headings",
			absence: true,
		},
		{
			category: shadow.EdgeCase, weight: 2, standIn: true,
			words: []wording{
				{"The bundle speaks of limits or special cases.", "At least one bound, boundary value, repetition, overlap or exception is named."},
				{"The work looks beyond the usual case.", "Some limit or unusual situation is mentioned, with what holds there."},
			},
			check: says(`limit*|max*|min*|at most*|at least*|up to*|bound*|edge*|corner*|empty*|zero*|none*|null*|duplic*|concurr*|parallel*|simultan*|race*|`+
				`overlap*|timeout*|time out*|time-out*|expir*|ttl*|exceed*|exception|exceptions|more than*|less than*|fewer*|longer*|larger*|shorter*|`+
				`older*|only if*|unless*|except*|otherwise*|large*|small*|threshold*|optional*|legacy*|every*|once*|already*|still*|rotat*`,
				"no limit and no special case is named"),
			implied: true,
			message: "say what holds at the limits and in unusual cases",
		},
		{
			category: shadow.EdgeCase, weight: 1, standIn: true,
			words: []wording{
				{"The bundle says under which conditions its statements hold.", "At least one condition is stated: if, when, unless, until, before, after."},
				{"Statements come with their conditions where they have any.", "The content distinguishes at least one case from another."},
			},
			check: says(`if*|when*|whenever*|where*|unless*|until*|while*|before*|after*|during*|depending*|otherwise*|instead*|fallback*|in case*|on|for each*|`+
				`per`,
				"no condition is stated"),
			message: "say under which conditions what you describe holds",
		},
		{
			category: shadow.EdgeCase, weight: 1,
			words: []wording{
				{"At least one bound or amount is given as a figure.", "Some number with what it counts or measures."},
				{"The work gives numbers where it speaks of size, time or amount.", "At least one quantity in the content."},
			},
			check:   `text.matches('\\d') || text.mentions(['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'twelve', 'dozen', 'hundred']) ? [] : ['no figure']`,
			message: "give figures for sizes, times and amounts",
		},
		{
			category: shadow.ErrorHandling, weight: 2, standIn: true,
			words: []wording{
				{"The bundle says what can go wrong.", "At least one failure, error, risk, objection or limitation is named."},
				{"Failure has a place in the work, not success alone.", "Some error, refusal, risk or uncertainty is mentioned."},
			},
			check: says(`fail*|error*|fault*|exception*|reject*|refus*|invalid*|unavailab*|timeout*|time out*|time-out*|crash*|outage*|wrong*|broken*|break*|`+
				`incident*|denied*|deny*|abort*|panic*|corrupt*|lost*|lose*|loss*|problem*|issue*|bug*|risk*|cannot*|limitation*|uncertain*|caveat*|`+
				`weakness*|objection*|concern*|contradict*|disagree*|mistake*|missing*|outlier*|bias*|blocked*|damage*|unknown*|disput*`,
				"nothing is said about what can go wrong", httpError),
			implied: true,
			message: "say what can go wrong, and what holds then",
		},
		{
			category: shadow.ErrorHandling, weight: 2, standIn: true,
			words: []wording{
				{"The bundle says what is done about failures and doubts.", "At least one reaction is named: a retry, a fallback, a repair, a check, a warning to somebody."},
				{"There is an answer to trouble in the work.", "Some measure against an error, a risk or a doubt is mentioned."},
			},
			check: says(`retr*|roll*|rever*|restor*|recover*|fall*|undo*|abort*|reject*|refus*|return*|repl*|answer*|respon*|catch*|handl*|escalat*|alert*|`+
				`notif*|warn*|log*|report*|degrad*|skip*|ignor*|discard*|repeat*|again*|restart*|repair*|fix*|prevent*|avoid*|mitigat*|monitor*|block*|`+
				`stop*|deny*|denied*|validat*|check*|verif*|exclud*|compar*|test*|review*|range*|instead*|correct*|mark*|recommend*`,
				"no answer to a failure or doubt is named"),
			message: "say what is done when something fails or is in doubt",
		},
		{
			category: shadow.ErrorHandling, weight: 4, standIn: true,
			words: []wording{
				{"Work that was handed in as unfinished says what is missing.", "With a status other than success, the content names what is open, failed or left out."},
				{"If the commander did not succeed, the bundle tells where it stopped.", "Whatever is partial or failed is accounted for in the content."},
			},
			check: "bundle.status != 'success' ? (" + says(`missing*|open|fail*|not*|remain*|left*|blocked*|unfinished*|incomplete*|pending*|todo*|later*|without*|only|partial*|`+
				`cannot*|could*|stopp*|until*`, "nothing is said about what is missing") + ") : []",
			apart:   true,
			message: "where the work is unfinished, say what is missing and why",
			empty:   "There is nothing to read yet: put your results into the content",
			absence: true,
		},
		{
			category: shadow.Security, weight: 3, standIn: true,
			words: []wording{
				{"The bundle shows no live secret.", "No private key, access key or personal token stands in the content."},
				{"No credential is given away in the text.", "Keys and tokens are named, never printed."},
			},
			check: `['AKIA', 'PRIVATE KEY', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'xox'].exists(p, text.contains(p)) && ` +
				`text.matches('\\bAKIA[0-9A-Z]{16}\\b|-----BEGIN [A-Z ]*PRIVATE KEY-----\\s+[A-Za-z0-9+/=]{40}|\\bgh[pousr]_[A-Za-z0-9]{36}|\\bxox[abprs]-[0-9A-Za-z-]{20}') ? ['a key or token is printed'] : []`,
			apart:   true,
			message: "take the secret out of the text and replace it where it is in use",
			absence: true,
		},
		{
			category: shadow.Security, weight: 2, standIn: true,
			words: []wording{
				{"The bundle says who may do what, or how that is established.", "Identity, roles, permissions or access are mentioned."},
				{"Access has a place in the work.", "The content speaks of authentication, permission, ownership or roles."},
			},
			check: says(`auth*|permi*|privileg*|role|roles|access*|credential*|token*|sign*|login*|log in*|log-in*|identit*|tenant*|owner*|admin*|user|users|`+
				`allow*|deny*|denied*|forbid*|public*|private*|secur*|key*`,
				"nothing is said about access"),
			message: "say who has access and how that is established",
		},
		{
			category: shadow.Security, weight: 2, standIn: true,
			words: []wording{
				{"The bundle says how data and secrets are protected.", "Encryption, validation, hashing, masking or safe keeping is mentioned."},
				{"A protective measure is named in the work.", "At least one means of protection stands in the content."},
			},
			check: says(`encrypt*|tls*|ssl*|https*|secret*|vault*|hash*|sign*|sanit*|escap*|valid*|redact*|mask*|protect*|secur*|safe*|least*|ratelimit*|`+
				`rate limit*|rate-limit*|verif*|check*|isolat*|httponly*|csrf*|cors*|keychain*`,
				"no protection is named"),
			implied: true,
			message: "say how data and secrets are protected",
		},
		{
			category: shadow.Security, weight: 1,
			words: []wording{
				{"The bundle considers misuse.", "An attack, a leak or untrusted input is mentioned."},
				{"Somebody who means harm has been thought of.", "At least one threat or its defence is named."},
			},
			check: says(`attack*|abus*|misus*|leak*|inject*|tamper*|forg*|replay*|spoof*|exploit*|vulnerab*|malicious*|untrusted*|threat*|compromis*|breach*|`+
				`csrf*|xss*|steal*|stolen*|fraud*|revok*|revoc*|secur*|expos*|brute*`,
				"no misuse is considered"),
			message: "say how the solution could be misused and what stops that",
		},
	}
)

const (
	open        = "left open"
	openMessage = "finish what is still marked as open"
)
