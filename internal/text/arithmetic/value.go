package arithmetic

import (
	"math"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// span is a value between two bounds: what the digits of the numbers behind it
// allow.
type span struct{ lo, hi float64 }

func exactly(v float64) span { return span{v, v} }

// of gives the span that the digits of a number allow. Whole numbers and
// amounts of money are exact.
func of(t *quantity.Token) span {
	h := t.Ulp / 2
	switch {
	case t.Approx:
		h = max(h, math.Abs(t.Value)/20)
	case t.Decimals == 0 && !percent(t), t.Ulp == 0.01 && t.Unit != nil && len(t.Unit.Of) == 3:
		h = 0
	}
	return span{t.Value - h, t.Value + h}
}

func percent(t *quantity.Token) bool { return t.Unit != nil && t.Unit.Of == "%" }
func times(t *quantity.Token) bool   { return t.Unit != nil && t.Unit.Of == "times" }

func (a span) add(b span) span      { return span{a.lo + b.lo, a.hi + b.hi} }
func (a span) sub(b span) span      { return span{a.lo - b.hi, a.hi - b.lo} }
func (a span) scale(f float64) span { return hull(a.lo*f, a.hi*f) }
func (a span) mid() float64         { return (a.lo + a.hi) / 2 }
func (a span) mul(b span) span      { return hull(a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi) }
func (a span) abs() span            { return span{max(0, a.lo, -a.hi), max(math.Abs(a.lo), math.Abs(a.hi))} }
func (a span) pow(n float64) span   { return hull(math.Pow(a.lo, n), math.Pow(a.hi, n)) }
func (a span) finite() bool         { return math.Abs(a.lo) < 1e18 && math.Abs(a.hi) < 1e18 }
func hull(v ...float64) span {
	s := exactly(v[0])
	for _, x := range v[1:] {
		s.lo, s.hi = min(s.lo, x), max(s.hi, x)
	}
	return s
}

func (a span) div(b span) span {
	if b.lo <= 0 && b.hi >= 0 {
		return span{math.Inf(-1), math.Inf(1)}
	}
	return a.mul(span{1 / b.hi, 1 / b.lo})
}

// fits tells whether a number states a value: rounded or cut to its digits.
func (a span) fits(t *quantity.Token) bool { return a.states(t.Value, t.Ulp, t.Approx) }

func (a span) states(v, ulp float64, approx bool) bool {
	if math.IsInf(a.lo, 0) || math.IsInf(a.hi, 0) {
		return true
	}
	if v < 0 || v == 0 && a.hi < 0 {
		return span{-a.hi, -a.lo}.states(-v, ulp, approx)
	}
	cut, round := ulp*(1-1e-9), ulp/2*(1+1e-9)
	if a.lo != a.hi {
		round -= ulp * 2e-9
	}
	if approx {
		cut = max(cut, 0.1*math.Abs(v))
		round = cut
	}
	tiny := 1e-9 * math.Abs(v)
	return v > a.lo-round-tiny && v < a.hi+round+tiny || v <= a.lo && a.lo-v < cut-tiny
}

// like writes a value in the form of a number of the text: its decimals, its
// marks of thousands, its scale and its unit.
func like(v float64, s string, t *quantity.Token) string {
	text := s[t.From:t.End]
	from := strings.IndexAny(text, "0123456789")
	if t.Spelled || from < 0 {
		return plain(v, 1) + text[t.To-t.From:]
	}
	if from > 0 && text[from-1] == '.' {
		from--
	}
	to := from
	for to < len(text) && strings.IndexByte("0123456789.,'_ ", text[to]) >= 0 {
		to++
	}
	to = len(strings.TrimRight(text[:to], " "))
	digits, scale := text[from:to], 1.0
	if d := float(digits); d != 0 {
		scale = math.Pow(10, math.Round(math.Log10(math.Abs(t.Value)/d)))
	}
	out := plain(math.Abs(v)/scale, t.Ulp/scale)
	if strings.Contains(digits, ",") || !strings.ContainsAny(digits, "_' ") && math.Abs(v)/scale >= 10000 {
		out = group(out)
	}
	sign := strings.Trim(text[:from], "+-−–")
	if v < 0 {
		sign = "-" + sign
	}
	return sign + out + text[to:]
}

// float is the value of digits with marks of thousands.
func float(s string) float64 {
	v, _ := strconv.ParseFloat(strings.NewReplacer(",", "", "'", "", "_", "", " ", "").Replace(s), 64)
	return v
}

// plain writes a value to the decimals that ulp says.
func plain(v, ulp float64) string {
	dec := 0
	if ulp < 1 {
		dec = int(math.Round(-math.Log10(ulp)))
	}
	return strconv.FormatFloat(v, 'f', min(dec, 15), 64)
}

// group puts commas between thousands.
func group(digits string) string {
	whole, dec, _ := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dec != "" {
		dec = "." + dec
	}
	return whole + dec
}
