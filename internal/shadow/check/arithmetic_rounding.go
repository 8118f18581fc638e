package check

import "math/big"

// roundings checks "3.14159 rounds to 3.14" and "41 rounded up to 50".
func (c *checker) roundings() {
	l := &c.lex
	for i := range l.toks {
		w := l.wordAt(i)
		if w != "rounds" && w != "rounded" && w != "truncated" && w != "truncates" || l.kindAt(i-1) != tokNumber || i == 0 {
			continue
		}
		j, up, down := i+1, false, w[0] == 't'
		switch l.wordAt(j) {
		case "up":
			up = true
			j++
		case "down":
			down = true
			j++
		case "off":
			j++
		}
		if l.wordAt(j) != "to" && l.markAt(j) != '=' && l.wordAt(j) != "is" {
			continue
		}
		j++
		if w := l.wordAt(j + 1); w == "decimal" || w == "decimals" || w == "digits" || w == "places" {
			for j++; l.kindAt(j) == tokWord && j < len(l.toks) && l.wordAt(j) != "is"; j++ {
			}
			if l.kindAt(j) != tokEquals && l.wordAt(j) != "is" {
				continue
			}
			j++
		}
		x, y := i-1, j
		if j >= len(l.toks) || l.kindAt(j) != tokNumber || !l.exact(x) || !l.exact(y) || l.toks[y].num.word || !l.begins(x) || l.kindAt(j+1) == tokOp || !c.spend(3) {
			continue
		}
		a, b := &l.toks[x].num, &l.toks[y].num
		if a.unit != b.unit && b.unit != "" || a.loose || b.loose || b.dec == 0 && b.mant < 10 && l.wordAt(j+1) != "" { // to 2 decimals
			continue
		}
		v, ulp := a.rat(), b.ulp()
		for m := b.mant; b.wide == nil && b.dec == 0 && m != 0 && m%10 == 0; m /= 10 {
			ulp.Mul(ulp, big.NewRat(10, 1))
		}
		off := new(big.Rat).Sub(v, b.rat())
		bound := new(big.Rat).Set(ulp)
		if !up && !down {
			bound.Quo(bound, big.NewRat(2, 1))
		}
		wrongWay := up && off.Sign() > 0 || down && off.Sign() < 0
		if new(big.Rat).Abs(off).Cmp(bound) <= 0 && !wrongWay {
			continue
		}
		q := new(big.Rat).Quo(v, ulp)
		switch {
		case up:
			q = ceiling(q)
		case down:
			q = floor(q)
		default:
			q = floor(q.Add(q, big.NewRat(1, 2)))
		}
		c.report(l.text(x, y), l.text(y, y), format(q.Mul(q, ulp), b))
	}
}
