package check

import (
	"os"
	"strings"
	"testing"
)

// benchText is a text of about 800 words: a bundle of the run, or else the
// text of testdata, repeated.
func benchText(b *testing.B) string {
	text := runTexts(b)["integration"] + "\n" + runTexts(b)["architecture"]
	if text == "\n" {
		raw, err := os.ReadFile("testdata/reading/search.md")
		if err != nil {
			b.Fatal(err)
		}
		text = strings.Repeat(string(raw), 3)
	}
	return text
}

// benchChecks are ten checks with a dozen phrases, as the built-in author
// writes them.
var benchChecks = []string{
	"text.missing(['Update the frontend API client to send the Authorization header', 'Plan secure token storage on iOS and Android', 'Configure the API gateway and CORS for the Authorization header'])",
	"text.missing(['Define a phased rollout', 'Update monitoring dashboards and alerts for authentication errors', 'Check OAuth providers and webhook receivers for required changes'])",
	"text.missing(['Write the database migration script that creates the refresh_tokens table', 'Log issuance, refresh and revocation of tokens for the audit trail'])",
	"text.missing(['Define key management and key rotation', 'Define a rate limiting policy for the token endpoints', 'Plan the migration from session cookies to JWT', 'Define the JWT token structure and its claims'])",
	"text.placeholders()",
	"text.miscalculations()",
	"text.unbacked_numbers(bundle.summary)",
	"text.mentions(['fail*', 'error', 'reject*', 'invalid']) && text.mentions(['edge', 'boundar*', 'limit*'])",
	"material.limits.filter(l, !text.states(l)).map(l, l + ': no such figure is stated')",
	"text.has_section('Summary') || text.words().size() >= 100",
}

// benchInput is what they are evaluated over.
func benchInput(x *Text) Input {
	return Input{
		Text:     x,
		Bundle:   map[string]any{"summary": "The plan covers 3 phases over 4 weeks, with tokens that live 15 minutes and 12 integration points."},
		Material: map[string]any{"limits": []any{"Access tokens expire after 15 minutes", "Refresh tokens expire after 7 days"}},
	}
}

func BenchmarkAnalyse(b *testing.B) {
	text := benchText(b)
	b.Logf("%d words, %d bytes", len(Analyse(text).Words()), len(text))
	b.Run("structure", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Analyse(text)
		}
	})
	b.Run("with index", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Analyse(text).indexed()
		}
	})
}

func BenchmarkPhrases(b *testing.B) {
	x := Analyse(benchText(b))
	c := mustCompile(b, "text.missing(material.phrases)")
	in := Input{Text: x, Material: map[string]any{"phrases": []any{
		"Update the frontend API client to send the Authorization header", "Plan secure token storage on iOS and Android",
		"Configure the API gateway and CORS for the Authorization header", "Define a phased rollout",
		"Update monitoring dashboards and alerts for authentication errors", "Check OAuth providers and webhook receivers for required changes",
		"Write the database migration script that creates the refresh_tokens table", "Log issuance, refresh and revocation of tokens for the audit trail",
		"Define key management and key rotation", "Define a rate limiting policy for the token endpoints",
		"Plan the migration from session cookies to JWT", "Define the JWT token structure and its claims",
	}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Eval(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEnvelope(b *testing.B) {
	text := benchText(b)
	checks := make([]*Check, len(benchChecks))
	for i, expr := range benchChecks {
		checks[i] = mustCompile(b, expr)
	}
	b.ReportAllocs()
	for b.Loop() {
		x := Analyse(text)
		for _, c := range checks {
			if _, err := c.Eval(benchInput(x)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustCompile(b, benchChecks[0])
	}
}

// BenchmarkChecks shows what each check costs on a text that is analysed.
func BenchmarkChecks(b *testing.B) {
	x := Analyse(benchText(b))
	x.indexed()
	for _, expr := range benchChecks {
		c := mustCompile(b, expr)
		b.Run(expr[:min(len(expr), 40)], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Eval(benchInput(x)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
