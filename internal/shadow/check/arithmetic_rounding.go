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

// roundingWords are about rounding, whatever the frame.
var roundingWords = wordSet(`rounds rounded rounding round`)

// roundingBreaks are words by which a number beside a rounding is another one.
var roundingBreaks = wordSet(`about almost nearly around roughly approximately not no never simplicity table chart budget estimate estimated each
	another other but while if or`)

// roundingFrames checks roundings told in some other order than
// [checker.roundings] knows: "rounded up, 7.2 becomes 8".
func (c *checker) roundingFrames() {
	l := &c.lex
	if c.judged() {
		return
	}
	nums, ok := l.frameNumbers()
	if !ok || l.hasBetween(0, len(l.toks), roundingBreaks) {
		return
	}
	var value []int
	digits, up, down, cue := -1, false, false, false
	for i := range l.toks {
		w := l.wordAt(i)
		cue = cue || roundingWords[w] || w == "decimal" || w == "decimals"
		switch w {
		case "up":
			up = up || roundingWords[l.wordAt(i-1)]
		case "down":
			down = down || roundingWords[l.wordAt(i-1)]
		case "decimal", "decimals":
			if k := i - 1; l.kindAt(k) == tokNumber && k >= 0 && l.toks[k].num.mant < 9 && l.toks[k].num.dec == 0 {
				digits = int(l.toks[k].num.mant)
			}
		case "integer", "whole":
			digits = 0
		case "ten", "hundred", "thousand", "million", "half", "quarter", "multiple", "power", "significant", "figures":
			if w != "hundred" && w != "thousand" {
				return
			}
			digits = -2
			if w == "thousand" {
				digits = -3
			}
		}
	}
	for _, i := range nums {
		if w := l.wordAt(i + 1); w == "decimal" || w == "decimals" || w == "digits" || w == "places" {
			continue
		}
		value = append(value, i)
	}
	if !cue || len(value) != 2 || digits == -1 && !up && !down {
		return
	}
	x, y := value[0], value[1]
	a, b := &l.toks[x].num, &l.toks[y].num
	if a.unit != b.unit && b.unit != "" && a.unit != "" || b.dec > a.dec || a.dec < 1 && digits > -2 || !c.spend(3) || labelWords[l.wordAt(x-1)] || l.kindAt(x+1) == tokOp && !l.toks[x+1].dash {
		return
	}
	if up || down {
		digits = b.dec
	}
	ulp := pow10(-digits)
	q := new(big.Rat).Quo(a.rat(), ulp)
	switch {
	case up:
		q = ceiling(q)
	case down:
		q = floor(q)
	default:
		even := new(big.Rat).Sub(q, big.NewRat(1, 2))
		if even.IsInt() && even.Mul(even, ulp).Cmp(b.rat()) == 0 {
			return // half to even, or down
		}
		q = floor(q.Add(q, big.NewRat(1, 2)))
	}
	q.Mul(q, ulp)
	off := new(big.Rat).Sub(b.rat(), q)
	if off.Sign() == 0 || off.Abs(off).Cmp(new(big.Rat).Mul(ulp, big.NewRat(3, 1))) > 0 {
		return
	}
	like := *b
	if digits >= 0 {
		like.dec = digits
	}
	c.report(l.text(min(x, y), max(x, y)), l.text(y, y), format(q, &like))
}
