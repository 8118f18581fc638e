package check

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// maxMatching bounds what the regular expressions of an evaluation may
	// take: the compiled size of each, times the length of its text in bytes.
	// That is the most steps, of some 10 ns, that RE2 makes.
	maxMatching = 20_000_000
	// maxMatches bounds what find_all returns.
	maxMatches = 50_000
	// maxPatterns bounds the regular expressions of an evaluation.
	maxPatterns = 50
)

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	size int // in instructions
	// behind finds the same behind a first character, as group 1.
	behind func() (*regexp.Regexp, error)
}

func compilePattern(p string) (*pattern, error) {
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", p, err)
	}
	whole := tree.String()
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", p, err)
	}
	re, err := regexp.Compile(whole)
	if err != nil {
		return nil, err
	}
	behind := sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?s:..*?)(` + whole + `)`) })
	return &pattern{re, len(program.Inst), behind}, nil
}

// pattern gives the compiled form of a regular expression.
func (e *evaluation) pattern(p string) (*pattern, error) {
	if re := e.check.patterns[p]; re != nil {
		return re, nil
	}
	if re := e.patterns[p]; re != nil {
		return re, nil
	}
	if e.compiled++; e.compiled > maxPatterns {
		return nil, fmt.Errorf("%w: more than %d regular expressions", ErrLimit, maxPatterns)
	}
	re, err := compilePattern(p)
	e.patterns[p] = re // nil with an error
	return re, err
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
		at, err := c.next(re, pos)
		if at == nil {
			return out, err
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
func (c *call) next(re *pattern, pos int) ([]int, error) {
	find, from, whole := re.Regexp, 0, 0
	if pos > 0 {
		var err error
		if find, err = re.behind(); err != nil {
			return nil, err
		}
		_, size := utf8.DecodeLastRuneInString(c.receiver[:pos])
		from, whole = pos-size, 2
	}
	r := &counted{Reader: strings.NewReader(c.receiver[from:])}
	at := find.FindReaderSubmatchIndex(r)
	c.matching += re.size * r.read
	if at == nil {
		return nil, nil
	}
	at = at[whole:]
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	return at, nil
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
