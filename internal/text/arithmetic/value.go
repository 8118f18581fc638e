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

// spanOf gives the span of a number. Whole numbers and amounts of money are
// exact, unless they are said to be approximate.
func spanOf(t *quantity.Token) span {
	if !t.Approx && (t.Decimals == 0 && !percent(t) || t.Decimals == 2 && t.Unit.IsMoney()) {
		return exactly(t.Value)
	}
	return rounded(t)
}

// rounded gives the span that the digits of a number allow, at most a fortieth
// of it.
func rounded(t *quantity.Token) span {
	h := min(t.Ulp/2, math.Abs(t.Value)/40)
	if t.Approx {
		h = max(t.Ulp/2, math.Abs(t.Value)/20)
	}
	return span{t.Value - h, t.Value + h}
}

func percent(t *quantity.Token) bool { return t.Unit != nil && t.Unit.Of == "%" }
func times(t *quantity.Token) bool   { return t.Unit != nil && t.Unit.Of == "times" }

func (a span) add(b span) span      { return span{a.lo + b.lo, a.hi + b.hi} }
func (a span) sub(b span) span      { return span{a.lo - b.hi, a.hi - b.lo} }
func (a span) scale(f float64) span { return a.mul(exactly(f)) }
func (a span) mid() float64         { return (a.lo + a.hi) / 2 }
func (a span) finite() bool         { return math.Abs(a.lo) < 1e18 && math.Abs(a.hi) < 1e18 }

func (a span) mul(b span) span {
	p, q, r, s := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
	return span{min(p, q, r, s), max(p, q, r, s)}
}

func (a span) div(b span) span {
	if b.lo <= 0 && b.hi >= 0 {
		return span{math.Inf(-1), math.Inf(1)}
	}
	return a.mul(span{1 / b.hi, 1 / b.lo})
}

// fits tells whether a number states a value: rounded or cut to its digits.
func (a span) fits(t *quantity.Token) bool {
	tiny := 1e-9 * math.Abs(t.Value)
	off, slack := max(a.lo-t.Value, t.Value-a.hi), t.Ulp/2+tiny
	switch {
	case t.Approx:
		slack = max(t.Ulp, 0.05*math.Abs(t.Value)) + tiny
	case math.Abs(t.Value) < math.Abs(a.mid()): // it may be cut
		slack = t.Ulp - tiny
	case a.lo != a.hi: // what was rounded lies within its bounds
		slack -= 2 * tiny
	}
	return !a.finite() || off < slack
}

// like writes a value in the form of a number of the text s: its decimals, its
// marks of thousands, its scale and its unit.
func like(v float64, s string, t *quantity.Token) string {
	text := s[t.From:t.End]
	from, to := strings.IndexAny(text, "0123456789"), 1+strings.LastIndexAny(s[t.From:t.To], "0123456789")
	if t.Spelled || from < 0 {
		return strconv.FormatFloat(v, 'f', 0, 64) + text[t.To-t.From:]
	}
	digits, scale := text[from:to], t.Ulp*math.Pow10(t.Decimals)
	out := strconv.FormatFloat(math.Abs(v)/scale, 'f', min(t.Decimals, 15), 64)
	if strings.Contains(digits, ",") || !strings.ContainsAny(digits, "_' ") && math.Abs(v)/scale >= 10000 {
		whole, dec, _ := strings.Cut(out, ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
		out = strings.TrimSuffix(whole+"."+dec, ".")
	}
	if i := strings.LastIndexAny(digits, ",."); t.Decimals > 0 && i >= 0 && digits[i] == ',' {
		out = strings.NewReplacer(",", ".", ".", ",").Replace(out)
	}
	sign := strings.Trim(text[:from], "+-−–.")
	if v < 0 {
		sign = "-" + sign
	}
	return sign + out + text[to:]
}
