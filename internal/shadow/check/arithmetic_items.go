package check

import (
	"math/big"
	"strings"
)

// totalItem checks a list whose last item sums up the others: "Unit: 24",
// "Integration: 16", "Total: 40".
func (c *checker) totalItem(list *List) {
	n := len(list.Items)
	if n < 3 {
		return
	}
	last := &list.Items[n-1]
	label, _, found := strings.Cut(last.Text, ":")
	if !found || totalLabel(label) != rowTotal {
		return
	}
	total, claim, ok := c.onlyNumber(last.Text)
	if !ok {
		return
	}
	// "Total documents: 19" sums up items that count documents too.
	noun := c.countedNoun()
	words := strings.Fields(strings.TrimSpace(label))
	named := len(words) > 1
	sum, remarked := new(big.Rat), false
	for i := range list.Items[:n-1] {
		v, _, ok := c.onlyNumber(list.Items[i].Text)
		if label, _, _ := strings.Cut(list.Items[i].Text, ":"); totalLabel(label) != rowPlain {
			return // daily total, monthly total
		}
		if strings.Contains(list.Items[i].Text, "additional") {
			return // to what was summed up before
		}
		remarked = remarked || strings.Contains(list.Items[i].Text, "(")
		if !ok || v.unit != total.unit || named && c.countedNoun() != noun {
			return
		}
		if v.percent() {
			return
		}
		sum.Add(sum, v.rat())
	}
	if total.percent() || !slip(total.rat(), sum) || shows(exactly(sum), &total, false, false, false) {
		return
	}
	if remarked && total.rat().Cmp(sum) < 0 {
		return // 24 tests (too large to run)
	}
	c.add(Finding{Line: last.No, Claim: shorten(claim), States: format(total.rat(), &total), ShouldBe: format(sum, &total)})
}

// countedNoun is the word behind the number of the item read last.
func (c *checker) countedNoun() string {
	l := &c.lex
	for i := range l.toks {
		if l.toks[i].kind == tokNumber {
			return singular(l.wordAt(i + 1))
		}
	}
	return ""
}

// onlyNumber reads an item like "Unit: 24 tests" or "24 unit tests" that
// states exactly one number.
func (c *checker) onlyNumber(text string) (n number, claim string, ok bool) {
	l := &c.lex
	if !l.read(text, nil) {
		return n, "", false
	}
	at := -1
	for i := range l.toks {
		switch t := &l.toks[i]; {
		case t.kind == tokNumber && at < 0:
			at = i
		case t.kind == tokNumber, t.kind == tokOpaque, t.kind == tokEquals, t.kind == tokOp && !t.dash:
			return n, "", false
		}
	}
	if at < 0 || !l.sumable(at) || l.toks[at].num.loose {
		return n, "", false
	}
	if p := l.kindAt(at - 1); at > 0 && (p != tokPunct || l.markAt(at-1) != ':') && !(p == tokOp && l.toks[at-1].dash) {
		return n, "", false
	}
	return l.toks[at].num, text, true
}
