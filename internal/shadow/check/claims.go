package check

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Finding is a number in a document that is wrong by the document's own
// account.
type Finding struct {
	// Line is the 1-based source line of the claim.
	Line int
	// Claim is the passage that makes the claim, as written, without markup.
	Claim string
	// States is the number that the passage states.
	States string
	// ShouldBe is the number that would be right, in the same form. It is
	// empty if the number cannot be computed but is backed by nothing.
	ShouldBe string
}

// Message says in one line what is wrong, as in
//
//	line 12: "12 + 7 = 20" should be 19
//
// or, for a number that nothing backs,
//
//	"66 tests": nothing in the text backs 66
//
// It quotes the document, which is untrusted text.
func (f Finding) Message() string {
	if f.ShouldBe == "" {
		return fmt.Sprintf("%q: nothing in the text backs %s", f.Claim, f.States)
	}
	return fmt.Sprintf("line %d: %q should be %s", f.Line, f.Claim, f.ShouldBe)
}

const (
	maxFindings = 100
	maxClaim    = 120 // bytes of a quoted claim

	// maxWork bounds the numbers that exact arithmetic is done with, and the
	// claims reported, in the prose of one text: a text made of sums would
	// take long otherwise.
	maxWork = 8192
)

// Miscalculations finds the statements of t that do not add up, at most 100 of
// them in the order of their lines. These kinds are read:
//
//   - equations and chains, with units, currency, calls of max, min, avg,
//     median, sum, ceil, floor, round and abs, and ⌈ ⌉, ⌊ ⌋; numbers up to
//     ninety-nine may be words;
//   - shares: N of M (P%), N/M (P%), P% (N/M), P% of M is N, of M, N (P%), half
//     of M is N, and counts with their shares: Of 90: A 60 (67%), B 30 (33%);
//   - totals in prose and lists, and breakdowns: 9 files: 3 new, 4 changed and
//     2 removed; 58 total, 51 passed, 6 failed, 1 skipped; 8 nodes with 16
//     cores each, 128 cores in total;
//   - table totals by row and column, labelled as such, about all of something,
//     or bold without a label; totals of cells like 24/30; averages, medians and
//     extremes of columns; shares beside counts; rows of a quantity, a price
//     and an amount;
//   - percentages that are parts of one whole, in prose, lists and columns;
//   - counts of the list that follows, and k of n ticked boxes;
//   - averages, medians, sums and extremes of values listed beside them;
//   - numbers said to lie within a range;
//   - changes from one value to another in percent, points, times or units, and
//     what doubled or halved (up to a tenth);
//   - rates: 1,200 requests in 60 s, i.e. 20 requests/s;
//   - conversions between units of time, data, length, mass, volume, frequency;
//   - what a number is rounded to;
//   - quantities stated twice: the suite has 42 tests, all 41 tests of the
//     suite; the grace period is 14 days, the grace period of 30 days.
//
// It rather misses an error than objects to something that a careful person
// would defend. A slip is small: a sum that is less than half of what it should
// be, or more than twice, is taken to be of something else. What is rounded or truncated to the digits shown is right;
// what is said to be approximate, is ambiguous, or is called wrong by the text
// itself is left alone; code is not read. Time is linear in the text.
func Miscalculations(t *Text) []Finding {
	c := checker{t: t}
	defer c.lex.release()
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Kind == Code || !c.lex.read(l.Text, l.code) {
			continue
		}
		c.at, c.disownedKnown = i, false
		for k := range lineKinds {
			if kind := &lineKinds[k]; kind.cue == 0 || kind.cue&c.lex.cues != 0 {
				kind.check(&c)
			}
		}
		if len(c.found) >= maxFindings {
			break
		}
	}
	c.contradictions()
	c.tables()
	c.lists()
	sort.SliceStable(c.found, func(i, j int) bool { return c.found[i].Line < c.found[j].Line })
	return c.found[:min(len(c.found), maxFindings)]
}

// checker looks for miscalculations in one text.
type checker struct {
	t     *Text
	lex   lexer
	at    int // line in hand
	found []Finding
	work  int // done so far

	stated map[int64]bool // whole numbers in the text, once asked for
	starts []int          // offsets of the source lines, once asked for

	said        map[string][]assertion // by subject and unit
	statements  int
	shifts      bool // the line in hand speaks of another time or case
	shiftsKnown int  // the line that shifts is about, counted from 1
	aim         bool // the line in hand is about what should be reached
	aimKnown    int  // the line that aim is about, counted from 1

	disowned, disownedKnown bool
	weighs, weighsKnown     bool // the text speaks of weights
}

