package results

import (
	"fmt"
	"strconv"
	"strings"
)

// count reads a number that a file announces; none is 0. Some runners write
// "1,234". What is no count is noted: nothing can be held against it.
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

// compare notes where a file announces more than it lists from an index on: what
// is missing was lost, or counted in another way. Nobody can tell, so the score is
// advisory.
func (suite *Suite) compare(who string, from, tests, bad int) {
	listed := suite.Tests[from:]
	failed := 0
	for _, t := range listed {
		if t.Status == Failed || t.Status == Errored {
			failed++
		}
	}
	switch {
	case tests > len(listed):
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %d tests and lists %d", who, tests, len(listed)))
	case bad > failed:
		suite.Broken = append(suite.Broken, fmt.Sprintf("%s announces %d failures and errors and lists %d", who, bad, failed))
	}
}
