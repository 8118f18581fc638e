package check

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

const (
	// maxSteps bounds the compiled size of a regular expression: repetitions
	// such as x{1000} make short expressions large.
	maxSteps = 1000
	// maxMatching bounds what the regular expressions of an evaluation may
	// take: the compiled size of each, times the length of its text in bytes.
	// That is the most steps, of some 10 ns, that RE2 makes.
	maxMatching = 20_000_000
	// maxMatches bounds what find_all returns.
	maxMatches = 50_000
)

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	behind *regexp.Regexp // finds the same behind a first character, as group 1
	size   int            // in instructions
}

func compilePattern(p string) (*pattern, error) {
	if len(p) > MaxPattern {
		return nil, fmt.Errorf("the regular expression is %d bytes long: at most %d are allowed", len(p), MaxPattern)
	}
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", p, err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", p, err)
	}
	if len(program.Inst) > maxSteps {
		return nil, fmt.Errorf("the regular expression %q compiles to %d steps: at most %d are allowed, use smaller repetitions", p, len(program.Inst), maxSteps)
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, err
	}
	behind, err := regexp.Compile(`\A(?s:..*?)(` + p + `)`)
	return &pattern{re, behind, len(program.Inst)}, err
}

// pattern gives the compiled form of a regular expression.
func (e *evaluation) pattern(p string) (*pattern, error) {
	if re := e.check.patterns[p]; re != nil {
		return re, nil
	}
	return compilePattern(p)
}

// bounded refuses to match a regular expression against so many bytes if that is
// too much work.
func (e *evaluation) bounded(re *pattern, n int) error {
	if e.matching+re.size*n > maxMatching {
		return fmt.Errorf("%w: the regular expression %.60q may take too long on this text: use a simpler one, or mentions", ErrLimit, re)
	}
	return nil
}

func matches(c *call) (any, error) {
	re, err := c.pattern(c.args[0])
	if err != nil {
		return nil, err
	}
	if err := c.bounded(re, len(c.receiver)); err != nil {
		return nil, err
	}
	c.matching += re.size * len(c.receiver)
	return re.MatchString(c.receiver), nil
}

func findAll(c *call) (any, error) {
	s := c.receiver
	re, err := c.pattern(c.args[0])
	if err != nil {
		return nil, err
	}
	out := []string{}
	group := min(re.NumSubexp(), 1)
	for pos, last := 0, -1; pos <= len(s) && len(out) < maxMatches; {
		if err := c.bounded(re, len(s)-pos); err != nil {
			return nil, err
		}
		at := c.next(re, pos)
		if at == nil {
			break
		}
		// An empty match right behind another one is none.
		if from := at[2*group]; from >= 0 && (at[1] > pos || at[0] != last) {
			out = append(out, s[from:at[2*group+1]])
		}
		if last = at[1]; at[1] == pos {
			_, size := utf8.DecodeRuneInString(s[pos:])
			pos += max(size, 1)
		} else {
			pos = at[1]
		}
	}
	return out, nil
}

// next finds a match from pos on and counts what is read for it: a pattern such
// as a.*b|a reads on to the end for every letter.
func (c *call) next(re *pattern, pos int) []int {
	find, from, whole := re.Regexp, 0, 0
	if pos > 0 {
		_, size := utf8.DecodeLastRuneInString(c.receiver[:pos])
		find, from, whole = re.behind, pos-size, 2
	}
	r := &counted{Reader: strings.NewReader(c.receiver[from:])}
	at := find.FindReaderSubmatchIndex(r)
	c.matching += re.size * r.read
	if at == nil {
		return nil
	}
	at = at[whole:]
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	return at
}

// counted counts the characters that are read.
type counted struct {
	*strings.Reader
	read int
}

func (r *counted) ReadRune() (rune, int, error) {
	r.read++
	return r.Reader.ReadRune()
}
