package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// unclearTitle says what became of what the checks could not tell. It is no
// failure, but a score of 0 % that rests on it is not what it seems.
const unclearTitle = "The checks could not tell these, and let them pass"

// unclear lists what the checks could neither find nor miss in a bundle, with
// the nearest passage.
func (s *Subject) unclear() []string {
	if s.Swarm == nil {
		return nil
	}
	var out []string
	for _, u := range s.Swarm.Unclear {
		text := fmt.Sprintf("%s: %s", shadow.Printable(u.TestName), shadow.Printable(u.Phrase))
		if u.Line > 0 {
			text += fmt.Sprintf(" (nearest: line %d %q)", u.Line, short(shadow.Printable(u.Passage)))
		}
		out = append(out, inert(text))
	}
	return out
}

// mostQuoted is how many characters of a passage are quoted.
const mostQuoted = 80

func short(s string) string {
	if r := []rune(s); len(r) > mostQuoted {
		return string(r[:mostQuoted]) + "…"
	}
	return s
}
