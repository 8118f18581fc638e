package check

import (
	"math/big"
	"strings"
)

// resultWords name the outcomes that are told of a run in most cases.
var resultWords = wordSet(`passed failed skipped succeeded errored pending ignored errors error success`)

// outcomeAt tells whether the number at token i counts an outcome: "51 passed"
// or "passed: 51".
func (l *lexer) outcomeAt(i int) bool {
	w := l.wordAt(i - 1)
	if l.markAt(i-1) == ':' {
		w = l.wordAt(i - 2)
	}
	return outcomeWords[l.wordAt(i+1)] || outcomeWords[w]
}

// labelledOutcomes checks "Total 58, passed 51, failed 5, skipped 1".
func (c *checker) labelledOutcomes() {
	l := &c.lex
	if l.numbers() < 3 || c.judged() {
		return
	}
	total, n := -1, 0
	sum := new(big.Rat)
	for i := 0; i < len(l.toks); {
		w := l.wordAt(i)
		if i++; l.markAt(i) == ':' {
			i++
		}
		if i >= len(l.toks) || l.kindAt(i) != tokNumber || !l.countable(i) || !l.exact(i) || l.toks[i].num.wide != nil {
			return
		}
		switch {
		case w == "total" && total < 0:
			total = i
		case resultWords[w]:
			sum.Add(sum, l.toks[i].num.rat())
			n++
		default:
			return
		}
		if i++; i == len(l.toks) || l.markAt(i) == '.' && i+1 == len(l.toks) {
			break
		}
		if m := l.markAt(i); l.kindAt(i) != tokPunct || m != ',' && m != ';' && m != '|' && m != '·' {
			return
		}
		i++
	}
	if total < 0 || n < 2 || !c.spend(n) {
		return
	}
	if stated := &l.toks[total].num; missesOutcomes(sum, stated, n) {
		c.report(l.text(0, len(l.toks)-1), l.text(total, total), format(sum, stated))
	}
}

// outcomesList checks a list of "Total: 58", "Passed: 51", "Failed: 5" and
// "Skipped: 1". Where the total is the last it is read elsewhere.
func (c *checker) outcomesList(list *List) {
	if n := len(list.Items); n < 3 || n > 8 || totalLabel(firstLabel(list.Items[0].Text)) != rowTotal {
		return
	}
	stated, claim, ok := c.onlyNumber(list.Items[0].Text)
	if !ok || stated.unit != "" {
		return
	}
	sum := new(big.Rat)
	for _, it := range list.Items[1:] {
		if !resultWords[strings.ToLower(firstLabel(it.Text))] {
			return
		}
		v, _, ok := c.onlyNumber(it.Text)
		if !ok || v.unit != "" {
			return
		}
		sum.Add(sum, v.rat())
	}
	if missesOutcomes(sum, &stated, len(list.Items)-1) {
		c.add(Finding{Line: list.Items[0].No, Claim: shorten(claim), States: format(stated.rat(), &number{}), ShouldBe: format(sum, &number{})})
	}
}

// missesOutcomes tells whether n outcomes do not add up to total. Two may leave
// out what was skipped.
func missesOutcomes(sum *big.Rat, total *number, n int) bool {
	d := sum.Cmp(total.rat())
	return d > 0 || d < 0 && n > 2
}

// firstLabel is what stands before the colon of an item.
func firstLabel(s string) string {
	label, _, _ := strings.Cut(s, ":")
	return strings.TrimSpace(label)
}
