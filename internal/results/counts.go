package results

import (
	"fmt"
	"strconv"
	"strings"
)

// count reads a number that a file announces; none is 0. Some runners write
// "1,234". A value that is no number is noted, since the list cannot be
// compared with it.
func (suite *Suite) count(who, name, text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.NewReplacer(",", "", " ", "", "_", "").Replace(text), 10, 31)
	if err != nil {
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %s=%.20q, which is no count", who, name, text))
		return 0
	}
	return int(n)
}

// tally counts tests, and those of them that failed or broke off.
type tally struct{ tests, bad int }

// listed counts the tests from an index on.
func (suite *Suite) listed(from int) tally {
	n := tally{tests: len(suite.Tests) - from}
	for _, t := range suite.Tests[from:] {
		if t.Status == Failed || t.Status == Errored {
			n.bad++
		}
	}
	return n
}

// compare notes where a file announces more than it lists: what is missing was
// lost, or counted in another way. Nobody can tell, so the score is advisory.
func (suite *Suite) compare(who string, announced, listed tally) (more bool) {
	switch {
	case announced.tests > listed.tests:
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %d tests and lists %d", who, announced.tests, listed.tests))
	case announced.bad > listed.bad:
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %d failures and errors and lists %d", who, announced.bad, listed.bad))
	default:
		return false
	}
	return true
}
