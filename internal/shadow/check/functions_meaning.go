package check

import (
	"cel.dev/cel-go/cel"
)

// meaningFunctions are the functions of matters and of figures.
var meaningFunctions = []*function{
	{Function{Name: "reads", Signature: "string.reads(phrase) -> string",
		Doc:     "what the text says of the matter of a phrase: 'found', 'not_found', 'declined' or 'unclear'",
		Example: `text.reads('Define the session lifetime')`, Text: "# Out of scope\n- The lifetime of sessions", Want: `"declined"`},
		takes(str), str, (*evaluation).reads},
	{Function{Name: "addresses", Signature: "string.addresses(phrase) -> bool",
		Doc:     "whether the text has a passage about the matter of a phrase: it reads as 'found'",
		Example: `text.addresses('Write the rollback procedure for the schema migration')`, Text: "The schema migration is rolled back with `migrate down`.", Want: `true`},
		takes(str), cel.BoolType, (*evaluation).addresses},
	{Function{Name: "missing", Signature: "string.missing(phrases) -> list(string)",
		Doc: "the phrases that the text does not address or declines, with the evidence; those that are unclear are left out. " +
			"A phrase is a string, or {phrase: string, also: list(string)} with other words for the same",
		Example: `text.missing(['Encrypt the backups at rest', 'Rotate the signing keys'])`, Text: "Signing keys are rotated monthly.", Want: `["Encrypt the backups at rest: no passage found about encrypt, backups, rest"]`},
		takes(cel.ListType(cel.DynType)), strList, (*evaluation).missing},
	{Function{Name: "adds_to", Signature: "string.adds_to(phrases) -> bool",
		Doc:     "whether the text says more than the phrases do: a quarter of its different words, and four of them, stand in none of them",
		Example: `text.adds_to(['Rotate the signing keys monthly'])`, Text: "Done: rotate the signing keys monthly.", Want: `false`},
		takes(cel.ListType(cel.DynType)), cel.BoolType, (*evaluation).addsTo},
	{Function{Name: "near", Signature: "string.near(a, b, n) -> bool",
		Doc:     "whether two words stand within n words of each other, in any form of theirs",
		Example: `text.near('rollback', 'minutes', 5)`, Text: "We can roll back within ten minutes.", Want: `true`},
		takes(str, str, cel.IntType), cel.BoolType, (*evaluation).near},
	{Function{Name: "states", Signature: "string.states(quantity) -> bool",
		Doc: "whether the text states a quantity of the phrase in any usual form: 1 hour is 1h, one hour, 60 minutes or 3600; " +
			"a bound (at most 15 ms) is met by any figure of its kind",
		Example: `text.states('Tokens expire after 1 hour')`, Text: "The lifetime of a token is `3600` seconds.", Want: `true`},
		takes(str), cel.BoolType, (*evaluation).states},
	{Function{Name: "has_quantity", Signature: "string.has_quantity() -> bool",
		Doc:     "whether a phrase has a quantity that states can look for; states of a phrase without one is an error",
		Example: `['30 minutes', 'Sign with RS256'].filter(l, l.has_quantity() && !text.states(l))`, Text: "No figures.", Want: `["30 minutes"]`},
		takes(), cel.BoolType, onPhrase(hasQuantity)},
	{Function{Name: "miscalculations", Signature: "string.miscalculations() -> list(string)",
		Doc: "what does not add up: equations and function calls, shares, totals in text, lists and tables, percentages of one whole, counted lists and ticked boxes, " +
			"averages, medians, extremes and rounding, ranges, changes, rates, unit conversions, and quantities stated twice with different values",
		Example: `text.miscalculations().size()`, Text: "There are 3 × 4 = 13 cells.", Want: `1`},
		takes(), strList, onText(func(t *Text) []string { return messages(Miscalculations(t)) })},
	{Function{Name: "unbacked_numbers", Signature: "string.unbacked_numbers(summary) -> list(string)",
		Doc:     "numbers that a summary states and the text does not have",
		Example: `text.unbacked_numbers('All 17 tests passed.').size()`, Text: "We ran 12 tests.", Want: `1`},
		takes(str), strList, onTextString(func(t *Text, summary string) []string { return messages(UnbackedNumbers(t, summary)) })},
}

func messages(findings []Finding) []string {
	out := make([]string, len(findings))
	for i, f := range findings {
		out[i] = f.Message()
	}
	return out
}
