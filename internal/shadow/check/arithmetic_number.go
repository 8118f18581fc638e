package check

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDigits bounds the numbers that are read; longer ones are identifiers,
// and exact arithmetic with them would cost without bound.
const maxDigits = 30

// number is a number as a text shows it: its value is mant (or wide, above 18
// digits) / 10^dec.
type number struct {
	mant int64
	wide *big.Int
	dec  int  // digits behind the point; negative for 1e6
	sep  byte // what groups the thousands, 0 if nothing does

	text string // as written, with its sign or unit

	// unit is "%", a currency sign, or what stands right behind the digits.
	// For measuring units it may also be the next word, in canonical form.
	unit string

	hedged   bool // "12+", "~12", "> 12": not meant exactly
	unclear  bool // 1.234: one thousand or one
	loose    bool // "1 000", "2,5": may be two numbers
	compound bool // "90-day", "3-layer"
	currency bool // unit stands before the digits
	word     bool // "three"
}

func (n *number) percent() bool { return n.unit == "%" }

// exact tells whether n is a plain number that arithmetic may be held to.
func (n *number) exact() bool { return !n.hedged && !n.unclear && !n.compound }

// whole tells whether n is written without a fraction.
func (n *number) whole() bool { return n.dec == 0 }

func (n *number) rat() *big.Rat {
	m := n.wide
	if m == nil {
		m = big.NewInt(n.mant)
	}
	r := new(big.Rat).SetInt(m)
	if n.dec != 0 {
		r.Mul(r, pow10(-n.dec))
	}
	return r
}

// less compares two numbers, in most cases without exact arithmetic.
func (n *number) less(m *number) bool {
	if n.wide == nil && m.wide == nil && n.dec == m.dec {
		return n.mant < m.mant
	}
	return n.rat().Cmp(m.rat()) < 0
}

// ulp is one unit of the last digit shown.
func (n *number) ulp() *big.Rat { return pow10(-n.dec) }

func pow10(e int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// numberAt reads the number that begins with the digit s[i]. If what begins
// there is something else with digits in it (a version, a date, a time, an
// identifier), ok is false and end is behind it.
func numberAt(s string, i int) (n number, end int, ok bool) {
	start := i
	i = digitsEnd(s, i)
	if s[start] == '0' && i-start > 1 { // 007, 08:30, 0612…
		return n, identifierEnd(s, i), false
	}
	i, ok = n.grouped(s, start, i)
	if ok {
		ok = n.set(s[start:i])
	}
	if !ok {
		return n, identifierEnd(s, i), false
	}
	return n.suffix(s, start, i)
}

// grouped reads what follows the first digits: groups of thousands and the
// fraction. It returns false for what is a list, a version or an address.
func (n *number) grouped(s string, start, i int) (int, bool) {
	head := i - start
	w := 0 // length of the separator at i
	if head <= 3 && s[start] != '0' {
		w = groupAt(s, i)
	}
	if w > 0 && s[i] != '.' {
		sep := s[i : i+w]
		n.sep = sep[0]
		n.loose = sep == " "
		for strings.HasPrefix(s[i:], sep) && groupAt(s, i) == w {
			i += w + 3
		}
		if next(s, i) == ',' && sep != "," && isDigit(next(s, i+1)) { // 1 234,56
			return n.fraction(s, i)
		}
		if next(s, i) == ',' && isDigit(next(s, i+1)) { // 1,234,5: a list
			return i, false
		}
	}
	switch c := next(s, i); {
	case c == '.' && isDigit(next(s, i+1)):
		if w > 0 && s[i] == '.' && n.sep == 0 && next(s, i+4) == ',' && isDigit(next(s, i+5)) { // 1.234,56
			n.sep = '.'
			return n.fraction(s, i+4)
		}
		n.unclear = w > 0 && n.sep == 0
		return n.fraction(s, i)
	case c == ',' && isDigit(next(s, i+1)): // 2,5
		n.loose = true
		return n.fraction(s, i)
	}
	return i, true
}

// fraction reads the point or comma at s[i] and the digits behind it.
func (n *number) fraction(s string, i int) (int, bool) {
	end := digitsEnd(s, i+1)
	n.dec = end - i - 1
	if c := next(s, end); (c == '.' || c == ',') && isDigit(next(s, end+1)) {
		return end, false
	}
	return end, true
}

// set takes the value from text, which holds digits and separators.
func (n *number) set(text string) bool {
	count := 0
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) {
			if count++; count <= 18 {
				n.mant = n.mant*10 + int64(text[i]-'0')
			}
		}
	}
	if count > maxDigits {
		return false
	}
	if count > 18 {
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, text)
		n.wide, _ = new(big.Int).SetString(digits, 10)
	}
	return true
}

