package arithmetic

import (
	"math"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// grid is a table, or a list with a number in each item.
type grid struct {
	header []string
	rows   []gridRow

	reported []int // rows in which a computed column was found wrong
}

type gridRow struct {
	line  int // 1-based source line
	label string
	cells []cell
	sum   string // total, mean, median, max or min: what the label says
	clean bool   // the label says nothing else
	weak  bool   // it says overall or all, and not total
	bold  bool
}

// cell is a cell of a grid. One that holds no number is either empty (a dash
// counts as that) or text.
type cell struct {
	quantity.Token
	text  string
	ok    bool
	empty bool
}

func (c *cell) percent() bool { return percent(&c.Token) }

// size is the value of a cell in the base unit, a month and a MB in the
// smaller of their sizes.
func (c *cell) size() float64 {
	if c.Unit == nil || c.percent() {
		return c.Value
	}
	return c.Value * c.Unit.Low
}

func (c *cell) ulp() float64 {
	if c.Unit == nil || c.percent() {
		return c.Ulp
	}
	return c.Ulp * c.Unit.Low
}

// cellOf reads a cell: a number with its unit, in parentheses if it is
// negative, with at most one word behind. The second number is that of
// "24 (38 %)".
func cellOf(text string, comma bool, buf []quantity.Token) (c, share cell) {
	c.text = text
	bare := strings.TrimSpace(strings.Trim(text, "*_` "))
	if bare == "" || strings.Trim(bare, "-–—−") == "" || strings.EqualFold(bare, "n/a") {
		c.empty = true
		return c, share
	}
	if len(text) > 64 {
		return c, share
	}
	toks := quantity.Lex(text, buf, comma)
	minus := false
	if n := len(toks); n > 2 && toks[0].Mark == '(' && toks[n-1].Mark == ')' && toks[1].Kind == quantity.Number {
		toks, minus = toks[1:n-1], true
	}
	if len(toks) > 1 && (toks[0].Mark == '-' || toks[0].Mark == '~') && toks[1].Kind == quantity.Number {
		minus = minus || toks[0].Mark == '-'
		toks = toks[1:]
	}
	if len(toks) == 0 || toks[0].Kind != quantity.Number || toks[0].Spelled || toks[0].Bound != quantity.Exact {
		return c, share
	}
	rest := toks[1:]
	for n := 0; n < 2 && len(rest) > 0 && rest[0].Kind == quantity.Word; n++ {
		rest = rest[1:]
	}
	if n := len(toks) - 1 - len(rest); n > 0 { // 80 new columns
		if last := toks[n]; text[last.End-1] != 's' || notSum(text) {
			return c, share
		}
	}
	if len(rest) == 3 && rest[0].Mark == '(' && rest[1].Kind == quantity.Number && percent(&rest[1]) && rest[2].Mark == ')' {
		share = cell{Token: rest[1], text: text, ok: true}
		rest = nil
	}
	if len(rest) > 0 && !(len(rest) == 1 && rest[0].Kind == quantity.Mark && strings.ContainsRune("✅✓✔*↑↓→|", rest[0].Mark)) {
		return c, share
	}
	c.Token, c.ok = toks[0], true
	if minus {
		c.Value = -math.Abs(c.Value)
	}
	return c, share
}

// sumLabel tells which figure of the rows a label names, whether it says
// nothing but that, and whether it says so in words that are also used of
// means. The word for a total stands first or last.
func sumLabel(label string) (kind string, clean, weak bool) {
	bare, note, cut := strings.Cut(label, "(")
	if strings.ContainsAny(note, "0123456789") { // one of several totals
		return "", false, false
	}
	if cut && strings.TrimSpace(bare) != "" && !notSum(label) {
		label = bare
	}
	words := strings.FieldsFunc(fold.Case(label), func(r rune) bool { return !('a' <= r && r <= 'z' || r == '_' || r > 0x7f && r != '–' && r != '—') })
	for i, w := range words {
		class := cues[w]
		end := i == 0 || i == len(words)-1 || words[0] == "grand"
		switch {
		case slices.Contains(class, "sumrow") && end && len(words) <= 6:
			kind, weak = "total", w == "all" || w == "overall" || w == "combined"
		case kind == "" && i == 0 && slices.Contains(class, "mean"):
			kind = "mean"
		case kind == "" && i == 0 && slices.Contains(class, "median"):
			kind = "median"
		case slices.Contains(class, "notsum"):
			return "", false, false
		}
	}
	return kind, len(words) == 1 && !cut, weak
}

// notSum tells whether a text names a measure that is not added up: a rate, an
// average, unique visitors.
func notSum(text string) bool {
	for w := range strings.FieldsFuncSeq(fold.Case(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }) {
		if class := cues[w]; slices.Contains(class, "notsum") || slices.Contains(class, "mean") || slices.Contains(class, "median") || slices.Contains(class, "max") {
			return true
		}
	}
	return false
}

// column gives the cells of a column, nil for those that are missing.
func (g *grid) column(j int) []*cell {
	out := make([]*cell, len(g.rows))
	for i := range g.rows {
		if j < len(g.rows[i].cells) {
			out[i] = &g.rows[i].cells[j]
		}
	}
	return out
}

// rounded tells whether the numbers of a column may be rounded, so that their
// sum need not come out: decimals, sizes of data, shares, large amounts.
func rounded(c *cell) bool {
	return c.Ulp < 1 || c.Decimals > 0 || c.percent() || c.Unit != nil && (c.Unit.Of == "bytes" || len(c.Unit.Of) == 3) || math.Abs(c.Value) >= 1000
}
