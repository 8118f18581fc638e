package check

import "strings"

// otherSeries are words by which a result is of other values than those
// beside it, or values are no series.
var otherSeries = wordSet(`previous previously last whole allowed limit limits limited quarter month year years weighted per each every compressed
	uncompressed release baseline earlier history historical across_all target targets goal budget cap capped up least most about around roughly
	approximately approx nearly almost over under more than less fewer including includes include included among other others parallel concurrently
	respectively both from out next new if when can could should would may might must expected estimate estimated estimates estimation
	example e.g eg etc or not never only default remaining increase decrease reduction growth grew rose fell faster slower older threshold
	another additional extra plus minus versus vs compared relative excluding except without before after until since ratio variance deviation
	weekly monthly daily annual annually yearly median_of global industry typical usual normal recommended required possible theoretical
	maximum_of exceed exceeds exceeded within between second third improvement improved improves improving gain score_of multiplied times
	reached reaching available free used single same subset sample samples sampled window rolling moving distinct unique shared overlapping`)

// maxValues bounds the values of a series in prose.
const maxValues = 16

// values are the numbers that a summary is of, with the text they stand in.
type values struct {
	nums [maxValues]number
	n    int
	at   [maxValues]int // tokens, of values in the line in hand

	slashed bool // a slash parts them
}

func (v *values) add(n number, at int) bool {
	if v.n == maxValues {
		return false
	}
	v.nums[v.n], v.at[v.n] = n, at
	v.n++
	return true
}

// alike tells whether the values, and n, are measured alike: the unit may
// stand behind the last of them only.
func (v *values) alike(n *number) bool {
	unit := n.unit
	for i := range v.nums[:v.n] {
		if u := v.nums[i].unit; u != "" {
			if unit != "" && u != unit {
				return false
			}
			unit = u
		}
	}
	if unit != "" && v.nums[v.n-1].unit == "" || scales[unit] {
		return false
	}
	return unit == "" || n.unit == unit || n.unit == "" && unit != "%"
}

// listed tells whether the numbers at tokens a and b are neighbours in a
// list: a comma, a slash or "and" parts them, and few words.
func (l *lexer) listed(a, b int) bool {
	if b-a > 7 || l.toks[a].num.unit != l.toks[b].num.unit && l.toks[a].num.unit != "" {
		return false
	}
	parted := 0
	for k := a + 1; k < b; k++ {
		switch t := &l.toks[k]; t.kind {
		case tokWord:
			w := l.wordAt(k)
			switch {
			case w == "and" || w == "plus":
				parted++
			case w == "is", w == "was", w == "are", w == "were", w == "gives", w == "give", w == "to", w == "which", w == "takes", w == "took", w == "make", w == "makes", w == "making",
				statisticWords[w] != 0, summaryWords[w] != 0, w == "so", w == "for" && l.wordAt(k+1) == "a":
				return false
			}
		case tokPunct:
			switch t.mark {
			case ',', ';', '·':
				parted++
			case ':':
			default:
				return false
			}
		case tokOp:
			if t.mark != '/' && t.mark != '+' || !t.spaced {
				return false
			}
			parted++
		case tokOpen, tokClose:
		case tokOpaque:
			if t.mark == 'r' {
				return false
			}
		default:
			return false
		}
	}
	return parted > 0 && parted < 4
}

