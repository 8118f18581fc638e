package render

import (
	"io"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// A report that lists tampering says so in every form for people, and one that
// lists none does not speak of it.
func TestTampering(t *testing.T) {
	found := []shadow.Tampering{{In: "content", Line: 7, Kind: "override"}, {In: "conflicts", Line: 2, Kind: "role"}}
	for name, write := range map[string]func(io.Writer, *Document) error{
		"summary": func(w io.Writer, d *Document) error { return Summary(NewTerminal(w, true), d) }, "markdown": writeMarkdown, "html": writeHTML,
	} {
		for _, places := range [][]shadow.Tampering{nil, found} {
			var b strings.Builder
			r := report("one", 2, func(r *shadow.Report) { r.Swarm.Tampering = places })
			if err := write(&b, &Document{Subjects: []Subject{Of(r)}}); err != nil {
				t.Fatal(err)
			}
			told := strings.Contains(strings.ToLower(b.String()), "tampering")
			if told != (places != nil) || places != nil && (!strings.Contains(b.String(), "line 7 (override)") || !strings.Contains(b.String(), "conflict 2 (role)")) {
				t.Errorf("%s of %v:\n%s", name, places, b.String())
			}
		}
	}
}
