package check

import "math/big"

// Some claims are made in so many orders of words that no pattern of tokens
// fits them: differences, rates, summaries. Then the line is read as a whole.
// It must hold exactly the numbers that the claim needs, the words that make it
// one, and none by which its numbers are about several things.

// judged tells whether the line in hand is no prose, or something in it was
// found to be wrong already: what would be found next is the same, most likely.
func (c *checker) judged() bool {
	line := &c.t.Lines[c.at]
	if line.Kind == Row || line.Kind == Heading {
		return true
	}
	for i := len(c.found) - 1; i >= 0 && c.found[i].Line >= line.No; i-- {
		if c.found[i].Line == line.No {
			return true
		}
	}
	return false
}

// maxFrame bounds the numbers of such a line.
const maxFrame = 4

// frameNumbers are the numbers of the line in hand, as tokens; ok is false if
// there are more, or some is not exact.
func (l *lexer) frameNumbers() (nums []int, ok bool) {
	nums = make([]int, 0, maxFrame)
	for i := range l.toks {
		switch t := &l.toks[i]; t.kind {
		case tokNumber:
			if t.num.word {
				continue
			}
			between := l.wordAt(i-1) == "between" && gapWords[l.wordAt(i-2)] && t.num.exact()
			if len(nums) == maxFrame || !l.exact(i) && !between || t.num.loose || t.num.wide != nil {
				return nil, false
			}
			nums = append(nums, i)
		case tokApprox:
			if i > 1 {
				return nil, false
			}
		case tokOpaque:
			if t.mark == 'r' {
				return nil, false
			}
		case tokPunct:
			if t.mark == '?' || t.mark == '…' {
				return nil, false
			}
		}
	}
	return nums, true
}

// frameBreaks are words by which the numbers of a line are about several
// things.
var frameBreaks = wordSet(`another other others while whereas but although though plus additional further target targets goal goals should would could
	might may must can expected estimated each annually weekly monthly yearly example e.g if not no never at more_than about almost nearly around
	roughly approximately until since respectively both also planned plan budget median mean average p95 p99 p50 max min allowed required minimum maximum
	limit threshold equivalent equivalently adding least most additionally only still when error errors_in relative rated and_then`)

// hasBetween tells whether a word of set stands between tokens a and b.
func (l *lexer) hasBetween(a, b int, set map[string]bool) bool {
	for i := max(a, 0); i < min(b, len(l.toks)); i++ {
		if w := l.wordAt(i); w != "" && set[w] {
			return true
		}
	}
	return false
}

// arrows tells whether the line in hand has an arrow.
func (l *lexer) arrows() bool {
	for i := range l.toks {
		if l.markAt(i) == '→' {
			return true
		}
	}
	return false
}

// roughly tells whether a is no further from b than four fifths of it.
func roughly(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(new(big.Rat).Abs(b), big.NewRat(4, 5))) <= 0
}

// aside puts the line in hand aside, to read another one. What it returns takes
// it up again.
func (c *checker) aside() func() {
	line := c.lex
	c.lex = lexer{}
	return func() {
		c.lex.release()
		c.lex = line
	}
}