// valuesHere gives the values in the line in hand: all numbers but the result
// at token stated, and but what says how many values there are. It returns
// false if some number is neither.
func (c *checker) valuesHere(stated int) (v values, ok bool) {
	l := &c.lex
	count, last, operators, signs := -1, -1, 0, 0
	for i := range l.toks {
		t := &l.toks[i]
		switch t.kind {
		case tokApprox:
			return v, false
		case tokEquals:
			if signs++; t.mark == '=' && i+1 != stated || operators > 0 {
				return v, false
			}
			continue
		case tokPunct:
			if t.mark == '→' && i+1 != stated || t.mark == '?' {
				return v, false
			}
			continue
		case tokOp:
			v.slashed = v.slashed || t.mark == '/'
			if operators++; t.mark != '/' && !t.dash || signs > 0 {
				return v, false
			}
			continue
		case tokOpaque:
			if t.mark == 'r' {
				return v, false
			}
			continue
		case tokNumber:
		default:
			continue
		}
		switch {
		case i == stated, t.num.word && t.num.mant == 1:
			continue
		case labelWords[l.wordAt(i-1)] && t.num.unit == "" && t.num.dec == 0 && t.num.mant < 10 && l.kindAt(i+1) == tokWord && (v.n > 0 || i < 3) && l.wordAt(i-1) != "score" && l.wordAt(i-1) != "scored":
			continue // phase 1 needs 80 hours
		case t.num.word || t.num.unit == "" && v.n == 0 && l.kindAt(i+1) == tokWord && count < 0 && !t.num.unclear && t.num.dec == 0 && t.num.mant < maxValues && l.kindAt(i+2) == tokOpen:
			if count >= 0 && t.num.word {
				return v, false
			}
			count = int(t.num.mant)
			continue
		case !l.exact(i) || t.num.loose || t.num.wide != nil || labelWords[l.wordAt(i-1)] && l.wordAt(i-1) != "score" && l.wordAt(i-1) != "scores" && l.wordAt(i-1) != "runs" && l.wordAt(i-1) != "scored":
			return v, false
		case last >= 0 && !l.listed(last, i):
			return v, false
		}
		last = i
		if !v.add(t.num, i) {
			return v, false
		}
	}
	if count >= 0 && v.n > 0 && count != v.n {
		return v, false
	}
	return v, true
}

// valuesBefore gives the values of the sentence before the line in hand, or of
// the list that ends there. The line itself must then hold nothing but the
// result.
func (c *checker) valuesBefore() (v values, ok bool) {
	at := c.at - 1
	if at < 0 {
		return v, false
	}
	here, before := &c.t.Lines[c.at], &c.t.Lines[at]
	if len(here.Text) > 90 {
		return v, false
	}
	if before.Kind == Item && here.Kind != Item && before.Section == here.Section {
		return c.itemValues(at)
	}
	if before.Block != here.Block || before.Kind == Heading || before.Kind == Row || before.Kind == Code || len(before.Text) > 300 {
		return v, false
	}
	defer c.aside()()
	if !c.lex.read(before.Text, before.code) {
		return v, false
	}
	for i := range c.lex.toks {
		if w := c.lex.wordAt(i); w != "" && (otherSeries[w] || summaryWords[w] != 0 || statisticWords[w] != 0) {
			return v, false
		}
	}
	v, ok = c.valuesHere(-1)
	return v, ok && v.n > 2
}

// itemValues gives the values of the list whose last item is line at: one in
// each item.
func (c *checker) itemValues(at int) (v values, ok bool) {
	var list *List
	for i := len(c.t.Lists) - 1; i >= 0; i-- {
		items := c.t.Lists[i].Items
		if len(items) > 0 && items[len(items)-1].Line == at {
			list = &c.t.Lists[i]
			break
		}
	}
	if list == nil || len(list.Items) < 3 || len(list.Items) > maxValues || list.Level > 0 || list.Items[0].Line+len(list.Items)-1 != at {
		return v, false
	}
	if list.LeadIn >= 0 && (containsWord(c.t.Lines[list.LeadIn].Text, partialWords) || hasDigit(c.t.Lines[list.LeadIn].Text)) {
		return v, false
	}
	defer c.aside()()
	for i := range list.Items {
		if len(list.Items[i].Text) > 60 || strings.Contains(list.Items[i].Text, ". ") {
			return v, false
		}
		n, claim, ok := c.onlyNumber(list.Items[i].Text)
		if !ok && (strings.HasSuffix(list.Items[i].Text, "%")) {
			n, ok = c.partItem(list.Items[i].Text)
		}
		if !ok || n.word || containsWord(claim, otherSeries) || !v.add(n, 0) {
			return v, false
		}
	}
	return v, true
}
