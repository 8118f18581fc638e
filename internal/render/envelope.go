package render

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Envelope shows a sealed envelope. Tasks and authors' words are untrusted.
func Envelope(t *Terminal, e *shadow.Envelope) error {
	line := func(name, text string) { t.field(2, 10, name, shadow.Printable(text)) }
	t.sealedText()
	t.heading("Envelope of run %s", shadow.Printable(e.RunID))
	line("task", e.Task)
	line("sealed", e.GeneratedAt.UTC().Format(time.RFC3339)+", "+e.SealedHash)
	line("checker", e.CheckerVersion)
	for _, by := range e.Authors {
		line("author", judgeText(&by))
	}
	for _, note := range e.Notes {
		line("note", note)
	}
	line("decoy", e.Decoy.Assertion)
	for i := range e.Criteria {
		c := &e.Criteria[i]
		t.heading("%s  %s", c.ID, c.Category)
		line("asked", c.Assertion)
		line("expected", c.Expected)
		line("check", checkText(c))
		for _, domain := range slices.Sorted(maps.Keys(c.Material)) {
			m := c.Material[domain]
			for _, ref := range m.Items {
				line(domain, ref.String()+": "+e.ItemText(domain, ref))
			}
			if m.Message != "" {
				line(domain, m.Message)
			}
			if data, err := json.Marshal(m.Data); err == nil && len(m.Data) > 0 {
				line("", string(data))
			}
		}
	}
	return t.Err()
}
