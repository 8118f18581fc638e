package check

import (
	"math/big"
	"strings"
)

// periodWords stand between what was done and how long it took.
var periodWords = wordSet(`in over within during`)

// eventAbbreviations are short for what a rate counts.
var eventAbbreviations = map[string]string{"req": "request", "reqs": "request", "msg": "message", "msgs": "message", "tx": "transaction", "txs": "transaction",
	"op": "operation", "ops": "operation"}

// throughputs checks rates that are stated behind what they come from: "1,200
// requests in 60 s, i.e. 25 requests/s".
func (c *checker) throughputs() {
	l := &c.lex
	for p := range l.toks {
		if !periodWords[l.wordAt(p)] {
			continue
		}
		n := p - 1
		for k := 0; k < 2 && l.kindAt(n) == tokWord && n > 0; k++ {
			n--
		}
		t := p + 1
		if n < 0 || n == p-1 || t >= len(l.toks) || l.kindAt(n) != tokNumber || l.kindAt(t) != tokNumber || !l.begins(n) || !l.sumable(n) || !l.toks[t].num.exact() || l.toks[n].num.unit != "" || l.toks[n].num.loose {
			continue
		}
		took := measures[l.toks[t].num.unit]
		if took.dimension != "time" || !took.readings[0].isExact() || l.toks[t].num.mant == 0 {
			continue
		}
		if r := l.restated(t + 1); r > 0 {
			c.throughput(n, t, r, l.wordAt(p-1))
		}
	}
}

// restated finds the number that says again what ends before token i: behind
// "i.e.", "or", an equals sign or in parentheses. It returns 0 if there is none.
func (l *lexer) restated(i int) int {
	j := i
	switch k := l.kindAt(j); {
	case l.thatIs(j) > j:
		j = l.thatIs(j)
	case k == tokOpen && l.markAt(j) == '(', k == tokEquals:
		j++
	case l.markAt(j) == ',' && (l.wordAt(j+1) == "or" || l.wordAt(j+1) == "thus" || l.wordAt(j+1) == "so"):
		j += 2
	case l.markAt(j) == ',' && l.wordAt(j+1) == "that" && l.kindAt(j+2) == tokEquals, l.markAt(j) == ',' && l.wordAt(j+1) == "which" && l.kindAt(j+2) == tokEquals:
		j += 3
	default:
		return 0
	}
	if k := l.thatIs(j); k > j { // (i.e. 25
		j = k
	}
	if l.kindAt(j) == tokEquals {
		j++
	}
	if j >= len(l.toks) || l.kindAt(j) != tokNumber || !l.exact(j) || l.toks[j].num.loose {
		return 0
	}
	return j
}

// throughput checks that the number at token r is that at token n for each
// unit of the time at token t; noun is what is counted.
func (c *checker) throughput(n, t, r int, noun string) {
	l := &c.lex
	j := r + 1
	if w := l.wordAt(j); w != "" && w != "per" {
		if full := eventAbbreviations[w]; full != "" {
			w = full
		}
		if singular(w) != singular(noun) {
			return // of something else
		}
		j++
	}
	per := ""
	switch {
	case l.toks[r].num.unit != "": // 25/s
		per = strings.TrimPrefix(l.toks[r].num.unit, "/")
		if per == l.toks[r].num.unit || j > r+1 {
			return
		}
		j--
	case l.perAt(j):
		per = l.text(j, j)[1:]
	case l.wordAt(j) == "per" || l.wordAt(j) == "a":
		j++
		per = l.wordAt(j)
	}
	unit := measures[unitOf(per)]
	if unit.dimension != "time" || !unit.readings[0].isExact() || !l.endsAt(j+1) || !c.spend(4) {
		return
	}
	// What is measured may have been rounded, but one minute is a minute.
	took, stated := l.toks[t].num.measured(), &l.toks[r].num
	if l.toks[t].num.mant == 1 && l.toks[t].num.whole() {
		took = exactly(l.toks[t].num.rat())
	}
	per1 := new(big.Rat).Quo(unit.readings[0].mid(), measures[l.toks[t].num.unit].readings[0].mid())
	done := exactly(new(big.Rat).Mul(l.toks[n].num.rat(), per1))
	v := multiply(done, interval{new(big.Rat).Inv(took.hi), new(big.Rat).Inv(took.lo)})
	want := new(big.Rat).Quo(done.lo, l.toks[t].num.rat())
	if shows(v, stated, false, false, true) || nearly(want, stated.rat()) || l.kindAt(r-1) == tokOpen && !roughly(stated.rat(), want) {
		return // or, in parentheses, about something else
	}
	end := j
	if l.kindAt(end+1) == tokClose && end+1 < len(l.toks) {
		end++
	}
	c.report(l.text(n, end), l.text(r, r), format(want, stated))
}
