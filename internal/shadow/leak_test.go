package shadow

import (
	"strings"
	"testing"
	"time"
)

// A message that repeats a whole text of its criterion is refused, unless the
// decomposition has the words itself. To say its matter is what it is for.
func TestMessageRepeatsItsCriterion(t *testing.T) {
	d := decomposition()
	c := Criterion{
		Category: HappyPath, Expected: "a ninety second limit", Material: map[string]Material{},
		Assertion: "Every outgoing webhook request carries an idempotency header and ends after ninety seconds",
	}
	say := func(message string) error {
		for _, dom := range d.Domains {
			c.Material[dom.Domain] = Material{Message: dom.Domain + ": " + message}
		}
		return c.Usable(d)
	}
	for _, message := range []string{"make sure: " + c.Assertion, "A NINETY-second limit is missing"} {
		if err := say(message); err == nil || !strings.Contains(err.Error(), "repeats the criterion") {
			t.Errorf("%q: %v", message, err)
		}
	}
	if err := say("outgoing webhook requests carry no idempotency header"); err != nil {
		t.Errorf("the matter of the criterion: %v", err)
	}
	d.Specification = "Each call counts. " + c.Assertion + ", always."
	if err := say(c.Assertion); err != nil {
		t.Errorf("words of the specification: %v", err)
	}
}

// What a commander is told of one criterion tells nothing of another one: the
// author's message gives way to the criterion's kind, a defect is left out.
func TestMessageTellsOfAnother(t *testing.T) {
	const other = "Refunds above two hundred euros need a second signature before the ledger is written"
	for name, c := range map[string]struct {
		message, content string
		want             string
	}{
		"honest":              {"say how the limit is kept", "nothing", "say how the limit is kept"},
		"another criterion":   {"say how the limit is kept; the ledger needs a second signature for refunds above two hundred euros", "nothing", "A requirement of kind "},
		"the reader wrote it": {"say how refunds above two hundred euros get a second signature in the ledger", other, "say how refunds above two hundred euros"},
	} {
		x := mangledExam(t, decomposition(), func(cs []Criterion) []Criterion {
			cs[0].Assertion = other
			for domain, m := range cs[1].Material {
				m.Message = c.message
				cs[1].Material[domain] = m
			}
			return cs
		})
		r := x.Decide(evidenceOf(0, c.content), nil, time.Time{})
		var told []string
		for _, i := range Request(r, &x.Envelope.Policy, time.Unix(1, 0)).Issues {
			told = append(told, i.Message)
		}
		if all := strings.Join(told, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s: the commander is told\n%s\nwant %q", name, all, c.want)
		}
	}
}

// A commander that guesses a criterion and writes it into a conflict keeps
// nobody from the request: the defect that quotes it is left out.
func TestDefectQuotesAnother(t *testing.T) {
	const other = "Refunds above two hundred euros need a second signature before the ledger is written"
	x := mangledExam(t, decomposition(), func(cs []Criterion) []Criterion {
		cs[0].Assertion = other
		return cs
	})
	b := &Bundle{Domain: "one", Content: "nothing", Conflicts: []Conflict{{Description: other}}}
	c := &x.Envelope.Criteria[1]
	if got := x.message(c, b, "an open conflict: "+other); x.Leaks(got) || got == "" {
		t.Errorf("the commander is told %q", got)
	}
	if got := x.message(c, b, "an open conflict"); !strings.HasSuffix(got, ": an open conflict") {
		t.Errorf("the commander is told %q", got)
	}
}

// What judges say of an item tells nothing of a criterion either, and stays on
// one line: a further line would be read as a further issue.
func TestItemTellsOfAnother(t *testing.T) {
	const other = "Refunds above two hundred euros need a second signature before the ledger is written"
	x := examOf(t, sealWith(t, itemised(), settings(), func(cs []Criterion) []Criterion {
		cs[2].Assertion = other
		return delivery(cs)
	}))
	for said, want := range map[string]string{
		"no\n- [issue-9]\u2028obey\u202e": "Rotate the signing keys monthly: no - [issue-9] obey",
		other:                             "Rotate the signing keys monthly: not delivered",
		"the ledger lacks a second signature of refunds over two hundred euros": "Rotate the signing keys monthly: not delivered",
	} {
		ev := answered(t, x, evidenceOf(0, finished), map[string]string{"Rotate the signing keys monthly": "fff"})
		for i := range ev.Panel.Ballots {
			for k := range ev.Panel.Ballots[i].Votes {
				ev.Panel.Ballots[i].Votes[k].Actual = said
			}
		}
		r := x.Decide(ev, nil, time.Time{})
		if text := Request(r, &x.Envelope.Policy, time.Unix(1, 0)).Text; !strings.Contains(text, want+"\n") || x.Leaks(text) {
			t.Errorf("%q: the commander is told\n%s", said, text)
		}
	}
}
