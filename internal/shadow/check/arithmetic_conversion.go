package check

import "math/big"

// measure is a unit as a multiple of the base unit of its dimension. Some
// have several fair readings: a day of work has 8 hours, a megabyte 1000 or
// 1024 kilobytes; others are not the same everywhere, as months.
type measure struct {
	dimension string
	readings  []interval
}

func exactReading(n int64) interval { return exactly(big.NewRat(n, 1)) }

func between(lo, hi int64) interval { return interval{big.NewRat(lo, 1), big.NewRat(hi, 1)} }

// measures are the units that may be converted, in nanoseconds, bits,
// millimetres, milligrams and hertz.
var measures = func() map[string]measure {
	const ns, us, ms, s = int64(1), int64(1e3), int64(1e6), int64(1e9)
	const h, d = 3600 * s, 86400 * s
	m := map[string]measure{
		"ns": {"time", []interval{exactReading(ns)}}, "µs": {"time", []interval{exactReading(us)}}, "ms": {"time", []interval{exactReading(ms)}},
		"s": {"time", []interval{exactReading(s)}}, "min": {"time", []interval{exactReading(60 * s)}}, "h": {"time", []interval{exactReading(h)}},
		"d":  {"time", []interval{exactReading(d), between(7*h, 9*h)}},
		"wk": {"time", []interval{exactReading(7 * d), exactReading(5 * d), between(35*h, 45*h)}},
		"mo": {"time", []interval{between(28*d, 31*d), between(20*d, 23*d), between(140*h, 190*h)}},
		"yr": {"time", []interval{between(360*d, 366*d), between(200*d, 262*d), between(1600*h, 2100*h)}},
		"mm": {"length", []interval{exactReading(1)}}, "cm": {"length", []interval{exactReading(10)}}, "m": {"length", []interval{exactReading(1e3)}}, "km": {"length", []interval{exactReading(1e6)}},
		"mg": {"mass", []interval{exactReading(1)}}, "g": {"mass", []interval{exactReading(1e3)}}, "kg": {"mass", []interval{exactReading(1e6)}},
		"ml": {"volume", []interval{exactReading(1)}}, "l": {"volume", []interval{exactReading(1e3)}},
		"Hz": {"rate", []interval{exactReading(1)}}, "kHz": {"rate", []interval{exactReading(1e3)}}, "MHz": {"rate", []interval{exactReading(1e6)}},
		"GHz": {"rate", []interval{exactReading(1e9)}}, "bit": {"data", []interval{exactReading(1)}}, "B": {"data", []interval{exactReading(8)}},
	}
	decimal, binary := int64(8), int64(8)
	for _, u := range [...]string{"K", "M", "G", "T", "P"} {
		decimal, binary = decimal*1000, binary*1024
		m[u+"B"] = measure{"data", []interval{exactReading(decimal), exactReading(binary)}}
		m[u+"iB"] = measure{"data", []interval{exactReading(binary)}}
	}
	return m
}()

// steps are the ratios of units that go by the calendar or by work, but not by
// one on one side and the other on the other.
var steps = map[string][]interval{
	"wk d": {exactReading(7), exactReading(5)}, "yr mo": {exactReading(12)},
	"mo wk": {{big.NewRat(4, 1), big.NewRat(9, 2)}}, "yr wk": {{big.NewRat(52, 1), big.NewRat(53, 1)}},
	"mo d": {between(28, 31), between(20, 23)}, "yr d": {between(360, 366), between(250, 262)},
}

// restatements may stand before a quantity that is stated again.
var restatements = wordSet(`ie equals namely`)

// thatIs tells where "i.e.", with a comma before it perhaps, ends that begins
// at token i; i if it does not.
func (l *lexer) thatIs(i int) int {
	j := i
	if l.kindAt(j) == tokPunct && l.markAt(j) == ',' {
		j++
	}
	if l.kindAt(j) != tokOpaque || l.text(j, j) != "i.e" {
		return i
	}
	if j++; l.markAt(j) == '.' {
		j++
	}
	if l.markAt(j) == ',' {
		j++
	}
	return j
}

// conversions checks quantities that are stated again in another unit: "90
// minutes = 1.5 hours", "3 days (= 259,200 seconds)".
func (c *checker) conversions() {
	l := &c.lex
	for i := 0; i+2 < len(l.toks); i++ {
		if l.toks[i].kind != tokNumber || measures[l.toks[i].num.unit].dimension == "" {
			continue
		}
		j, sure, paren := i+1, false, false
		if l.kindAt(j) == tokOpen && l.markAt(j) == '(' {
			j++
			paren = true
		}
		switch k := l.kindAt(j); {
		case k == tokEquals && l.markAt(j) != 'i' && !l.toks[j].spaced && !paren:
			continue // 1D=48h is a setting
		case k == tokEquals && l.markAt(j) != 'i':
			sure = true
			j++
		case (l.kindAt(j) == tokPunct && l.markAt(j) == ',' || l.markAt(j) == '—') && (l.wordAt(j+1) == "or" || l.wordAt(j+1) == "that" && l.kindAt(j+2) == tokEquals) && l.kindAt(j+2+b2i(l.wordAt(j+1) == "that")) == tokNumber && l.endsAt(j+3+b2i(l.wordAt(j+1) == "that")):
			j += 2 + b2i(l.wordAt(j+1) == "that")
		case restatements[l.wordAt(j)], l.thatIs(j) > j:
			sure = true
			if j = l.thatIs(j); restatements[l.wordAt(j)] {
				j++
			}
		case k == tokEquals, l.kindAt(j) == tokPunct && l.markAt(j) == ',' && l.wordAt(j+1) == "which" && l.kindAt(j+2) == tokEquals:
			// "90 minutes is 1.5 hours", but not "5 s is 200 ms less"
			for l.kindAt(j) != tokEquals {
				j++
			}
			j++
			if !l.endsAt(j+1) && l.wordAt(j+1) != "of" {
				continue
			}
		case !paren:
			continue
		}
		if j >= len(l.toks) || l.kindAt(j) != tokNumber || measures[l.toks[j].num.unit].dimension == "" || paren && l.kindAt(j+1) != tokClose {
			continue
		}
		if !paren && !c.settled(l.scan(j)) || l.scan(j).ops > 0 {
			continue
		}
		c.conversion(i, j, sure)
	}
}

