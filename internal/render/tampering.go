package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// tampering tells where a bundle addresses its judge, or is empty. It is told
// beside the score, which does not rest on it.
func (s *Subject) tampering() string {
	if s.Swarm == nil || len(s.Swarm.Tampering) == 0 {
		return ""
	}
	var places []string
	for _, t := range s.Swarm.Tampering {
		where := fmt.Sprintf("line %d of the %s", t.Line, t.In)
		switch t.In {
		case "content":
			where = fmt.Sprintf("line %d", t.Line)
		case "conflicts":
			where = fmt.Sprintf("conflict %d", t.Line)
		}
		places = append(places, shadow.Printable(where+" ("+t.Kind+")"))
	}
	return "the bundle seems to address its judge; no verdict rests on this: " + strings.Join(places, ", ")
}
