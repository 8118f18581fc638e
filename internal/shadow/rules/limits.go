package rules

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// limitOf tells whether a constraint has a figure that a bundle can be
// searched for, and whether it may be asked for at all: a limit on the length
// of the text itself may not, since a text that keeps it need not mention it.
func limitOf(constraint string) (figure, asked bool) {
	for _, q := range check.Quantities(constraint) {
		if aboutText[strings.TrimSuffix(q.Unit, "s")] {
			return false, false
		}
		figure = figure || q.Searchable()
	}
	return figure, true
}

var aboutText = set("word page line sentence section chapter paragraph slide heading bullet")
