package check

import "math/big"

// fractions are parts told in words.
var fractions = map[string][2]int64{"half": {1, 2}, "third": {1, 3}, "thirds": {1, 3}, "quarter": {1, 4}, "quarters": {1, 4}, "fifth": {1, 5}, "fifths": {1, 5}, "tenth": {1, 10}, "tenths": {1, 10}}

// wordShares checks "two thirds of the 90 nodes, 60, were upgraded", "half of
// the 86 tickets (43)" and "half of 90 is 45".
func (c *checker) wordShares() {
	l := &c.lex
	if c.judged() {
		return
	}
	for i := range l.toks {
		if l.wordAt(i+1) != "of" {
			continue
		}
		f, ok := fractions[l.wordAt(i)]
		percent := l.percentAt(i)
		if !ok && !percent {
			continue
		}
		part, p := new(big.Rat), i-1
		if ok {
			part.SetFrac64(f[0], f[1])
		} else {
			part.Quo(l.toks[i].num.rat(), big.NewRat(100, 1))
		}
		if percent {
		} else if l.kindAt(p) == tokNumber && p >= 0 {
			if !l.toks[p].num.word {
				continue
			}
			part.Mul(part, l.toks[p].num.rat())
			p--
		} else if w := l.wordAt(p); w == "a" || w == "one" {
			p--
		} else if f[1] != 2 {
			continue
		}
		if w := l.wordAt(p); w != "" && w != "in" && w != "that" && w != "and" && w != "for" && w != "so" && w != "found" && w != "exactly" && w != "upgraded" && !(w == "since" || w == "because" || w == "as") {
			continue // more than half, nearly two thirds
		}
		m := i + 2
		switch l.wordAt(m) {
		case "the", "our", "all", "these", "those":
			m++
		}
		if m >= len(l.toks) || l.kindAt(m) != tokNumber || !l.exact(m) || l.toks[m].num.loose || l.toks[m].num.percent() {
			continue
		}
		j, ok := l.nouns(m+1, 3)
		if !ok {
			continue
		}
		open := l.kindAt(j) == tokOpen
		if percent && l.thatIs(j) == j && !(l.markAt(j) == ',' && l.wordAt(j+1) == "or") {
			continue // 20% of the 350 entries (60) is read elsewhere
		}
		is := !percent && l.kindAt(j) == tokEquals
		if !open && !is && l.markAt(j) != ',' && l.markAt(j) != '—' {
			continue
		}
		n := j + 1
		if k := l.thatIs(j); k > j {
			n = k
		}
		if l.wordAt(n) == "or" || l.wordAt(n) == "that" {
			n++
		}
		if l.kindAt(n) == tokEquals {
			n++
		}
		if n >= len(l.toks) || l.kindAt(n) != tokNumber || !l.exact(n) || l.toks[n].num.loose || l.toks[n].num.unit != l.toks[m].num.unit {
			continue
		}
		end, ok := l.nouns(n+1, 2)
		if is && end > n+1 && (end > n+2 || l.wordAt(n+1) != l.wordAt(j-1)) { // 40 too many
			continue
		}
		if !ok || open != (l.kindAt(end) == tokClose && end < len(l.toks)) || !l.endsAt(end) || !c.spend(2) {
			continue
		}
		want := part.Mul(part, l.toks[m].num.rat())
		if d := new(big.Rat).Sub(want, l.toks[n].num.rat()); d.Abs(d).Cmp(big.NewRat(1, 1)) < 0 || !roughly(l.toks[n].num.rat(), want) {
			continue
		}
		c.report(l.text(i, n), l.text(n, n), format(want, &l.toks[n].num))
	}
}
