package arithmetic

import (
	"math"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// cell is a cell of a grid. Value and Ulp are in the base unit.
type cell struct {
	quantity.Token
	text    string
	ok      bool // it holds a number
	inexact bool // it may be rounded: decimals, sizes of data, money, large amounts
}

// size is the size of the cell's unit.
func (c *cell) size() float64 {
	if c.Unit == nil {
		return 1
	}
	return c.Unit.Low
}

// readCell reads a cell: a number with its unit, in parentheses if it is
// negative.
func readCell(text string, buf []quantity.Token) cell {
	c := cell{text: text}
	if len(text) > 64 || !quantity.HasDigit(text) {
		return c
	}
	toks := quantity.Lex(text, buf)
	n := len(toks)
	minus := n == 3 && toks[0].Mark == '(' && toks[2].Mark == ')' || n > 1 && toks[0].Mark == '-'
	if n > 1 && (minus || toks[0].Mark == '~') {
		toks = toks[1:]
	}
	if len(toks) == 0 || toks[0].Kind != quantity.Number || toks[0].Spelled || toks[0].Bound != quantity.Exact || thousands(&toks[0]) {
		return c
	}
	rest := toks[1:]
	oneMark := len(rest) == 1 && rest[0].Kind == quantity.Mark && rest[0].Mark != '+' && rest[0].Mark != '/'
	if len(rest) > 0 && !oneMark {
		return c
	}
	c.Token, c.ok = toks[0], true
	if minus {
		c.Value = -math.Abs(c.Value)
	}
	large, data := math.Abs(c.Value) >= 1000, c.Unit != nil && c.Unit.Of == "bytes"
	c.inexact = c.Decimals > 0 || percent(&c.Token) || large || data || c.Unit.IsMoney()
	c.Value, c.Ulp = c.Value*c.size(), c.Ulp*c.size()
	return c
}
