package quantity

import "strings"

// decimalComma tells whether the comma at offset i is in a number that can only
// be read with a decimal comma: 0,7 or 12,50 or 1.234,5.
func (l *lexer) decimalComma(i int) bool {
	from := len(strings.TrimRight(l.s[:i], ".0123456789"))
	end := l.run(i + 1)
	if from == i || end == i+1 || from > 0 && (inWord[l.s[from-1]] || l.s[from-1] == ',') || end < len(l.s) && (inWord[l.s[end]] || l.s[end] == ',') {
		return false
	}
	groups := strings.Split(l.s[from:i], ".")
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	if first := len(groups[0]); len(groups) > 1 {
		return 1 <= first && first <= 3
	}
	return groups[0] == "0" || end-i-1 < 3
}

// inWord are the ASCII characters of words and names.
var inWord = func() (in [256]bool) {
	for _, c := range []byte("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		in[c] = true
	}
	return in
}()

// HasDigit tells whether a digit stands in a text.
func HasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
