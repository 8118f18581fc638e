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
		{"one is missing", "a", []*Statement{of("a", "x", 2)}, "has 2 domains: there are 1 attestations, of 1 of them"},
		{"one is missing, no run is named", "", []*Statement{of("a", "x", 2)}, "has 2 domains: there are 1 attestations, of 1 of them"},
		{"one is there twice", "a", []*Statement{of("a", "x", 2), of("a", "x", 2)}, "there are 2 attestations, of 1 of them"},
		{"one too many", "a", []*Statement{of("a", "x", 1), of("a", "y", 1)}, "has 1 domains: there are 2 attestations, of 2 of them"},
		{"another run", "a", []*Statement{of("a", "x", 1), of("b", "x", 1)}, `run "b"`},
		{"nothing of the run", "a", []*Statement{of("b", "x", 1)}, "no attestation that holds is of run \"a\""},
		{"nothing", "a", nil, "no attestation that holds is of run \"a\""},
	} {
		err := errors.Join(Complete(c.all, c.run)...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
