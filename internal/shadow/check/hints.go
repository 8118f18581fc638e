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

// plainHints are what to write instead by what the compiler says, wherever it
// says it.
var plainHints = []struct {
	message *regexp.Regexp
	hint    string
}{
	{regexp.MustCompile(`^token recognition error at: '=`), "write == to compare"},
	{regexp.MustCompile(`^token recognition error at: ''\\`), `in a string a backslash is written twice, '\\d'; in a raw string once, r'\d'`},
	{regexp.MustCompile(`'_(<|<=|>|>=)_' applied to '\(bool, `), "comparisons are not chained: write a <= x && x <= b"},
	{regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((list\([^']*\), int|int, list\([^']*\))\)'`), "a list is compared by its size: write .size()"},
	{regexp.MustCompile(`'_(<|<=|>|>=|==)_' applied to '\((int, double|double, int)\)'`), "compare whole numbers with whole numbers: 3.5 is none"},
	{regexp.MustCompile(`'_\+_' applied to '\((int, string|string, int)\)'`), "write string(…) around the number"},
	{regexp.MustCompile(`^undefined field`), fieldsHint()},
}

var (
	// otherWords are how other languages write those of CEL, and lengthWords how
	// they ask for a size.
	otherWords  = map[string]string{"and": "&&", "or": "||", "not": "!"}
	lengthWords = map[string]bool{"length": true, "len": true, "size": true}
	unmatched   = regexp.MustCompile(`^(undeclared reference to|found no matching overload for) '(\w+)'`)
)

// hintFor says what to write instead. before is what stands before the place
// of the error in its line, and name the name that begins there.
func hintFor(message, before, name string) string {
	for _, h := range plainHints {
		if h.message.MatchString(message) {
			return h.hint
		}
	}
	if m := unmatched.FindStringSubmatch(message); m != nil {
		return hintForCall(m[2], strings.HasSuffix(strings.TrimRight(before, " "), "."), m[1] == "undeclared reference to")
	}
	op := strings.ToLower(name)
	if otherWords[op] == "" || op == "not" {
		if last := strings.Fields(before); len(last) > 0 && strings.EqualFold(strings.TrimLeft(last[len(last)-1], "(!"), "not") {
			op = "not"
		}
	}
	noField := strings.Contains(message, "does not support field selection")
	switch {
	case otherWords[op] != "" && (strings.HasPrefix(message, "mismatched input") || strings.HasPrefix(message, "extraneous input")):
		return "write " + otherWords[op] + " for " + op
	case noField && isFunction(name):
		receiver := before[strings.LastIndexFunc(before, func(r rune) bool { return r != '.' && !isName(r) })+1:]
		return "call it: " + receiver + name + "()"
	case noField && lengthWords[name]:
		return "write .size()"
	}
	return ""
}

// hintForCall says what to write for a function that there is not, or that does
// not take what it is given: on a value, or alone.
func hintForCall(name string, onValue, unknown bool) string {
	switch f := byName[name]; {
	case unknown && lengthWords[name] && name != "len":
		return "write size()"
	case f != nil && onValue:
		return "it is called as in " + f.Example
	case f != nil:
		return "functions are methods: text." + name + "(…)"
	case name == "len" && !onValue:
		return "write size(…), or text.words().size() for the number of words"
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
