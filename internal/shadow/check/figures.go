package check

import (
	"slices"
	"strconv"
	"strings"
)

// figures are the numbers that a text states, in all the ways that each may
// be read: "1,200 ms" is 1, 1.2 and 1200, the last two of them with a unit.
type figures struct {
	low       string    // the source with A to Z in lower case: offsets stay
	list      []figure  // in the order of the text
	values    []float64 // of the figures in digits, in ascending order
	durations []timeFigure
	shares    []float64 // percentages
	timed     bool      // some time is spoken of, if only "within minutes"
	whole     bool      // it says all, every or the like
}

type figure struct {
	value       float64
	from, after int32 // where it begins, and where a word behind it begins
	word        bool  // written as a word
	article     bool  // "a request": a figure only where any will do
}

type timeFigure struct {
	value float64
	unit  *timeUnit
}

// figured gives the figures of t, which are read when first asked for.
func (t *Text) figured() *figures {
	t.counting.Do(func() { t.figures = newFigures(t.lower()) })
	return t.figures
}

func newFigures(low string) *figures {
	f := &figures{low: low, list: make([]figure, 0, len(low)/64)}
	for at := 0; at < len(low); {
		switch c := low[at]; {
		case isDigit(c):
			at = f.digits(at)
		case 'a' <= c && c <= 'z':
			at = f.name(at)
		default:
			at++
		}
	}
	for i := range f.list {
		if !f.list[i].word {
			f.values = append(f.values, f.list[i].value)
		}
	}
	slices.Sort(f.values)
	return f
}

// maxRun is how long a run of digits or of decimals may be to be a figure.
const maxRun = 15

// digits reads the number that begins at offset at and returns where its
// first run of digits ends. Digits behind a full stop belong to what stands
// before it, or to a nought that was left out.
func (f *figures) digits(at int) int {
	s := f.low
	end := digitsEnd(s, at)
	if end-at > maxRun || s[at] == '0' && end > at+1 {
		return end
	}
	if at > 0 && s[at-1] == '.' {
		if at < 2 || !isNameByte(s[at-2]) {
			f.add("0."+s[at:end], at, end)
		}
		return end
	}
	whole, upTo := s[at:end], end
	f.reading(whole, at, end)
	for range 3 { // groups of thousands
		from := groupMarkEnd(s, upTo)
		if from == upTo || digitsEnd(s, from) != from+3 {
			break
		}
		whole, upTo = whole+s[from:from+3], from+3
		f.reading(whole, at, upTo)
	}
	return end
}

// groupMarkEnd gives the offset behind what may stand between thousands.
func groupMarkEnd(s string, at int) int {
	switch next(s, at) {
	case ',', '_', '\'', ' ':
		return at + 1
	}
	if strings.HasPrefix(s[at:], "’") {
		return at + len("’")
	}
	return at
}

// reading adds a number that stands between two offsets, and the same with
// the decimals behind it.
func (f *figures) reading(whole string, from, end int) {
	f.add(whole, from, end)
	if c := next(f.low, end); c != '.' && c != ',' {
		return
	}
	grouped := f.low[end] == ',' && whole != "0" // 1,000 is no one
	if e := digitsEnd(f.low, end+1); e > end+1 && e <= end+1+maxRun && !(grouped && e == end+4) {
		f.add(whole+"."+f.low[end+1:e], from, e)
	}
}

// add adds a number, with the unit behind it.
func (f *figures) add(digits string, from, end int) {
	v, ok := decimal(digits)
	if !ok {
		return
	}
	s := f.low
	for c := next(s, end); c == '*' || c == '`' || c == ')' && from > 0 && s[from-1] == '('; c = next(s, end) {
		end++ // **5** minutes, five (5) minutes
	}
	at := gapEnd(s, end)
	f.list = append(f.list, figure{value: v, from: int32(from), after: int32(at)})
	if strings.HasPrefix(s[at:], "%") || strings.HasPrefix(s[at:], "percent") || strings.HasPrefix(s[at:], "per cent") {
		f.shares = append(f.shares, v)
		return
	}
	f.timed = f.time(v, at) || f.timed
}

// decimal is the value of digits, with or without a point.
func decimal(digits string) (float64, bool) {
	if n := digitsEnd(digits, 0); n == len(digits) && 0 < n && n <= maxRun { // whole: exact
		v := 0
		for i := range n {
			v = v*10 + int(digits[i]-'0')
		}
		return float64(v), true
	}
	v, err := strconv.ParseFloat(digits, 64)
	return v, err == nil
}

// time adds a time if a unit of time stands at offset at.
func (f *figures) time(value float64, at int) bool {
	u := timeUnits[wordAt(f.low, at)]
	if u != nil {
		f.durations = append(f.durations, timeFigure{value, u})
	}
	return u != nil
}

// name reads the word at offset at, which may be a number, an article or a
// unit, and returns where to go on.
func (f *figures) name(at int) int {
	s := f.low
	end := lowerEnd(s, at)
	if !figureShapes.may(s[at:end]) || isNameByte(next(s, end)) || at > 0 && isNameByte(s[at-1]) {
		return end
	}
	w, ok := figureWords[s[at:end]]
	if !ok {
		return end
	}
	f.timed, f.whole = f.timed || w.time, f.whole || w.whole
	if w.once != nil {
		f.durations = append(f.durations, timeFigure{1, w.once})
	}
	after := gapEnd(s, end)
	switch {
	case w.value == 0 || after == end:
		return end
	case w.each:
		f.time(w.value, after)
		return end
	}
	f.list = append(f.list, figure{w.value, int32(at), int32(after), true, w.article})
	if s[at:end] == "half" { // half an hour is not an hour
		if a := wordAt(s, after); a == "a" || a == "an" {
			after = gapEnd(s, after+len(a))
			end = after
		}
	}
	f.timed = f.time(w.value, after) || f.timed
	return end
}

// gapEnd gives the offset behind what may stand between a number and the word
// behind it: spaces and hyphens.
func gapEnd(s string, at int) int {
	for at < len(s) {
		switch c := s[at]; {
		case isSpaceByte(c) || c == '-':
			at++
		case strings.HasPrefix(s[at:], "\u00a0"):
			at += len("\u00a0")
		case strings.HasPrefix(s[at:], "\u202f"), strings.HasPrefix(s[at:], "\u2011"): // narrow space, hyphen that does not break
			at += len("\u202f")
		default:
			return at
		}
	}
	return at
}

// wordAt gives the word that begins at offset at, in lower case letters, or ""
// if it goes on with something else or is longer than any that matters.
func wordAt(s string, at int) string {
	end := lowerEnd(s, at)
	if end-at > len("milliseconds") || isNameByte(next(s, end)) {
		return ""
	}
	return s[at:end]
}

func lowerEnd(s string, at int) int {
	for at < len(s) && 'a' <= s[at] && s[at] <= 'z' {
		at++
	}
	return at
}

func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// isNameByte tells what a name goes on with.
func isNameByte(c byte) bool { return isAlnum(c) || c == '_' }
