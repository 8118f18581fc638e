package rules

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// limitForms returns a regular expression of the forms in which a bundle may
// state the figure of a constraint, and whether the constraint may be asked
// for at all: a limit on the length of the text itself may not, since a text
// that keeps it need not mention it. A constraint without a figure that is
// recognised gives no expression.
//
// The forms are generous, because a figure that is there in a form nobody
// thought of would be called missing: 1 hour is 1h, "one hour", 60 minutes or
// 3600; and a bound ("at most 15 ms") is met by any figure of its kind, since
// a bundle that stays below may state only what it reaches.
func limitForms(constraint string) (forms string, asked bool) {
	bound := boundWords.MatchString(constraint)
	var all []string
	for _, m := range figure.FindAllStringSubmatchIndex(constraint, -1) {
		before := constraint[:m[2]]
		number, unit := constraint[m[2]:m[3]], strings.ToLower(constraint[m[4]:m[5]])
		if aboutText[strings.TrimSuffix(unit, "s")] {
			return "", false
		}
		n, ok := valueOf(number)
		if !ok || afterName(before) {
			continue
		}
		all = append(all, formsOf(n, unit, bound)...)
	}
	if len(all) == 0 {
		return "", true
	}
	forms = "(?i)" + strings.Join(all, "|")
	if len(forms) > maxForms {
		return "", true
	}
	return forms, true
}

// maxForms keeps an expression well within what a check may compile.
const maxForms = 700

var (
	figure     = regexp.MustCompile(`(?i)(?:^|[\s(~≤≥<>=])(\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?:\s*-?\s*)(%|[a-zµ]+)`)
	boundWords = regexp.MustCompile(`(?i)\b(at most|at least|no more than|not more than|more than|less than|fewer than|up to|within|under|below|above|max|maximum|min|minimum|exceeds?|or less|or more|or fewer)\b|[≤≥<>]`)
	aboutText  = set("word page line sentence section chapter paragraph slide heading bullet")
)

var numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")

func valueOf(s string) (float64, bool) {
	for i, w := range numberWords {
		if strings.EqualFold(s, w) {
			return float64(i), true
		}
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(s, ",."), ",", ""), 64)
	return n, err == nil && n > 0 && n < 1e9
}

// afterName tells whether a number stands behind a name that it belongs to, as
// in "HTTP 2" or "Python 3".
func afterName(before string) bool {
	words := strings.Fields(before)
	if len(words) < 2 {
		return false // the sentence's first word is capitalised anyway
	}
	r := []rune(words[len(words)-1])
	return unicode.IsUpper(r[0])
}

// unit is a unit of time.
type unit struct {
	seconds float64
	names   []string
	once    string // how "once in each of it" may be called, as a regular expression
	pattern string // the names as a regular expression
}

var (
	units = []unit{
		{seconds: 0.001, names: strings.Fields("ms msec msecs millisecond milliseconds")},
		{seconds: 1, names: strings.Fields("s sec secs second seconds")},
		{seconds: 60, names: strings.Fields("m min mins minute minutes")},
		{seconds: 3600, names: strings.Fields("h hr hrs hour hours"), once: "hourly"},
		{seconds: 86400, names: strings.Fields("d day days"), once: "daily|nightly"},
		{seconds: 7 * 86400, names: strings.Fields("w wk wks week weeks"), once: "weekly"},
		{seconds: 30 * 86400, names: strings.Fields("month months"), once: "monthly"},
		{seconds: 365 * 86400, names: strings.Fields("y yr yrs year years"), once: "yearly|annual|annually"},
	}
	unitByName = map[string]*unit{}
	anyTime    string // every name of a unit, as a regular expression
)

func init() {
	var all []string
	for i := range units {
		u := &units[i]
		u.pattern = "(?:" + strings.Join(u.names, "|") + ")"
		all = append(all, u.names...)
		for _, n := range u.names {
			unitByName[n] = u
		}
	}
	anyTime = "(?:" + strings.Join(all, "|") + ")"
}