// suffix reads what is joined to the number: a percent sign, a unit, the plus
// of "12+", the noun of "90-day".
func (n *number) suffix(s string, start, i int) (number, int, bool) {
	none := func() (number, int, bool) { return number{}, identifierEnd(s, i), false }
	c := next(s, i)
	if (c == 'e' || c == 'E') && i-start <= 8 {
		j := i + 1
		neg := next(s, j) == '-'
		if neg || next(s, j) == '+' {
			j++
		}
		if k := digitsEnd(s, j); k > j && k-j <= 2 && !isWordAt(s, k) {
			e := 0
			for ; j < k; j++ {
				e = e*10 + int(s[j]-'0')
			}
			if e > 15 {
				return none()
			}
			if neg {
				e = -e
			}
			n.dec -= e
			return *n, k, true
		}
	}
	switch {
	case c == ':' && isDigit(next(s, i+1)), c == '_' || c == '@' || c == '#':
		return none()
	case c == '-' && isLetterAt(s, i+1): // 90-day
		j := lettersEnd(s, i+1)
		if isWordAt(s, j) {
			return none()
		}
		n.compound, n.unit = true, unitOf(s[i+1:j])
		return *n, j, true
	case c == '/' && isLetterAt(s, i+1): // 20/day
		j := lettersEnd(s, i+1)
		n.unit = s[i:j]
		return *n, j, true
	case (c == 'x' || c == 'X') && factorFollows(s, i+1):
		if s[start:i] == "0" { // 0x1F
			return none()
		}
		return *n, i, true
	case isLetterAt(s, i):
		j := lettersEnd(s, i)
		if isWordAt(s, j) || next(s, j) == '_' || isOrdinal(s[i:j]) {
			return none()
		}
		if next(s, j) == '/' && isLetterAt(s, j+1) { // 20 req/s
			j = lettersEnd(s, j+1)
		}
		n.unit = unitOf(s[i:j])
		return *n, j, true
	}
	j := i
	if w := spaceAt(s, j); w > 0 {
		j += w
	}
	if next(s, j) == '%' {
		n.unit = "%"
		j++
		k := j + spaceAt(s, j)
		n.unclear = n.unclear || isDigit(next(s, k)) // 7 % 3 is a remainder
		return *n, j, true
	}
	for _, sign := range currencySignsAt(s, j) { // 12 €
		if strings.HasPrefix(s[j:], sign) && !isDigit(next(s, j+len(sign))) {
			n.unit, n.currency = sign, true
			return *n, j + len(sign), true
		}
	}
	if c == '+' && !factorFollows(s, i+1) && !strings.HasPrefix(s[i+1:], "=") {
		n.hedged = true
		return *n, i + 1, true
	}
	return *n, i, true
}

var currencySigns = []string{"€", "$", "£", "¥"}

// currencySignsAt gives the signs that may begin at s[i]: none in most places.
func currencySignsAt(s string, i int) []string {
	if c := next(s, i); c == '$' || c >= utf8.RuneSelf {
		return currencySigns
	}
	return nil
}

// factorFollows tells whether a digit, a sign or a parenthesis comes next,
// perhaps behind one space: whether "x" or "+" before it is an operator.
func factorFollows(s string, i int) bool {
	for w := spaceAt(s, i); w > 0; w = spaceAt(s, i) {
		i += w
	}
	c := next(s, i)
	if c == '.' {
		return isDigit(next(s, i+1))
	}
	if c >= 'A' && numberWord(s[i:lettersEnd(s, i)]) > 0 {
		return true
	}
	return isDigit(c) || c == '(' || c == '$' || c >= utf8.RuneSelf && (strings.HasPrefix(s[i:], "€") || strings.HasPrefix(s[i:], "£"))
}

// groupAt tells the length of the separator at s[i] if exactly three digits
// follow it, otherwise 0.
func groupAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	w := 0
	switch s[i] {
	case ',', '.', '\'', '_':
		w = 1
	default:
		if w = spaceAt(s, i); w == 0 && strings.HasPrefix(s[i:], "’") {
			w = len("’")
		}
	}
	if w == 0 || s[i] == '\t' || s[i] == '\n' || digitsEnd(s, i+w) != i+w+3 {
		return 0
	}
	return w
}

// spaceAt tells the length of the space at s[i], 0 if there is none.
func spaceAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	switch s[i] {
	case ' ', '\t', '\n', '\r':
		return 1
	case 0xc2, 0xe2:
		for _, sp := range [...]string{"\u00a0", "\u2009", "\u202f", "\u2007"} {
			if strings.HasPrefix(s[i:], sp) {
				return len(sp)
			}
		}
	}
	return 0
}

// next is the byte s[i], or 0 behind the end.
func next(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func digitsEnd(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func lettersEnd(s string, i int) int {
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			if !isASCIILetter(s[i]) {
				break
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && r != '°' && r != '²' && r != '³' {
			break
		}
		i += w
	}
	return i
}

func isLetterAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return isASCIILetter(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) || r == '°'
}

func isWordAt(s string, i int) bool { return isDigit(next(s, i)) || isLetterAt(s, i) }

// identifierEnd is where the run of letters, digits and joining marks that
// goes on at s[i] ends.
func identifierEnd(s string, i int) int {
	for i < len(s) {
		r, w := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			i += w
			continue
		}
		if !strings.ContainsRune("_-.,:/@'#+%", r) || !isWordAt(s, i+w) {
			break
		}
		i += w
	}
	return i
}

func isOrdinal(s string) bool { return s == "st" || s == "nd" || s == "rd" || s == "th" }
