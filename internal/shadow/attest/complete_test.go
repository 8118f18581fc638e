package attest

import (
	"errors"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	of := func(run, domain string, domains int) *Statement {
		return &Statement{Predicate: Predicate{Swarm: Swarm{RunID: run, Domain: domain, Domains: domains}}}
	}
	for _, c := range []struct {
		name, run string
		all       []*Statement
		want      string // a part of the error, or nothing
	}{
		{"all", "a", []*Statement{of("a", "x", 2), of("a", "y", 2)}, ""},
		{"all of two runs", "", []*Statement{of("a", "x", 1), of("b", "x", 1)}, ""},
		{"one is missing", "a", []*Statement{of("a", "x", 2)}, "1 of its 2 domains"},
		{"one is missing, no run is named", "", []*Statement{of("a", "x", 2)}, "1 of its 2 domains"},
		{"one is there twice", "a", []*Statement{of("a", "x", 2), of("a", "x", 2)}, "2 attestations of domain"},
		{"one too many", "a", []*Statement{of("a", "x", 1), of("a", "y", 1)}, "2 of its 1 domains"},
		{"another run", "a", []*Statement{of("a", "x", 1), of("b", "x", 1)}, `run "b"`},
		{"nothing of the run", "a", []*Statement{of("b", "x", 1)}, "no attestation that holds is of run \"a\": there are those of \"b\""},
		{"nothing", "a", nil, "of run \"a\": there is none at all"},
	} {
		err := errors.Join(Complete(c.all, c.run)...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
