package shadow

import (
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/guard"
)

func guardOf(e *Envelope) *guard.Guard {
	criteria := make([]guard.Criterion, len(e.Criteria))
	for i := range e.Criteria {
		criteria[i] = e.Criteria[i].guarded()
	}
	return guard.New(criteria, e.public(), e.token(), e.Salt)
}

// guarded is what the guard has to know of the criterion.
func (c *Criterion) guarded() guard.Criterion {
	g := guard.Criterion{ID: c.ID, Sealed: []string{c.Assertion, c.Expected, c.Check}}
	for _, domain := range slices.Sorted(maps.Keys(c.Material)) {
		m := c.Material[domain]
		g.Messages = append(g.Messages, m.Message)
		g.Values = appendStrings(g.Values, m.Data)
	}
	return g
}

// appendStrings appends the strings of material, names left out.
func appendStrings(to []string, v any) []string {
	switch v := v.(type) {
	case string:
		to = append(to, v)
	case []any:
		for _, e := range v {
			to = appendStrings(to, e)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			to = appendStrings(to, v[name])
		}
	}
	return to
}

// Leaks reports whether text holds an assertion, an expectation, a check, what
// a check reads, the decoy's token or the salt of the envelope. It checks what
// goes to the swarm before it is published. Texts of the decomposition are no
// secret. Texts in written are none either: the reader of this text wrote them
// itself.
func (x *Exam) Leaks(text string, written ...string) bool { return x.guard.Contains(text, written...) }

// GivenAwayBy reports whether a message for commanders repeats the criterion's
// assertion, expectation or check, whatever its case, spacing and punctuation.
func (c *Criterion) GivenAwayBy(message string) bool { return c.secrets().Contains(message) }

// secrets knows what no message may repeat.
func (c *Criterion) secrets() *guard.Guard {
	return guard.New([]guard.Criterion{{Sealed: []string{c.Assertion, c.Expected, c.Check}}}, nil)
}

// Reveals reports whether a message of the criterion gives away what another one
// asks.
func (c *Criterion) Reveals(o *Criterion, known ...string) bool {
	own, other := c.guarded(), o.guarded()
	own.ID, other.ID = "own", "other"
	g := guard.New([]guard.Criterion{own, other}, known)
	return slices.ContainsFunc(own.Messages, func(m string) bool { return g.Reveals(own.ID, m, nil, nil) })
}

// token is what a bundle shows that has read the envelope.
func (e *Envelope) token() string { return strings.TrimPrefix(e.Decoy.Token, decoyPrefix) }

// Size is how many bytes the texts have that it holds. In memory they take some
// more.
func (x *Exam) Size() (bytes int64) {
	for _, s := range x.Envelope.public() {
		bytes += int64(len(s))
	}
	for i := range x.Envelope.Criteria {
		c := &x.Envelope.Criteria[i]
		bytes += int64(len(c.Assertion) + len(c.Expected) + len(c.Check))
	}
	return bytes
}

// public is what the envelope repeats of the decomposition.
func (e *Envelope) public() []string {
	texts := []string{e.RunID, e.Task}
	for _, r := range e.Requirements {
		texts = append(texts, r.Text)
	}
	return append(texts, textsOf(e.Domains)...)
}

func textsOf(domains []Domain) (texts []string) {
	for i := range domains {
		d := &domains[i]
		texts = append(texts, d.Domain, d.CommanderID, d.TaskBrief)
		texts = append(append(append(texts, d.SubTasks...), d.Deliverables...), d.Constraints...)
	}
	return texts
}