// conversion checks that the quantities at tokens i and j are the same. Where
// nothing says that they should be, only those that nearly are count.
func (c *checker) conversion(i, j int, sure bool) {
	l := &c.lex
	a, b := &l.toks[i].num, &l.toks[j].num
	ma, mb := measures[a.unit], measures[b.unit]
	if a.unit == b.unit || ma.dimension != mb.dimension || !l.exact(i) || !l.exact(j) || a.loose || b.loose || !l.begins(i) || c.measureBefore(i) || !c.spend(4) {
		return
	}
	if !sure && a.unit == "wk" && b.unit == "d" && b.mant%30 == 0 {
		return // months, in a manner of speaking
	}
	if c.sameMeasure(a.rounded(), a.unit, b) || !sure && !(a.unit == "wk" && b.unit == "d") && c.sameMeasure(exactly(b.rat()), b.unit, a) {
		return
	}
	v := new(big.Rat).Mul(a.rat(), ma.readings[0].mid())
	v.Quo(v, mb.readings[0].mid())
	if v.Sign() == 0 || b.rat().Sign() == 0 || c.marketed(a, b) || c.marketed(b, a) {
		return
	}
	if bits := new(big.Rat).Quo(b.rat(), a.rat()); a.unit == "B" && b.unit == "bit" && bits.IsInt() && bits.Cmp(big.NewRat(4, 1)) >= 0 && bits.Cmp(big.NewRat(8, 1)) < 0 {
		return // of text: hex has 4 bits a byte, base64 has 6
	}
	limit := int64(2)
	if sure {
		limit = 100 // what is off by more is no conversion: "1h=365d" is a setting
	}
	if r := new(big.Rat).Quo(v, b.rat()); r.Cmp(big.NewRat(1, limit)) < 0 || r.Cmp(big.NewRat(limit, 1)) > 0 {
		if !sure && !tenfold(r) {
			return
		}
	}
	end := j
	if l.kindAt(j+1) == tokClose && j+1 < len(l.toks) {
		end++
	}
	c.report(l.text(i, end), l.text(j, j), format(v, b))
}

// marketed tells whether b lies between the binary and the decimal reading of a:
// of a memory of 32 GB, 31 GiB may be free for use.
func (c *checker) marketed(a, b *number) bool {
	r := measures[a.unit].readings
	if len(r) != 2 || measures[a.unit].dimension != "data" || !c.spend(4) {
		return false
	}
	v := new(big.Rat).Mul(b.rat(), measures[b.unit].readings[0].mid())
	return v.Cmp(new(big.Rat).Mul(a.rat(), r[0].lo)) >= 0 && v.Cmp(new(big.Rat).Mul(a.rat(), r[1].hi)) <= 0
}

// sameMeasure tells whether v of a unit is what stated shows, in any reading
// of the two units.
func (c *checker) sameMeasure(v interval, unit string, stated *number) bool {
	if r, ok := steps[unit+" "+stated.unit]; ok {
		for _, x := range r {
			if shows(multiply(v, x), stated, false, false, false) {
				return true
			}
		}
		return false
	}
	if r, ok := steps[stated.unit+" "+unit]; ok {
		for _, x := range r {
			if shows(multiply(v, interval{new(big.Rat).Inv(x.hi), new(big.Rat).Inv(x.lo)}), stated, false, false, false) {
				return true
			}
		}
		return false
	}
	fine := unit == "s" || unit == "ms" || stated.unit == "s" || stated.unit == "ms" // nobody counts days of work in seconds
	for _, from := range measures[unit].readings {
		for _, to := range measures[stated.unit].readings {
			if fine && (!from.isExact() || !to.isExact()) && (unit == "d" || stated.unit == "d") {
				continue
			}
			x := multiply(multiply(v, from), interval{new(big.Rat).Inv(to.hi), new(big.Rat).Inv(to.lo)})
			if shows(x, stated, false, false, false) {
				return true
			}
		}
	}
	return false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tenfold tells whether r is a power of ten, as if a point was set wrong.
func tenfold(r *big.Rat) bool {
	for _, p := range [...]int{-3, -2, -1, 1, 2, 3} {
		if r.Cmp(pow10(p)) == 0 {
			return true
		}
	}
	return false
}
