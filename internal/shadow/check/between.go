package check

import (
	"errors"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

func (e *evaluation) between(args []ref.Val) (ref.Val, error) {
	s, open, err := twoStrings(args)
	if err != nil {
		return nil, err
	}
	closing, ok := args[2].(types.String)
	if !ok || open == "" || closing == "" {
		return nil, errors.New("the marks must be strings with at least one character")
	}
	return value(stretches(s, open, string(closing))), nil
}

// stretches lists what stands between two marks on one line. Where the opening
// mark stands twice before the closing one, the later one counts.
func stretches(s, open, closing string) []string {
	out := []string{}
	for line := range strings.SplitSeq(s, "\n") {
		for {
			i := strings.Index(line, open)
			if i < 0 {
				break
			}
			line = line[i+len(open):]
			j := strings.Index(line, closing)
			if j < 0 {
				break
			}
			inside := line[:j]
			if k := strings.LastIndex(inside, open); k >= 0 {
				inside = inside[k+len(open):]
			}
			if inside = strings.TrimSpace(inside); inside != "" {
				out = append(out, inside)
			}
			line = line[j+len(closing):]
		}
	}
	return out
}
