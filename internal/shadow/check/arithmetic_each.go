package check

import "math/big"

// eachBreaks are words by which the total is of more, or of less, than the
// groups beside it.
var eachBreaks = wordSet(`plus another additional extra spare up which usable left free reserved except excluding without minus about per other
	others remaining shared including least most average only but while where whereas if not if or used available needed required
	limit limits budget target goal cap instead before after previously originally rest minimum maximum`)

// eachBridges may stand between "each" and the total.
var eachBridges = wordSet(`for a total of giving gives give making makes make so in that is to or all altogether combined yielding yields thus hence
	totalling totaling together the brings bringing are we have`)

// groupLinks stand between the groups and what each of them has.
var groupLinks = wordSet(`with of have having hold holding run running get`)

// eaches checks equal groups against their total: "8 nodes with 16 cores each,
// 120 cores in total". The total must be called so, and count the same.
func (c *checker) eaches() {
	l := &c.lex
	e, size := l.eachGroup()
	if size < 0 || c.judged() || l.hasBetween(0, len(l.toks), eachBreaks) {
		return
	}
	groups := l.groupsBefore(size)
	t, whole := e+1, false
	for ; t < len(l.toks) && l.kindAt(t) != tokNumber; t++ {
		w := l.wordAt(t)
		switch k := l.kindAt(t); {
		case k == tokWord && (eachBridges[w] || wholeWords[w]), k == tokEquals, k == tokOpen, k == tokOp && l.toks[t].dash:
			whole = whole || wholeWords[w]
		case k == tokPunct && (l.markAt(t) == ',' || l.markAt(t) == '—' || l.markAt(t) == ':'):
		default:
			return
		}
	}
	if groups < 0 || t >= len(l.toks) || l.numbers() != 3 {
		return
	}
	for _, i := range [...]int{groups, size, t} {
		if n := &l.toks[i].num; !l.exact(i) || n.loose || n.wide != nil || n.percent() || scales[n.unit] || n.mant < 2 {
			return
		}
	}
	end := t + 1
	for ; l.wordAt(end) != "" && l.wordAt(end) != "in" && !wholeWords[l.wordAt(end)] && end < t+3; end++ {
	}
	noun := end - 1
	if l.wordAt(end) == "in" && wholeWords[l.wordAt(end+1)] {
		end++
	}
	if wholeWords[l.wordAt(end)] {
		whole = true
		end++
	}
	each, all := &l.toks[size].num, &l.toks[t].num
	if !whole || !l.endsAt(end) || each.unit != all.unit || l.toks[groups].num.unit != "" || each.unit == "" && (noun == t || singular(l.wordAt(noun)) != singular(l.wordAt(e-1))) || !c.spend(3) {
		return
	}
	want := new(big.Rat).Mul(l.toks[groups].num.rat(), each.rat())
	if shows(exactly(want), all, false, false, true) || !roughly(all.rat(), want) {
		return
	}
	c.report(l.text(groups, end-1), l.text(t, noun), format(want, all)+l.line[l.toks[t].to:l.toks[noun].to])
}

// eachGroup finds "16 cores each" and gives the tokens of "each" and of the
// number; -1 if there is none, or are several.
func (l *lexer) eachGroup() (each, size int) {
	each, size = -1, -1
	for i := range l.toks {
		if l.wordAt(i) != "each" {
			continue
		}
		if each >= 0 {
			return -1, -1
		}
		each, size = i, i-1
		for k := 0; k < 3 && l.kindAt(size) == tokWord && size > 0; k++ {
			size--
		}
		if size < 3 || l.kindAt(size) != tokNumber {
			return -1, -1
		}
	}
	return each, size
}

// groupsBefore finds the number of groups that each have what the number at
// token size says: "8 nodes with". It returns -1 if there is none.
func (l *lexer) groupsBefore(size int) int {
	if !groupLinks[l.wordAt(size-1)] {
		return -1
	}
	i := size - 2
	for k := 0; k < 3 && l.kindAt(i) == tokWord && i > 0 && !notNouns[l.wordAt(i)]; k++ {
		i--
	}
	if i < 0 || i == size-2 || l.kindAt(i) != tokNumber || labelWords[l.wordAt(i-1)] || notBefore[l.wordAt(i-1)] || l.kindAt(i-1) == tokOp && i > 0 {
		return -1
	}
	return i
}

// numbers is how many numbers the line in hand has, ranges included.
func (l *lexer) numbers() int {
	n := 0
	for i := range l.toks {
		if k := l.toks[i].kind; k == tokNumber || k == tokOpaque && l.toks[i].mark == 'r' {
			n++
		}
	}
	return n
}
