package check

import (
	"math/big"
	"strings"
)

// shows tells whether stated is a fair way to show v: rounded or truncated to
// the digits shown, or, if up is set and no fraction is shown, rounded up (ten
// things in boxes of four take three boxes).
func shows(v interval, stated *number, neg bool, hundreds, up bool) bool {
	r, ulp := stated.rat(), stated.ulp()
	if neg {
		r.Neg(r)
	}
	if hundreds {
		r.Quo(r, big.NewRat(100, 1))
		ulp.Quo(ulp, big.NewRat(100, 1))
	}
	half := new(big.Rat).Quo(ulp, big.NewRat(2, 1))
	// Rounded: |v - r| <= ulp/2. Truncated: v lies up to one ulp beyond r,
	// away from zero.
	below, above := half, half
	away := new(big.Rat).Sub(ulp, new(big.Rat).Quo(ulp, big.NewRat(1_000_000, 1)))
	if r.Sign() > 0 || r.Sign() == 0 && v.lo.Sign() > 0 {
		above = away
	} else if r.Sign() < 0 || v.hi.Sign() < 0 {
		below = away
	}
	if up && stated.whole() && r.Sign() > 0 {
		below = away
	}
	return v.hi.Cmp(new(big.Rat).Sub(r, below)) >= 0 && v.lo.Cmp(new(big.Rat).Add(r, above)) <= 0
}

// rounded is what n may have been rounded from: up to half a unit of its last
// digit away where it shows a fraction, nothing else otherwise.
func (n *number) rounded() interval {
	r := n.rat()
	if n.dec <= 0 || n.currency {
		return exactly(r)
	}
	half := n.ulp()
	half.Quo(half, big.NewRat(2, 1))
	return interval{new(big.Rat).Sub(r, half), new(big.Rat).Add(r, half)}
}

// measured is rounded for what is measured: a whole number with a unit may
// have been rounded too.
func (n *number) measured() interval {
	if n.dec != 0 || n.unit == "" || n.currency {
		return n.rounded()
	}
	r, half := n.rat(), big.NewRat(1, 2)
	return interval{new(big.Rat).Sub(r, half), new(big.Rat).Add(r, half)}
}

// showsShare tells whether the percentage p is a fair way to show n of m.
func showsShare(n, m, p *number) bool {
	const small = 1 << 30
	if n.wide == nil && m.wide == nil && p.wide == nil && n.dec == 0 && m.dec == 0 && p.dec >= 0 && p.dec <= 2 && n.mant < small && m.mant < small && p.mant < small {
		x := n.mant * 100 // in units of p's last digit, m times
		for i := 0; i < p.dec; i++ {
			x *= 10
		}
		return 2*x >= (2*p.mant-1)*m.mant && x < (p.mant+1)*m.mant
	}
	return shows(exactly(new(big.Rat).Quo(n.rat(), m.rat())), p, false, true, false)
}

// resembles tells whether v is about stated, as "≈" promises: within a tenth,
// or within the last digit that is not a zero.
func resembles(v interval, stated *number, neg, hundreds bool) bool {
	r := stated.rat()
	if neg {
		r.Neg(r)
	}
	ulp := stated.ulp()
	ten := big.NewRat(10, 1)
	for m := stated.mant; stated.wide == nil && m != 0 && m%10 == 0; m /= 10 {
		ulp.Mul(ulp, ten)
	}
	if hundreds {
		r.Quo(r, big.NewRat(100, 1))
		ulp.Quo(ulp, big.NewRat(100, 1))
	}
	slack := new(big.Rat).Quo(new(big.Rat).Abs(v.mid()), ten)
	if slack.Cmp(ulp) < 0 {
		slack = ulp
	}
	return v.hi.Cmp(new(big.Rat).Sub(r, slack)) >= 0 && v.lo.Cmp(new(big.Rat).Add(r, slack)) <= 0
}

// format shows r the way like was written: its unit, its digits, its
// separators. A plain number that like shows too few digits for gets two.
func format(r *big.Rat, like *number) string {
	dec := max(like.dec, 0)
	fits := func(n int) bool { return new(big.Rat).Mul(r, pow10(n)).IsInt() }
	switch {
	case fits(dec):
	case fits(dec+1) || like.text != "" && r.FloatString(dec) == like.rat().FloatString(dec):
		dec++ // 5 of 8 is 62.5%
	case dec == 0 && !like.percent():
		dec = 2
	}
	s := r.FloatString(dec)
	if dec > like.dec && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	sep, comma := ",", like.loose && like.dec > 0 || like.sep == '.'
	if like.sep != 0 {
		if sep = like.separator(); comma {
			sep = "."
		}
	}
	if comma {
		s = strings.Replace(s, ".", ",", 1)
	}
	if like.sep != 0 {
		s = group(s, sep)
	}
	first := strings.IndexAny(like.text, "0123456789")
	if first < 0 {
		return s
	}
	last := strings.LastIndexAny(like.text, "0123456789")
	s, neg := strings.CutPrefix(s, "-")
	s = like.text[:first] + s + like.text[last+1:]
	if neg {
		s = "-" + s
	}
	return s
}

// separator is what groups the thousands of n.
func (n *number) separator() string {
	if n.sep == ',' || n.sep == '.' {
		return string(n.sep)
	}
	first := strings.IndexAny(n.text, "0123456789")
	if first < 0 {
		return ","
	}
	i := digitsEnd(n.text, first)
	return n.text[i : i+groupAt(n.text, i)]
}

// group puts sep between the thousands of a decimal number.
func group(s, sep string) string {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	mark, whole, frac := ".", s, ""
	if i := strings.IndexAny(s, ".,"); i >= 0 {
		mark, whole, frac = s[i:i+1], s[:i], s[i+1:]
	}
	var b strings.Builder
	if neg {
		b.WriteByte('-')
	}
	for i := 0; i < len(whole); i++ {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(sep)
		}
		b.WriteByte(whole[i])
	}
	if frac != "" {
		b.WriteString(mark + frac)
	}
	return b.String()
}
