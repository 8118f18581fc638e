package figures

import (
	"math"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// span is a value with its bounds: what the digits of the numbers behind it allow.
type span struct{ lo, at, hi float64 }

func exactly(v float64) span { return span{v, v, v} }

// spanOf gives the span of a number. Whole numbers and amounts of money with two
// decimals are exact.
func spanOf(t *quantity.Token) span {
	if t.Decimals == 0 && t.Ulp == 1 && !percent(t) || t.Decimals == 2 && t.Unit.IsMoney() {
		return exactly(t.Value)
	}
	h := min(t.Ulp/2, math.Abs(t.Value)/20)
	return span{t.Value - h, t.Value, t.Value + h}
}

func percent(t *quantity.Token) bool { return t.Unit != nil && t.Unit.Of == "%" }

// thousands tells whether a number such as 2.400 may be meant as 2,400.
func thousands(t *quantity.Token) bool {
	return t.Decimals == 3 && t.Value >= 1 && t.Value < 1000 && t.Ulp == 1e-3
}

// scale computes the span times a number.
func (a span) scale(f float64) span { return a.apply('*', exactly(f)) }

// apply computes a op b.
func (a span) apply(op rune, b span) span {
	switch op {
	case '+':
		return span{a.lo + b.lo, a.at + b.at, a.hi + b.hi}
	case '-':
		return span{a.lo - b.hi, a.at - b.at, a.hi - b.lo}
	case '/':
		if b.lo <= 0 && b.hi >= 0 {
			return span{math.Inf(-1), math.NaN(), math.Inf(1)}
		}
		b = span{1 / b.hi, 1 / b.at, 1 / b.lo}
	}
	p, q, r, s := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
	return span{min(p, q, r, s), a.at * b.at, max(p, q, r, s)}
}

// near tells whether a number states a value, rounded up or down to its digits.
func (a span) near(t *quantity.Token) bool {
	slack := t.Ulp*(1-1e-6) + 1e-12*math.Abs(t.Value)
	return math.IsNaN(a.lo) || math.IsInf(a.lo, 0) || a.lo < t.Value+slack && t.Value-slack < a.hi
}

// like writes a value in the form of a number of the text s: its decimals, its
// marks of thousands, its scale and its unit.
func like(v float64, s string, t *quantity.Token) string {
	text := s[t.From:t.End]
	from, to := strings.IndexAny(text, "0123456789"), 1+strings.LastIndexAny(s[t.From:t.To], "0123456789")
	if from < 0 {
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
