package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

func TestClassify(t *testing.T) {
	for phrase, want := range map[string]shadow.Category{
		"Write the Go middleware that reads the header":                      shadow.HappyPath,
		"Unit tests for the fingerprint of the body":                         shadow.HappyPath,
		"Document the refresh endpoint in the OpenAPI specification":         shadow.HappyPath,
		"Specify how expired, malformed and invalid tokens are rejected":     shadow.ErrorHandling,
		"Answer 503 with the code store_unavailable":                         shadow.ErrorHandling,
		"Write the migration guide with a way to roll back":                  shadow.ErrorHandling,
		"Page the on-call engineer":                                          shadow.ErrorHandling,
		"Log issuance, refresh and revocation of tokens for the audit trail": shadow.Completeness,
		"Serialise concurrent requests":                                      shadow.EdgeCase,
		"Define key management and key rotation":                             shadow.EdgeCase,
		"Refuse a list of more than 200 entries":                             shadow.EdgeCase,
		"Add an architecture diagram":                                        shadow.Completeness,
		"Write the audit log":                                                shadow.Completeness,
		"Encrypt the column email":                                           shadow.HappyPath,
		"Buy 450 chairs":                                                     shadow.HappyPath,
	} {
		if got := classify(wordsOf(phrase), false); got != want {
			t.Errorf("%q: %s, want %s", phrase, got, want)
		}
	}
	if got := classify(wordsOf("Encrypt the column email after a failure"), true); got != shadow.Security {
		t.Errorf("with security configured: %s", got)
	}
}

func TestLimits(t *testing.T) {
	for _, s := range []string{"Access tokens expire after 1 hour", "At least 95% coverage", "Clients retry at most 4 times", "The sweeper deletes at most 500 rows per batch",
		"Show 3 results", "Tokens live 1 hour, sessions 30 days and refresh tokens 90 days"} {
		if figure, asked := limitOf(s); !figure || !asked {
			t.Errorf("%q: figure %v, asked %v", s, figure, asked)
		}
	}
	for _, s := range []string{"Signatures use RS256", "Use Go 1.26 or later", "HTTP 2 only", "Follow ISO 27001 rules", "No new dependencies", "Percentile 99th"} {
		if figure, asked := limitOf(s); figure || !asked {
			t.Errorf("%q: figure %v, asked %v: want no figure", s, figure, asked)
		}
	}
	for _, s := range []string{"The guide has at most 1,200 words", "The README: max 5 pages", "Fits on one page"} {
		if figure, asked := limitOf(s); figure || asked {
			t.Errorf("a limit of the text itself is asked: %q", s)
		}
	}
}

func TestPhrases(t *testing.T) {
	for text, want := range map[string][]string{
		"  Write the\u00a0guide. ":            {"Write the guide"},
		"":                                    nil,
		" … ":                                 nil,
		"Write docs/a.md and docs/b.md":       {"Write docs/a.md and docs/b.md"},
		"Build the importer.\nIt reads CSV.":  {"Build the importer"},
		"Build it. It is old. It must log in": {"Build it", "It must log in"},
		"Build:\n- the parser\n- the writer":  {"Build", "the parser", "the writer"},
	} {
		if got := phrasesOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := phrasesOf(strings.Repeat("word ", 5000))
	if len(long) != 1 || len(long[0]) > check.MaxPhrase {
		t.Errorf("a long text becomes %d phrases", len(long))
	}
}

// A sub-task and its deliverable are one matter, and so is a requirement that
// bears on them.
func TestMatters(t *testing.T) {
	d := &shadow.Decomposition{
		Specification: "The refresh_tokens table MUST be created by a migration script. Birds sing. Cookies MUST be sweet.",
		Domains: []shadow.Domain{
			{Domain: "code", SubTasks: []string{"Write the database migration script that creates the refresh_tokens table", "Add the login page"},
				Deliverables: []string{"migration script for refresh_tokens", "openapi.yaml"},
				Constraints:  []string{"Do not touch src/legacy", "Signatures use RS256", "Be nice", "Answers within 2 s"}},
			{Domain: "docs", SubTasks: []string{"Write the guide for the login page"}},
		}}
	var got []string
	all, _ := assignments(d, false, lexicon{})
	for _, a := range all {
		for _, m := range a {
			line := string(m.category)
			for _, it := range m.items {
				line += " / " + it.phrase
			}
			got = append(got, line)
		}
	}
	want := []string{
		"happy_path / Write the database migration script that creates the refresh_tokens table / migration script for refresh_tokens / The refresh_tokens table MUST be created by a migration script",
		"happy_path / Add the login page",
		"completeness / openapi.yaml",
		"happy_path / Signatures use RS256",
		"edge_case / Answers within 2 s",
		"happy_path / Write the guide for the login page",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The author's own words are well formed: every check compiles, no wording is
// there twice, and no fixed message holds a sealed word.
func TestWordings(t *testing.T) {
	all := append(slices.Clone(questions), &arithmetic, &arithmeticAndSummary, &length)
	var sealed, told []string
	seen := map[string]bool{}
	add := func(s string) {
		s = plain(s)
		if seen[s] {
			t.Errorf("twice: %s", s)
		}
		seen[s] = true
		sealed = append(sealed, s)
	}
	for _, q := range all {
		a := ask{question: q}
		if q == &length {
			a.least = 100
		}
		for _, w := range q.words {
			add(a.sized(w.assertion))
			add(a.sized(w.expected))
		}
		if _, err := check.Compile(withText(a.sized(q.check))); err != nil {
			t.Errorf("%s: %v", q.words[0].assertion, err)
		}
		sealed = append(sealed, plain(withText(a.sized(q.check))))
		told = append(told, q.message, q.empty)
	}
	for _, words := range append(slices.Collect(maps.Values(partWords)), mixedWords) {
		for _, w := range words {
			add((&ask{}).labelled(w.assertion))
			add(w.expected)
		}
	}
	told = append(told, thinMessage, unquoted, openMessage, "a part of the assignment is still to be done")
	for _, m := range told {
		for _, s := range sealed {
			if strings.Contains(plain("documentation: "+m), s) {
				t.Errorf("the message %q holds %q", m, s)
			}
		}
	}
}
