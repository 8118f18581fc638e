package check

import (
	"cel.dev/cel-go/cel"

	"github.com/swarmspeed/shadowd/internal/text/arithmetic"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

var meaningFunctions = []*Function{
	{Name: "reads", Signature: "string.reads(phrase) -> string",
		Doc:     "what the text says of an item of an assignment: 'found', 'missing', 'declined' or 'unread', which is most often the answer where nothing says it plainly",
		Example: `text.reads('Define the session lifetime')`, Text: "We did not get to the lifetime of sessions.", Want: `"declined"`,
		args: takes(str), result: str, run: reads},
	{Name: "missing", Signature: "string.missing(phrases) -> list(string)",
		Doc:     "the items of an assignment that are surely not delivered, with the reason; what is unread is left out",
		Example: `text.missing(['Encrypt the backups at rest', 'Rotate the signing keys'])`, Text: "Signing keys are rotated monthly by a job.\n\nEncryption of the backups at rest is not done yet.", Want: `["Encrypt the backups at rest: line 3 says that it was not done"]`,
		args: takes(strList), result: strList, run: missing},
	{Name: "adds_to", Signature: "string.adds_to(phrases) -> bool",
		Doc:     "whether the text says more than the phrases do: of its different words thirty stand in none of them, or a quarter and at least four, or half and at least two",
		Example: `text.adds_to(['Rotate the signing keys monthly'])`, Text: "Done: rotate the signing keys monthly.", Want: `false`,
		args: takes(cel.ListType(cel.DynType)), result: cel.BoolType, run: func(c *call) (any, error) { return addsTo(c.receiver, c.list), nil }},
	{Name: "states", Signature: "string.states(quantity) -> bool",
		Doc: "whether the text states a quantity of the phrase in any usual form: 1 hour is 1h, one hour, 60 minutes or 3600; " +
			"a bound (at most 15 ms) is met by a figure that keeps it",
		Example: `text.states('Tokens expire after 1 hour')`, Text: "The lifetime of a token is `3600` seconds.", Want: `true`,
		args: takes(str), result: cel.BoolType, run: states},
	{Name: "has_quantity", Signature: "string.has_quantity() -> bool",
		Doc:     "whether a phrase has a quantity that states can look for; states of a phrase without one is an error",
		Example: `['30 minutes', 'Sign with RS256'].filter(l, l.has_quantity() && !text.states(l))`, Text: "No figures.", Want: `["30 minutes"]`,
		args: takes(), result: cel.BoolType, run: onString(quantity.Has)},
	{Name: "miscalculations", Signature: "string.miscalculations() -> list(string)",
		Doc:     "figures that do not come out: equations, shares, and totals of sentences and tables",
		Example: `text.miscalculations().size()`, Text: "There are 3 × 4 = 13 cells.", Want: `1`,
		args: takes(), result: strList, run: onText(func(t *markdown.Doc) []string { return messages(arithmetic.Find(t)) })},
	{Name: "unbacked_numbers", Signature: "string.unbacked_numbers(summary) -> list(string)",
		Doc:     "numbers that a summary states and the text does not have",
		Example: `text.unbacked_numbers('All 17 tests passed.').size()`, Text: "We ran 12 tests.", Want: `1`,
		args: takes(str), result: strList, run: onTextString(func(t *markdown.Doc, summary string) []string { return messages(arithmetic.Unbacked(t, summary)) })},
}
