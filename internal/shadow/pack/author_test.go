package pack

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

func decomposition(domains ...string) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: "run-1", Task: "Build it"}
	for i, name := range domains {
		d.Domains = append(d.Domains, shadow.Domain{Domain: name, CommanderID: fmt.Sprint("cmd-", i), SubTasks: []string{"Write the migration of the sessions table"}})
	}
	return d
}

func settings() *shadow.Settings {
	return &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "strict", EnforceGates: true},
		MaxCriteria: 10, DefaultScale: "ss-100",
		Categories: []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness},
		Scales:     map[string]shadow.Scale{"ss-100": {Criteria: 8}},
	}
}

// askAll asks every criterion of a pack of a run with domains of all kinds,
// and has shadow check what comes of it.
func askAll(t testing.TB, p *Pack) {
	t.Helper()
	d := decomposition("api", "backend", "deploy-eu")
	quota := map[shadow.Category]int{}
	for _, c := range shadow.Categories() {
		quota[c] = p.count(c)
	}
	cs, err := New("team", p, rand.Reader).Write(context.Background(), d, quota)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cs {
		if err := cs[i].Usable(d); err != nil {
			t.Errorf("criterion %q: %v", cs[i].Assertion, err)
		}
	}
}

func exam(t testing.TB, d *shadow.Decomposition, authors ...shadow.Author) *shadow.Exam {
	t.Helper()
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{
		Settings: settings(), Authors: authors, Filler: rules.New(rand.Reader), Now: time.Unix(1, 0), Rand: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment()
	x, err := shadow.NewExam(e, &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestDomains: a criterion that is not meant for a domain accuses nobody
// there, and tells each domain's commander its own message.
func TestDomains(t *testing.T) {
	x := exam(t, decomposition("api", "backend"), New("team", mustParse(t, good), rand.Reader))
	for domain, want := range map[string][]string{"api": {"Nothing is left open."}, "backend": {"Nothing is left open.", "The bundle says how to undo the change."}} {
		var failed []string
		for _, v := range x.Judge(evidence(&shadow.Bundle{Domain: domain, Content: "# Work\n\nTODO: all of it\n"})).Verdicts {
			if v.Criterion.Author != "team" || v.Outcome == shadow.Passed || v.Outcome == shadow.NotApplicable {
				continue
			}
			failed = append(failed, v.Criterion.Assertion)
			if v.Outcome != shadow.Failed || !strings.HasPrefix(v.Message, domain+": ") {
				t.Errorf("%s: verdict %+v", domain, v)
			}
		}
		slices.Sort(failed)
		if !slices.Equal(failed, want) {
			t.Errorf("%s fails %q, want %q", domain, failed, want)
		}
	}
	if got := x.Envelope.Authors; len(got) != 2 || got[0].Name != "team" || got[0].Family != "rules" || got[1].Name != "rules" {
		t.Errorf("authors %+v", got)
	}
}

// TestMeantForNobody: what is meant for no domain of a run is not asked.
func TestMeantForNobody(t *testing.T) {
	cs, err := New("team", mustParse(t, good), rand.Reader).Write(t.Context(), decomposition("docs"), map[shadow.Category]int{shadow.ErrorHandling: 3, shadow.Completeness: 3})
	if err != nil || len(cs) != 1 || cs[0].Category != shadow.Completeness {
		t.Errorf("%d criteria: %+v, %v", len(cs), cs, err)
	}
}

// TestDraw: of more criteria than the share, a secret draw takes some; the
// same bytes take the same, and in the end each gets its turn.
func TestDraw(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\ncriteria:\n")
	for i := range 6 {
		fmt.Fprintf(&b, "  - {assertion: Assertion number %d, expectation: It is there, message: do it, check: 'text.contains(\"%d\")', category: edge_case}\n", i, i)
	}
	p := mustParse(t, b.String())
	draw := func(r io.Reader) string {
		cs, err := New("team", p, r).Write(t.Context(), decomposition("api"), map[shadow.Category]int{shadow.EdgeCase: 2})
		if err != nil || len(cs) != 2 {
			t.Fatalf("%d criteria, %v", len(cs), err)
		}
		return cs[0].Assertion + cs[1].Assertion
	}
	seen := map[string]bool{}
	for i := range byte(200) {
		seed := bytes.Repeat([]byte{i}, 32)
		one := draw(bytes.NewReader(seed))
		if one != draw(bytes.NewReader(seed)) {
			t.Fatal("the same bytes give other criteria")
		}
		seen[one] = true
	}
	if len(seen) != 30 {
		t.Errorf("%d of 30 ordered pairs are drawn", len(seen))
	}
	if _, err := New("team", p, strings.NewReader("short")).Write(t.Context(), decomposition("api"), nil); err == nil {
		t.Error("drew without random bytes")
	}
}

// evidence is a bundle as it was handed in.
func evidence(b *shadow.Bundle) *shadow.Evidence {
	return &shadow.Evidence{Submission: &shadow.Submission{Bundle: *b}}
}
