package check

import (
	"errors"
	"strings"
)

func between(c *call) (any, error) {
	if c.args[0] == "" || c.args[1] == "" {
		return nil, errors.New("the marks must have at least one character")
	}
	return stretches(c.receiver, c.args[0], c.args[1]), nil
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
