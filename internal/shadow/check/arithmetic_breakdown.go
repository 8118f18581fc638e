package check

import (
	"math/big"
	"strconv"
	"strings"
)

// entry is one part of a breakdown: "5 atoms (12%)".
type entry struct {
	count *number
	share *number
	no    int    // source line
	claim string // as written
}

// breakdown checks entries that are the parts of one whole: each percentage
// must be the part's share of total. That they are such parts is taken for
// granted only if half of them are right, and two at least; one suffices if
// oneDoes is set and the text states the total. The result tells whether
// something was wrong.
func (c *checker) breakdown(entries []entry, total *number, oneDoes bool) bool {
	if len(entries) < 2 || total.mant <= 0 {
		return false
	}
	right := 0
	for _, e := range entries {
		if showsShare(e.count, total, e.share) {
			right++
		}
	}
	if right == len(entries) || right == 0 || 2*right < len(entries) || right < 2 && !(oneDoes && c.statesNumber(total.mant)) {
		return false
	}
	levelled := levelled(entries)
	for _, e := range entries {
		if !showsShare(e.count, total, e.share) && !(levelled && nearShare(e.count, total, e.share)) {
			v := new(big.Rat).Quo(e.count.rat(), total.rat())
			c.add(Finding{Line: e.no, Claim: shorten(e.claim), States: format(e.share.rat(), e.share), ShouldBe: format(v.Mul(v, big.NewRat(100, 1)), e.share)})
		}
	}
	return true
}

// levelled tells whether the shares are 100 % together to the last digit: then
// one may have been rounded the other way to make them so.
func levelled(entries []entry) bool {
	sum := new(big.Rat)
	for _, e := range entries {
		sum.Add(sum, e.share.rat())
	}
	return sum.Cmp(big.NewRat(100, 1)) == 0
}

// nearShare tells whether p is n of m up to one unit of its last digit.
func nearShare(n, m, p *number) bool {
	v := new(big.Rat).Quo(n.rat(), m.rat())
	v.Mul(v, big.NewRat(100, 1)).Sub(v, p.rat())
	return v.Abs(v).Cmp(p.ulp()) <= 0
}

// breakdownList checks a list of items like "CONSENSUS: 35 atoms (83%)".
func (c *checker) breakdownList(list *List) {
	shares := 0
	for i := range list.Items {
		if strings.Contains(list.Items[i].Text, "%)") {
			shares++
		}
	}
	if shares < 2 {
		return
	}
	l := &c.lex
	var entries []entry
	sum := number{}
	noun := ""
	for i := range list.Items {
		it := &list.Items[i]
		if !l.read(it.Text, nil) {
			continue
		}
		k := l.firstCount()
		if k < 0 {
			if hasPercent(l.toks) {
				return
			}
			continue
		}
		n := l.toks[k].num
		if w := l.wordAt(k + 1); w != "" {
			w = singular(w)
			if noun != "" && noun != w {
				return
			}
			noun = w
		}
		if n.wide != nil || n.dec != 0 || n.mant > maxSmall {
			return
		}
		sum.mant += n.mant
		j, ok := l.nouns(k+1, 3)
		if !ok || l.kindAt(j) != tokOpen || !l.percentAt(j+1) || l.kindAt(j+2) != tokClose || j+2 >= len(l.toks) {
			if n.mant == 0 && !hasPercent(l.toks) {
				continue // "CONFLICT: 0 atoms"
			}
			return
		}
		p := l.toks[j+1].num
		entries = append(entries, entry{count: &n, share: &p, no: it.No, claim: l.text(k, j+2)})
	}
	c.breakdown(entries, &sum, true)
}

// firstCount finds the number that an item is about: "35 atoms …" or
// "CONSENSUS: 35 atoms …". It returns -1 if there is none.
func (l *lexer) firstCount() int {
	for i := range l.toks {
		t := &l.toks[i]
		switch t.kind {
		case tokNumber:
			if !l.sumable(i) || t.num.unit != "" || i > 0 && l.kindAt(i-1) != tokPunct && !(l.kindAt(i-1) == tokOp && l.toks[i-1].dash) {
				return -1
			}
			return i
		case tokWord, tokPunct:
		case tokOp:
			if !t.dash {
				return -1
			}
		default:
			return -1
		}
	}
	return -1
}

func hasPercent(toks []token) bool {
	for i := range toks {
		if toks[i].kind == tokNumber && toks[i].num.percent() {
			return true
		}
	}
	return false
}

func singular(w string) string {
	if n := len(w); n > 3 && w[n-1] == 's' && w[n-2] != 's' {
		return w[:n-1]
	}
	return w
}

// statesNumber tells whether the text states the whole number n somewhere, as
// in "42 synthesized findings" or "38/42".
func (c *checker) statesNumber(n int64) bool {
	if c.stated == nil {
		c.stated = map[int64]bool{}
		src := c.t.Source
		for i := 0; i < len(src); i++ {
			if !isDigit(src[i]) {
				continue
			}
			end := digitsEnd(src, i)
			if v, err := strconv.ParseInt(src[i:end], 10, 64); err == nil {
				c.stated[v] = true
			}
			i = end
		}
	}
	return c.stated[n]
}

// shareColumn checks percentages in a table with a total row: those in cells
// like "24 (38%)", and those of a column headed "%" or "share" beside a column
// of counts.
func (c *checker) shareColumn(g *grid) {
	last := -1
	for r := range g.kinds {
		if g.kinds[r] == rowTotal {
			last = r
		}
	}
	if last < 0 {
		return
	}
	for k := g.label + 1; k < len(g.t.Header); k++ {
		total := g.at(last, k)
		if total.kind != cellNumber || total.num.percent() || g.heads[k].other {
			continue
		}
		var inside []entry
		for r := range g.t.Rows {
			if cl := g.at(r, k); g.kinds[r] == rowPlain && cl.kind == cellNumber && cl.share != nil && !g.sharesRow(r, k) {
				inside = append(inside, entry{count: &cl.num, share: cl.share, no: g.t.RowNos[r], claim: g.t.Rows[r][0] + ": " + g.t.Rows[r][k]})
			}
		}
		c.breakdown(inside, &total.num, false)
		for p := k + 1; p < len(g.t.Header) && p <= k+3; p++ {
			if !g.heads[p].share {
				continue
			}
			if all := g.at(last, p); all.kind == cellNumber && all.value().Cmp(big.NewRat(100, 1)) != 0 {
				break // of some larger whole
			}
			var beside []entry
			for r := range g.t.Rows {
				n, s := g.at(r, k), g.at(r, p)
				if g.kinds[r] == rowPlain && n.kind == cellNumber && n.num.unit != total.num.unit {
					return // 90 KB and 2.8 MB
				}
				if g.kinds[r] == rowPlain && n.kind == cellNumber && s.kind == cellNumber && s.num.percent() && !n.neg {
					beside = append(beside, entry{count: &n.num, share: &s.num, no: g.t.RowNos[r],
						claim: g.t.Rows[r][0] + ": " + g.t.Rows[r][k] + ", " + g.t.Rows[r][p]})
				}
			}
			if c.breakdown(beside, &total.num, false) {
				g.blamed = p
			}
			break
		}
	}
}

// sharesRow tells whether the share in row r and column k is one of another
// number in that row.
func (g *grid) sharesRow(r, k int) bool {
	cl := g.at(r, k)
	for j := range g.t.Header {
		if whole := g.at(r, j); j != k && whole.kind == cellNumber && whole.num.mant > 0 && showsShare(&cl.num, &whole.num, cl.share) {
			return true
		}
	}
	return false
}