// anyNumber is the end of a number, with what may stand between it and a unit.
const anyNumber = `(?:\d[\d,.]*\s*-?\s*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|an?)[\s-]\s*)`

func formsOf(n float64, name string, bound bool) []string {
	if name == "%" || name == "percent" {
		if bound {
			return []string{`\d\s*(?:%|percent|per cent)`, digits(n / 100)}
		}
		return []string{digits(n) + `\s*(?:%|percent|per cent)`, digits(n / 100)}
	}
	if u := unitByName[name]; u != nil {
		return timeForms(n*u.seconds, n, bound)
	}
	return countForms(n, name, bound)
}

func timeForms(seconds, n float64, bound bool) []string {
	if bound {
		return append(bare(n), anyNumber+anyTime+`\b`, `\b(?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b`)
	}
	out := bare(n)
	for _, u := range units {
		v := seconds / u.seconds
		if v > 1e8 || v < 0.01 {
			continue
		}
		// A month has 28 to 31 days and a year 365 or 366: rounded, they
		// still say the same.
		whole := math.Round(v)
		off := math.Abs(v-whole) / max(whole, 1)
		switch {
		case whole < 1 || off > 0 && (off > 0.07 || u.seconds < 30*86400):
			if u.seconds <= 86400 {
				out = append(out, digits(v)+`\s*-?\s*`+u.pattern+`\b`)
			}
			continue
		case whole >= 60:
			out = append(out, bare(whole)...)
			continue
		}
		out = append(out, spelled(whole)+u.pattern+`\b`)
		if whole == 1 {
			out = append(out, `\b(?:an?|per|each|every)\s+`+u.pattern+`\b`)
			if u.once != "" {
				out = append(out, `\b(?:`+u.once+`)\b`)
			}
		}
	}
	return out
}

// countForms are the forms of a number of things. Whoever states ten or more
// uses the number itself; a smaller one stands in too many other places, so it
// must stand beside the thing.
func countForms(n float64, noun string, bound bool) []string {
	whole := n == math.Trunc(n)
	if !whole || len(noun) < 4 {
		return nil
	}
	out := bare(n)
	if !strings.HasSuffix(noun, "s") {
		return out
	}
	thing := `(?:[\w-]+\s+){0,3}` + regexp.QuoteMeta(strings.TrimRight(noun[:len(noun)-1], "e"))
	if noun == "times" || noun == "attempts" || noun == "retries" || noun == "tries" {
		thing = `(?:x\b|×|(?:[\w-]+\s+){0,2}(?:times|attempts?|retr|tries|try))`
	}
	if bound {
		return append(out, anyNumber+thing, thing+`[^\n.]{0,20}\d`)
	}
	return append(out, spelled(n)+thing)
}

// spelled is a number in digits or, if small, in words, with what may stand
// behind it.
func spelled(n float64) string {
	d := digits(n) + `\s*-?\s*`
	if i := int(n); n == float64(i) && i < len(numberWords) {
		return `(?:` + d + `|\b` + numberWords[i] + `[\s-]\s*)`
	}
	return d
}

// bare is a number that needs no unit to be recognised. A number below ten
// stands in too many other places to be one.
func bare(n float64) []string {
	if n < 10 {
		return nil
	}
	return []string{digits(n) + `(?:$|[^\d])`}
}

// digits is a number in digits, with or without marks between thousands.
func digits(n float64) string {
	s := strconv.FormatFloat(n, 'f', -1, 64)
	whole, frac, _ := strings.Cut(s, ".")
	var b strings.Builder
	b.WriteString(`(?:^|[^\d.])`)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(`[,_'’ ]?`)
		}
		b.WriteByte(whole[i])
	}
	if frac != "" {
		fmt.Fprintf(&b, `[.,]%s`, frac)
	}
	return b.String()
}
