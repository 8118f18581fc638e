package check

import (
	"fmt"
	"regexp/syntax"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

const (
	// maxSteps bounds the compiled size of a regular expression: repetitions
	// such as x{1000} make short expressions large.
	maxSteps = 1000
	// maxMatching bounds the steps that the regular expressions of an
	// evaluation make: one of roughly 5 ns for each alternative that is open
	// at a character of the text.
	maxMatching = 6_000_000
)

// pattern is a compiled regular expression.
type pattern struct {
	prog   *syntax.Prog
	groups int
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
	return &pattern{program, tree.MaxCap()}, nil
}

// patterns remembers the regular expressions that come from material: each is
// matched against every bundle of its domain, and compiling one takes longer
// than matching it. A compiled one has no state.
var patterns = newLRU[*pattern](512)

// pattern gives the compiled form of a regular expression that is to be
// matched against subject.
func (e *evaluation) pattern(p, subject string) (*pattern, error) {
	if len(subject) > MaxText {
		return nil, errTextSize(len(subject))
	}
	if re := e.check.patterns[p]; re != nil {
		return re, nil
	}
	if re, ok := patterns.Get(p); ok {
		return re, nil
	}
	re, err := compilePattern(p)
	if err == nil {
		patterns.Add(p, re)
	}
	return re, err
}

func (e *evaluation) matches(args []ref.Val) (ref.Val, error) {
	s, p, err := twoStrings(args)
	if err != nil {
		return nil, err
	}
	re, err := e.pattern(p, s)
	if err != nil {
		return nil, err
	}
	m := newMatcher(re.prog, maxMatching-e.matching)
	_, ok := m.find(s, 0)
	if err := e.spent(m, p); err != nil {
		return nil, err
	}
	return types.Bool(ok), nil
}

// maxMatches bounds what find_all returns.
const maxMatches = 50_000

func (e *evaluation) findAll(args []ref.Val) (ref.Val, error) {
	s, p, err := twoStrings(args)
	if err != nil {
		return nil, err
	}
	re, err := e.pattern(p, s)
	if err != nil {
		return nil, err
	}
	m := newMatcher(re.prog, maxMatching-e.matching)
	found := m.findAll(s, maxMatches)
	if err := e.spent(m, p); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(found))
	group := min(re.groups, 1)
	for _, c := range found {
		if from := c[2*group]; from >= 0 {
			out = append(out, s[from:c[2*group+1]])
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(out), nil
}

// spent notes what a matcher has left.
func (e *evaluation) spent(m *matcher, p string) error {
	e.matching = maxMatching - m.left
	if m.left < 0 {
		return fmt.Errorf("%w: the regular expression %.60q takes too long on this text: use a simpler one, or mentions", ErrLimit, p)
	}
	return nil
}
