package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// unreadTitle says what became of what nobody read. It is no failure, but a
// score of 0 % beside it is no praise.
const unreadTitle = "Nobody read these: they count neither for nor against the bundle"

// read says how much of the assignment was read, "" where there is no item.
func (s *Subject) read() string {
	if s.Swarm == nil || s.Swarm.Read.Items == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d items", s.Swarm.Read.Read, s.Swarm.Read.Items)
}

// unread lists the items that nobody read.
func (s *Subject) unread() []string {
	if s.Swarm == nil {
		return nil
	}
	var out []string
	for _, it := range s.Swarm.Items {
		if it.Verdict == reading.Unread {
			out = append(out, inert(it.ItemRef.String()+": "+shadow.Printable(it.Text)))
		}
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
