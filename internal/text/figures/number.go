package figures

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// num is a number as it stands in a text: 1,200 ms, $12k, 95 %.
type num struct {
	from, to, end int     // offsets: with its currency, behind its digits and scale, behind its unit
	value         float64 // with its scale
	ulp           float64 // what one more in its last digit is worth
	decimals      int     // digits behind the decimal mark
	unit          *unit   // nil if there is none
}

// unit is what a unit measures (time, bytes, %, usd) and its size in the base unit of
// that, which is not always exact.
type unit struct {
	of        string
	low, high float64
}

func (u *unit) isMoney() bool { return u != nil && len(u.of) == 3 && u.of != "ada" && u.of != "eth" }
func (u *unit) isTime() bool  { return u != nil && u.of == "time" }
func (n *num) percent() bool  { return n.unit != nil && n.unit.of == "%" }

// thousands tells whether a number such as 2.400 may be meant as 2,400.
func (n *num) thousands() bool {
	return n.decimals == 3 && n.value >= 1 && n.value < 1000 && n.ulp == 1e-3
}

//go:embed words.txt
var wordList string

// What words.txt has.
var (
	tokens []token
	units  = map[string]*unit{}
	scales = map[string]float64{}
)

func init() {
	for line := range strings.Lines(wordList) {
		f := strings.Fields(line)
		float := func(i int) float64 {
			v, _ := strconv.ParseFloat(f[i], 64)
			return v
		}
		switch f[0] {
		case "unit":
			for _, name := range f[4:] {
				units[name] = &unit{f[1], float(2), float(3)}
			}
		case "scale":
			for _, name := range f[2:] {
				scales[name] = float(1)
			}
		case "token":
			tokens = append(tokens, token{f[1], strings.Join(f[3:], " "), regexp.MustCompile("^(?:" + f[2] + ")$")})
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// byteAt gives the byte at offset i, 0 outside of s.
func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// digitsAt and wordAt give the offset behind the digits, or letters, at offset at.
func digitsAt(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

func wordAt(s string, at int) int {
	if n := strings.IndexFunc(s[at:], func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		return at + n
	}
	return len(s)
}

// currency gives the length of the sign of a currency at offset at.
func currency(s string, at int) int {
	if r, size := utf8.DecodeRuneInString(s[at:]); strings.ContainsRune("$€£¥", r) {
		return size
	}
	return 0
}

// numberAt reads the number whose first digit stands at offset at. Names are no
// numbers: versions, dates, times of day, RS256, 2FA, 3rd.
func numberAt(s string, at int) (n num, ok bool) {
	n.from = at
	if !n.digits(s) || inName(s[:at]) || n.name(s) {
		return n, false
	}
	n.measure(s)
	return n, true
}

// inName tells whether the text before digits makes them part of a name.
func inName(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
	word := unicode.IsLetter(before) || unicode.IsDigit(before)
	return s != "" && (unicode.IsLetter(r) && !fold.Unspaced(r) || unicode.IsDigit(r) || strings.ContainsRune(`#@\_`, r) || word && strings.ContainsRune(".,:-'", r))
}

// name tells whether what stands behind the digits makes them part of a name.
func (n *num) name(s string) bool {
	c, again := byteAt(s, n.to), isDigit(byteAt(s, n.to+1))
	switch c {
	case '_':
		return true
	case ':', '.', ',':
		return again
	case '-', '/':
		e := digitsAt(s, n.to+1)
		return again && byteAt(s, e) == c && isDigit(byteAt(s, e+1)) // 2024-01-15
	}
	e := wordAt(s, n.to)
	r, _ := utf8.DecodeRuneInString(s[n.to:])
	if e == n.to || fold.Unspaced(r) {
		return unicode.Is(unicode.No, r)
	}
	w := strings.ToLower(s[n.to:e])
	if w == "x" && s[n.from:n.to] != "0" { // a factor or a product
		return false
	}
	return units[w] == nil && scales[w] == 0 || isDigit(byteAt(s, e))
}

// maxDigits is how long a run of digits may be to be a number.
const maxDigits = 15

// digits reads the value: 1,200.5. A decimal comma makes no number, and 1.200 is thousandths.
func (n *num) digits(s string) bool {
	end := digitsAt(s, n.from)
	text, grouped := s[n.from:end], len(s[n.from:end]) <= 3 && byteAt(s, n.from) != '0'
	for grouped && text != "" && len(text) <= maxDigits {
		r, size := utf8.DecodeRuneInString(s[end:])
		next := digitsAt(s, end+size)
		if grouped = next == end+size+3 && strings.ContainsRune(",'_’\u00a0\u202f\u2009", r); grouped {
			text, end = text+s[next-3:next], next
		}
	}
	if to := digitsAt(s, end+1); byteAt(s, end) == '.' && to > end+1 {
		n.decimals = to - end - 1
		text, end = text+s[end:to], to
	}
	v, err := strconv.ParseFloat(text, 64)
	n.to, n.value, n.ulp = end, v, math.Pow10(-n.decimals)
	return err == nil && len(text) <= 2*maxDigits && v < 1e15
}

// measure reads the sign of a currency before the digits, and behind them the scale and
// the unit.
func (n *num) measure(s string) {
	if r, size := utf8.DecodeLastRuneInString(s[:n.from]); strings.ContainsRune("$€£¥", r) {
		n.unit, n.from = units[string(r)], n.from-size
	}
	at := n.to + btoi(byteAt(s, n.to) == ' ')
	e := wordAt(s, at)
	if by := scales[strings.ToLower(s[at:e])]; by > 0 && (e > at+1 || at == n.to) {
		n.value, n.ulp, n.to = n.value*by, n.ulp*by, e
	}
	if n.end = n.to; n.unit != nil {
		return
	}
	at = n.to
	if r, size := utf8.DecodeRuneInString(s[at:]); strings.ContainsRune("- \u00a0", r) {
		at += size
	}
	if e = wordAt(s, at); e == at {
		_, size := utf8.DecodeRuneInString(s[at:])
		e = at + size
	}
	w, apart := s[at:e], at > n.to
	if (w == "x" || w == "X") && (apart || isDigit(byteAt(strings.TrimLeft(s[e:], " "), 0))) {
		return // it is no factor but a product
	}
	if u := units[strings.ToLower(w)]; u != nil && (!apart || len(w) > 1 || strings.Contains("%$smhdgl", w)) {
		n.unit, n.end = u, e
	}
}

// like writes a value in the form of a number of the text s: its decimals, its scale and
// its unit, with thousands marked where that number or five digits ask for it.
func like(v float64, s string, n *num) string {
	from, to := n.from+currency(s, n.from), n.from+1+strings.LastIndexAny(s[n.from:n.to], "0123456789")
	v /= n.ulp * math.Pow10(n.decimals)
	out := strconv.FormatFloat(math.Abs(v), 'f', n.decimals, 64)
	if point := len(out) - n.decimals - btoi(n.decimals > 0); strings.Contains(s[from:to], ",") || point > 4 {
		for i := point - 3; i > 0; i -= 3 {
			out = out[:i] + "," + out[i:]
		}
	}
	if v < 0 {
		out = "-" + out
	}
	return s[n.from:from] + out + s[to:n.end]
}
