// Package quantity reads numbers and what they count or measure: 1,200 ms,
// "one hour", $12k, 95 %, at least 3 attempts, 10 requests per second.
//
// [Lex] is the one lexer of numbers; arithmetic reads the same tokens. [Find]
// and [Parse] turn numbers into quantities of a base unit, which [Range]
// compares. [Figures] answers whether a text states a quantity.
//
// Names are no numbers: versions, dates, times of day, ordinals, and letters
// mixed with digits (RS256, p95). Numbers are read one by one: 1.234,50 and 0,70
// as in German, 1.234 and 1,234 as in English. Units have a low and a high size
// where usage differs: a month has 28 to 31 days, a MB 10⁶ or 2²⁰ bytes.
//
// The package is pure. Time is linear in the text.
package quantity

// Bound says whether a number is a limit, and of which side.
type Bound uint8

// The bounds.
const (
	Exact   Bound = iota
	AtMost        // at most, below, up to, ≤
	AtLeast       // at least, more than, ≥
)

// Quantity is a number with what it counts or measures.
type Quantity struct {
	Value float64 // as written, with k, million and the like
	// Low and High are the value in the base unit of Of. They differ for units
	// that have no exact size.
	Low, High float64
	// Of is what is measured (time, bytes, %, usd), the word for what is
	// counted in singular (request), or one of both per time (request/time).
	Of    string
	Bound Bound

	measured bool   // Of is a unit, not a counted thing
	plural   bool   // what is counted is named by a plural
	named    bool   // the number belongs to a name before it: HTTP 2
	written  string // the number as it stands in the phrase
}
