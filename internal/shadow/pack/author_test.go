package pack

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func decomposition(domains ...string) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: "run-1", Task: "Build it"}
	for i, name := range domains {
		d.Domains = append(d.Domains, shadow.Domain{Domain: name, CommanderID: fmt.Sprint("cmd-", i), SubTasks: []string{"Write the migration of the sessions table"}})
	}
	return d
}

func orderFor(domains ...string) *shadow.Order {
	o := &shadow.Order{Decomposition: decomposition(domains...), Count: map[string]int{}, Categories: []shadow.Category{shadow.HappyPath}}
	for _, name := range domains {
		o.Count[name] = 1
	}
	return o
}

func settings(criteria int) *shadow.Settings {
	return &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "strict", EnforceGates: true},
		MaxCriteria: 10, DefaultScale: "ss-100",
		Categories: []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness},
		Scales:     map[string]shadow.Scale{"ss-100": {Criteria: criteria}},
	}
}

// askAll asks every criterion of a pack of a run with domains of all kinds,
// and has shadow check what comes of it.
func askAll(t testing.TB, p *Pack) {
	t.Helper()
	o := orderFor("api", "backend", "deploy-eu")
	drafts, err := New("team", p).Write(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.Decomposition.Domains {
		dom := &o.Decomposition.Domains[i]
		for _, m := range drafts[dom.Domain].Criteria {
			if err := m.Usable(dom, o.Decomposition.Items(dom)); err != nil {
				t.Errorf("criterion %q: %v", m.Assertion, err)
			}
		}
	}
}

func seal(t testing.TB, d *shadow.Decomposition, criteria int, files ...shadow.Author) (*shadow.Envelope, error) {
	t.Helper()
	return shadow.Seal(t.Context(), d, shadow.SealInput{Settings: settings(criteria), Files: files, Now: time.Unix(1, 0), Rand: rand.Reader})
}

// TestDomains: a criterion that is not meant for a domain is not asked there,
// and a commander is told the message and what the check found.
func TestDomains(t *testing.T) {
	e, err := seal(t, decomposition("api", "backend"), 8, New("team", mustParse(t, good)))
	if err != nil {
		t.Fatal(err)
	}
	x := e.Exam()
	for domain, want := range map[string][]string{
		"api":     {"finish what is marked as open: open: TODO: all of it"},
		"backend": {"finish what is marked as open: open: TODO: all of it", "the way back: not met"},
	} {
		var told []string
		bundle := shadow.Bundle{Domain: domain, Content: "# Work\n\nTODO: all of it\n"}
		for _, v := range x.Judge(&shadow.Evidence{Submission: &shadow.Submission{Bundle: bundle}}, nil).Verdicts {
			if v.Author != "team" {
				continue
			}
			told = append(told, v.Message)
			if v.Outcome != shadow.Failed || v.By != shadow.Program {
				t.Errorf("%s: verdict %+v", domain, v)
			}
		}
		slices.Sort(told)
		if !slices.Equal(told, want) {
			t.Errorf("%s is told %q, want %q", domain, told, want)
		}
	}
	if got := e.Authors; len(got) != 2 || got[1].Name != "team" || got[1].Family != "rules" || len(e.Notes) > 0 {
		t.Errorf("authors %+v, notes %q", got, e.Notes)
	}
}

// numbered is a file of n criteria, the first of which are for every domain.
func numbered(n, forAll int) string {
	var b strings.Builder
	b.WriteString("version: 1\ncriteria:\n")
	for i := range n {
		domains := ""
		if i >= forAll {
			domains = ", domains: [backend]"
		}
		fmt.Fprintf(&b, "  - {assertion: Assertion number %d, expectation: It is there, message: matter %d, check: 'text.contains(\"%d\")', category: security%s}\n", i, i, i, domains)
	}
	return b.String()
}

// TestOrder: a file's criteria are asked in its order, of whatever category and
// however many are wanted, and what is meant for no domain of a run is not.
func TestOrder(t *testing.T) {
	p := mustParse(t, numbered(6, 2))
	drafts, err := New("team", p).Write(t.Context(), orderFor("api", "backend"))
	if err != nil || len(drafts) != 2 {
		t.Fatal(drafts, err)
	}
	for domain, n := range map[string]int{"api": 2, "backend": 6} {
		got := drafts[domain]
		if len(got.Criteria) != n || len(got.Refused) > 0 {
			t.Errorf("%s: %+v, want %d criteria", domain, got, n)
		}
		for i, m := range got.Criteria {
			if m.Assertion != fmt.Sprint("Assertion number ", i) || m.Basis != fmt.Sprint("matter ", i) || len(m.Items) > 0 || m.Category != shadow.Security {
				t.Errorf("%s, %d: %+v", domain, i, m)
			}
		}
	}
}
