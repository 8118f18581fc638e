package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

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
	if hint := hintFor(e.Message, string(line[:at]), leading.FindString(string(line[at:]))); hint != "" {
		e.Message += ": " + hint
	}
	return e
}

// nameAt gives the index of the name that an index of a line is about: the
// compiler points at the bracket behind a function, and at the point before a
// field.
func nameAt(line []rune, at int) int {
	switch rest := string(line[at:]); {
	case strings.HasPrefix(rest, "."):
		return len(line) - utf8.RuneCountInString(strings.TrimLeft(rest, ". "))
	case strings.HasPrefix(rest, "("):
		return utf8.RuneCountInString(strings.TrimRightFunc(string(line[:at]), isName))
	}
	return at
}

func isName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	// leading and trailing match the name that begins a piece of a line, and the
	// names with points between them that end one.
	leading  = regexp.MustCompile(`^\w*`)
	trailing = regexp.MustCompile(`[\w.]*$`)
	// unmatched matches what the compiler says of a function that there is not, or
	// that does not take what it is given.
	unmatched = regexp.MustCompile(`^(?:undeclared reference to|found no matching overload for) '(\w+)'`)
)

// hints are what to write instead. A pattern is about three lines: what the
// compiler says, what stands before the place in its line, and the name that
// begins there.
var hints = []struct {
	pattern *regexp.Regexp
	hint    string
}{
	{regexp.MustCompile(`^token recognition error at: '=`), "write == to compare"},
	{regexp.MustCompile(`^token recognition error at: ''\\`), `in a string a backslash is written twice, '\\d'; in a raw string once, r'\d'`},
	{regexp.MustCompile(`'_(<|<=|>|>=)_' applied to '\(bool, `), "comparisons are not chained: write a <= x && x <= b"},
	{regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((list\([^']*\), int|int, list\([^']*\))\)'`), "a list is compared by its size: write .size()"},
	{regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((int, double|double, int)\)'`), "compare whole numbers with whole numbers: 3.5 is none"},
	{regexp.MustCompile(`'_\+_' applied to '\((int, string|string, int)\)'`), "write string(…) around the number"},
	{regexp.MustCompile(`(?i)^(mismatched|extraneous) input (.*\n)*and$`), "write && for and"},
	{regexp.MustCompile(`(?i)^(mismatched|extraneous) input (.*\n)*or$`), "write || for or"},
	{regexp.MustCompile(`(?i)^(mismatched|extraneous) input (.*\n)+((.*[\s(!])?not\s*\n.*|not)$`), "write ! for not"},
	{regexp.MustCompile(`does not support field selection(.*\n)*(length|len|size)$`), "write .size()"},
	{regexp.MustCompile(`^undeclared reference to '(length|size)'`), "write size()"},
	{regexp.MustCompile(`^undeclared reference to 'len'`), "write size(…), or text.words().size() for the number of words"},
}

// hintFor says what to write instead. before is what stands before the place
// of the error in its line, and name the name that begins there.
func hintFor(message, before, name string) string {
	for _, h := range hints {
		if h.pattern.MatchString(message + "\n" + before + "\n" + name) {
			return h.hint
		}
	}
	if m := unmatched.FindStringSubmatch(message); m != nil && functions[m[1]] != nil {
		if strings.HasSuffix(strings.TrimRight(before, " "), ".") {
			return "it is called as " + functions[m[1]].usage(m[1])
		}
		return "functions are methods: text." + m[1] + "(…)"
	}
	if env, err := environment(); err == nil && env.HasFunction(name) && strings.Contains(message, "does not support field selection") {
		return "call it: " + trailing.FindString(before) + name + "()"
	}
	return ""
}
