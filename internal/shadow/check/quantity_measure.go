package check

import (
	"regexp"
	"slices"
	"strings"
)

// measureUnit is a unit of something other than time.
type measureUnit struct {
	of string // what it measures
	// factors turn a value into the smallest unit. A kB is 1000 bytes to some
	// and 1024 to others: either will do.
	factors []float64
}

var measureUnits = func() map[string]*measureUnit {
	m := map[string]*measureUnit{}
	add := func(of, names string, factors ...float64) {
		for _, n := range strings.Fields(names) {
			m[n] = &measureUnit{of, factors}
		}
	}
	add("size", "byte bytes", 1)
	add("bits", "bit bits bps", 1)
	for i, p := range []struct{ letter, long string }{{"k", "kilo"}, {"m", "mega"}, {"g", "giga"}, {"t", "tera"}} {
		decimal, binary := 1e3, float64(1<<10)
		for range i {
			decimal, binary = decimal*1e3, binary*(1<<10)
		}
		add("size", p.letter+"b "+p.long+"byte "+p.long+"bytes", decimal, binary)
		add("size", p.letter+"ib "+p.long[:2]+"bibyte "+p.long[:2]+"bibytes", binary)
		add("bits", p.letter+"bit "+p.letter+"bits "+p.letter+"bps "+p.long+"bit "+p.long+"bits", decimal)
	}
	add("length", "mm millimetre millimetres millimeter millimeters", 1)
	add("length", "cm centimetre centimetres centimeter centimeters", 10)
	add("length", "metre metres meter meters", 1000)
	add("length", "km kilometre kilometres kilometer kilometers", 1e6)
	add("dollars", "usd dollar dollars $", 1)
	add("euros", "eur euro euros €", 1)
	add("pounds", "gbp £", 1)
	return m
}()

var moneyForm = regexp.MustCompile(`([$€£])\s?(\d[\d,.]*)|(\d[\d,.]*)\s?([$€£])`)

// moneyOf lists the sums of a phrase that are written with a sign.
func moneyOf(phrase string) []Quantity {
	var out []Quantity
	for _, m := range moneyForm.FindAllStringSubmatch(phrase, maxQuantities) {
		q := Quantity{Unit: m[1] + m[4], kind: measured, measure: measureUnits[m[1]+m[4]]}
		var ok bool
		if q.Value, ok = quantityValue(m[2] + m[3]); ok {
			out = append(out, q)
		}
	}
	return out
}

// same tells whether two values of units of one measure are the same.
func (u *measureUnit) same(value float64, o *measureUnit, other float64) bool {
	return u.of == o.of && slices.ContainsFunc(u.factors, func(a float64) bool {
		return slices.ContainsFunc(o.factors, func(b float64) bool { return same(value*a, other*b) })
	})
}

func (f *figures) stateMeasure(q *Quantity) bool {
	if q.Value >= bareFrom && f.hasNumber(q.Value) {
		return true
	}
	for i := range f.list {
		n := &f.list[i]
		u := f.measureOf(n)
		if u != nil && (q.Bound && u.of == q.measure.of || q.measure.same(q.Value, u, n.value)) {
			return true
		}
	}
	return false
}

// measureOf gives the unit that stands behind a number, or the sign of a
// currency beside it.
func (f *figures) measureOf(n *figure) *measureUnit {
	if u := measureUnits[wordAt(f.low, int(n.after))]; u != nil {
		return u
	}
	before := strings.TrimSuffix(f.low[max(0, int(n.from)-4):n.from], " ")
	for _, sign := range [...]string{"$", "€", "£"} {
		if strings.HasSuffix(before, sign) || strings.HasPrefix(f.low[n.after:], sign) {
			return measureUnits[sign]
		}
	}
	return nil
}

// perAt gives the unit of time of a rate ("/s", "per minute", "an hour") whose
// words begin at offset at.
func perAt(low string, at int) *timeUnit {
	at = gapEnd(low, at)
	if next(low, at) == '/' {
		return timeUnits[wordAt(low, gapEnd(low, at+1))]
	}
	switch w := wordAt(low, at); w {
	case "per", "a", "an", "each", "every":
		return timeUnits[wordAt(low, gapEnd(low, at+len(w)))]
	}
	return nil
}

// stateRate finds the same rate in another unit of time: 300 requests per
// minute are 5 requests per second.
func (f *figures) stateRate(q *Quantity) bool {
	for i := range f.list {
		n := &f.list[i]
		at, u := int(n.after), (*timeUnit)(nil)
		switch w := wordAt(f.low, at); {
		case strings.HasPrefix(f.low[at:], q.thing) || q.thing == "request" && w == "req":
			u = perAt(f.low, lowerEnd(f.low, at))
		case q.thing == "request" && w == "rps":
			u = timeUnits["s"]
		case q.thing == "request" && w == "rpm":
			u = timeUnits["min"]
		default:
			u = perAt(f.low, at)
		}
		if u != nil && !n.article && same(n.value/u.seconds, q.Value/q.per.seconds) {
			return true
		}
	}
	return false
}