// report adds a finding, unless the line itself says that something about it
// is wrong or is about another arithmetic.
func (c *checker) report(claim, states, shouldBe string) {
	line := &c.t.Lines[c.at]
	if !c.disownedKnown {
		c.disowned, c.disownedKnown = c.disowns(line), true
	}
	if c.disowned || takesBackNear(line.Text, claim) {
		return
	}
	c.add(Finding{Line: line.No, Claim: shorten(claim), States: states, ShouldBe: shouldBe})
}

// spend takes n from the work that may be done. It returns false if there is
// too little left.
func (c *checker) spend(n int) bool {
	c.work += n
	return c.work <= maxWork && len(c.found) < maxFindings
}

// add keeps f, once.
func (c *checker) add(f Finding) {
	if len(c.found) >= maxFindings {
		return
	}
	for _, g := range c.found {
		if g.Line == f.Line && g.States == f.States && g.ShouldBe == f.ShouldBe {
			return
		}
	}
	c.found = append(c.found, f)
}

// disownings are words by which a line takes back what it quotes, or says that
// it does not count in the usual way.
var disownings = wordSet(`wrong wrongly incorrect incorrectly mistake mistaken mistakenly erroneous erroneously error_in miscalculated
	miscalculation miscounted recount misread typo inconsistent inconsistency mismatch discrepancy instead rather should shouldn't bogus false
	isn't doesn't aren't wasn't binary hexadecimal hex octal modulo mod modular xor overflow overflows base-2 base-16 wraps joke
	math mathematical arithmetic arithmetically claimed claims bug buggy ambiguous originally previously formerly corrected hypothetical
	hypothetically imagine suppose`)

// disowns tells whether line, or the sentence behind it in the same paragraph,
// takes back what line says. A table row with code in it is taken for code,
// since cells do not tell where their code is.
func (c *checker) disowns(line *Line) bool {
	if takesBack(line.Text) || line.Kind == Row && strings.Contains(c.source(line.No), "`") {
		return true
	}
	if c.at+1 < len(c.t.Lines) {
		after := &c.t.Lines[c.at+1]
		return after.Block == line.Block && after.Kind != Row && len(after.Text) <= maxLine && takesBack(after.Text)
	}
	return false
}

// source is source line no as written.
func (c *checker) source(no int) string {
	if c.starts == nil {
		src := c.t.Source
		for at := 0; at < len(src); {
			c.starts = append(c.starts, at)
			_, at = nextLine(src, at)
		}
	}
	if no < 1 || no > len(c.starts) {
		return ""
	}
	line, _ := nextLine(c.t.Source, c.starts[no-1])
	return line
}

func takesBack(text string) bool {
	return containsWord(text, disownings)
}

// takesBackNear tells whether what stands around claim in text denies it.
func takesBackNear(text, claim string) bool {
	const before, after = 60, 30 // bytes
	at := max(strings.Index(text, claim), 0)
	low := strings.ToLower(text[max(0, at-before):min(len(text), at+len(claim)+after)])
	for _, p := range [...]string{"is not ", "are not ", "was not ", "were not ", "does not ", "do not ", "did not ", ", not ", " not the ", " count error", " says \""} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// containsWord tells whether a word of line, in lower case, is in set.
func containsWord(line string, set map[string]bool) bool {
	found := false
	eachWord(line, func(w string) { found = found || set[w] })
	return found
}

// eachWord calls f with every word of line, in lower case.
func eachWord(line string, f func(word string)) {
	from := -1
	for i, r := range line {
		switch {
		case r < utf8.RuneSelf && isAlnum(byte(r)) || isWordRune(r) || from >= 0 && (r == '\'' || r == '’' || r == '-'):
			if from < 0 {
				from = i
			}
		case from >= 0:
			f(lowerWord(line[from:i]))
			from = -1
		}
	}
	if from >= 0 {
		f(lowerWord(line[from:]))
	}
}

func lowerWord(w string) string {
	if isASCII(w) {
		w = lowerASCII(w)
	} else {
		w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
	}
	for w != "" && (w[0] == '\'' || w[0] == '-') {
		w = w[1:]
	}
	for w != "" && (w[len(w)-1] == '\'' || w[len(w)-1] == '-') {
		w = w[:len(w)-1]
	}
	return w
}

// shorten cuts a claim to a length that can be quoted, between two runes.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxClaim {
		return s
	}
	n := maxClaim
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
