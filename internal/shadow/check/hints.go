package check

import (
	"regexp"
	"strings"
	"unicode"

	"cel.dev/cel-go/common"
)

// explained puts an error of the CEL compiler into words for who writes
// checks, at the name that it is about.
func explained(expr string, first *common.Error) *Error {
	lines := strings.Split(expr, "\n")
	e := &Error{Line: max(first.Location.Line(), 1), Column: max(first.Location.Column(), 0) + 1}
	line := []rune(lines[min(e.Line, len(lines))-1])
	at := min(e.Column-1, len(line))
	if !strings.HasPrefix(first.Message, "Syntax error") {
		at = nameAt(line, at)
		e.Column = at + 1
	}
	e.Message = strings.TrimPrefix(strings.ReplaceAll(first.Message, " (in container '')", ""), "Syntax error: ")
	if hint := hintFor(e.Message, string(line[:at]), leadingName(line[at:])); hint != "" {
		e.Message += ": " + hint
	}
	return e
}

// nameAt gives the index of the name that an index of a line is about: the
// compiler points at the bracket behind a function, and at the point before a
// field.
func nameAt(line []rune, at int) int {
	switch {
	case at >= len(line):
		return at
	case line[at] == '.':
		for at+1 < len(line) && (line[at] == '.' || line[at] == ' ') {
			at++
		}
	case line[at] == '(':
		end := at
		for at > 0 && isName(line[at-1]) {
			at--
		}
		if at == end {
			return end
		}
	}
	return at
}

func isName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// leadingName is the name that begins a piece of a line, "" if none does.
func leadingName(line []rune) string {
	end := 0
	for end < len(line) && isName(line[end]) {
		end++
	}
	return string(line[:end])
}

var (
	// otherWords are how other languages write those of CEL.
	otherWords = map[string]string{"and": "&&", "or": "||", "not": "!"}
	chained    = regexp.MustCompile(`'_(<|<=|>|>=)_' applied to '\(bool, `)
	noField    = regexp.MustCompile(`^undefined field`)
	// lengthWords are how other languages ask for a size.
	lengthWords = map[string]bool{"length": true, "len": true, "size": true}
	counted     = regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((list\([^']*\), int|int, list\([^']*\))\)'`)
	mixed       = regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((int, double|double, int)\)'`)
	glued       = regexp.MustCompile(`'_\+_' applied to '\((int, string|string, int)\)'`)
	unmatched   = regexp.MustCompile(`^(undeclared reference to|found no matching overload for) '(\w+)'`)
)

// hintFor says what to write instead. before is what stands before the place
// of the error in its line, and name the name that begins there.
func hintFor(message, before, name string) string {
	op := strings.ToLower(name)
	if otherWords[op] == "" || op == "not" {
		if last := strings.Fields(before); len(last) > 0 && strings.EqualFold(strings.TrimLeft(last[len(last)-1], "(!"), "not") {
			op = "not"
		}
	}
	switch m := unmatched.FindStringSubmatch(message); {
	case strings.HasPrefix(message, "mismatched input") || strings.HasPrefix(message, "extraneous input"):
		if as := otherWords[op]; as != "" {
			return "write " + as + " for " + op
		}
	case strings.HasPrefix(message, "token recognition error at: '="):
		return "write == to compare"
	case chained.MatchString(message):
		return "comparisons are not chained: write a <= x && x <= b"
	case noField.MatchString(message):
		return fieldsHint()
	case strings.Contains(message, "does not support field selection") && isFunction(name):
		receiver := before[strings.LastIndexFunc(before, func(r rune) bool { return r != '.' && !isName(r) })+1:]
		return "call it: " + receiver + name + "()"
	case strings.Contains(message, "does not support field selection") && lengthWords[name]:
		return "write .size()"
	case strings.HasPrefix(message, "token recognition error at: ''\\"):
		return `in a string a backslash is written twice, '\\d'; in a raw string once, r'\d'`
	case counted.MatchString(message):
		return "a list is compared by its size: write .size()"
	case mixed.MatchString(message):
		return "compare whole numbers with whole numbers: 3.5 is none"
	case glued.MatchString(message):
		return "write string(…) around the number"
	case m != nil && m[1] == "undeclared reference to" && lengthWords[m[2]] && m[2] != "len":
		return "write size()"
	case m != nil && byName[m[2]] != nil && strings.HasSuffix(strings.TrimRight(before, " "), "."):
		return "it is called as in " + byName[m[2]].Example
	case m != nil && !strings.HasSuffix(strings.TrimRight(before, " "), "."):
		switch {
		case byName[m[2]] != nil:
			return "functions are methods: text." + m[2] + "(…)"
		case m[2] == "len":
			return "write size(…), or text.words().size() for the number of words"
		}
	}
	return ""
}

// isFunction tells whether a name is that of a function of text, or of a
// method or macro of CEL.
func isFunction(name string) bool {
	if byName[name] != nil {
		return true
	}
	env, err := environment()
	if err != nil {
		return false
	}
	return env.HasFunction(name)
}
