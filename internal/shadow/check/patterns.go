package check

import (
	"fmt"
	"regexp"
	"regexp/syntax"
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
	size int // in instructions
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
	return &pattern{re, len(program.Inst)}, err
}

// pattern gives the compiled form of a regular expression that is to be
// matched against subject, if that is not too much work.
func (e *evaluation) pattern(p, subject string) (*pattern, error) {
	re := e.check.patterns[p]
	if re == nil {
		var err error
		if re, err = compilePattern(p); err != nil {
			return nil, err
		}
	}
	if e.matching += re.size * len(subject); e.matching > maxMatching {
		return nil, fmt.Errorf("%w: the regular expression %.60q may take too long on this text: use a simpler one, or mentions", ErrLimit, p)
	}
	return re, nil
}

func matches(c *call) (any, error) {
	re, err := c.pattern(c.args[0], c.receiver)
	if err != nil {
		return nil, err
	}
	return re.MatchString(c.receiver), nil
}

func findAll(c *call) (any, error) {
	s := c.receiver
	re, err := c.pattern(c.args[0], s)
	if err != nil {
		return nil, err
	}
	out := []string{}
	group := min(re.NumSubexp(), 1)
	for _, at := range re.FindAllStringSubmatchIndex(s, maxMatches) {
		if from := at[2*group]; from >= 0 {
			out = append(out, s[from:at[2*group+1]])
		}
	}
	return out, nil
}
