package figures

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// all gives the sentences of all findings, each in a line.
func all(text string) string {
	doc := markdown.Parse(text)
	var b strings.Builder
	for _, list := range [][]Finding{Numbers(doc), Places(doc, false), Secrets(doc)} {
		for _, f := range list {
			b.WriteString(f.String() + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// table makes a table of rows whose cells commas part.
func table(rows ...string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("| " + strings.ReplaceAll(r, ";", " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", strings.Count(r, ";")+1) + "\n")
		}
	}
	return b.String()
}

func TestFindings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Equations.
		{"We need half of 12 × 3 = 35 cups, and Phase 3 + 4 = 9.", ""},
		{"We have 12 × 3 = 35 cups.", "line 1: 12 × 3 is 36, the text says 35"},
		{"Cups: 12 × 3 = 36.", ""},
		{"1,200 + 300 = 1,600", "line 1: 1,200 + 300 is 1,500, the text says 1,600"},
		{"Sum:\n\n- 4 + 5 × 6 = 54", "line 3: 4 + 5 × 6 is 34, the text says 54"},
		{"Sizes (8 + 8 + 20 + 8 = 42 bytes).", "line 1: 8 + 8 + 20 + 8 is 44 bytes, the text says 42 bytes"},
		{"Cost: $12 × 3 = $35", "line 1: $12 × 3 is $36, the text says $35"},
		{"Cost: 2 × 15 min = 1 h", ""},
		{"Cost: 200 × 15% = 40", "line 1: 200 × 15% is 30, the text says 40"},
		{"Parts: 40% + 30% = 75%", "line 1: 40% + 30% is 70%, the text says 75%"},
		{"Mean: 2.5 + 3 = 5.5", ""},
		{"Round: 7 / 2 = 3", ""},
		{"Round: 1,333 × 3 = 4,000", ""},
		{"About: 5 × 3 ≈ 17, or 5 × 3 = ~17", ""},
		{"Range: 3-5 = 9, x + 3 = 9, 2 + 2 = 5 + 1, v1.2 + 1.3 = 9", ""},
		{"Code `3 + 4 = 9` and the wrong sum: 3 + 4 = 9.", ""},
		{"```\n3 + 4 = 9\n```", ""},
		{"Is 3 + 4 = 9?", ""},
		{"Result: 25/25 + 14/14 = 39 passed.", ""},
		{"Estimates per phase (0.5 / 1 / 0.5 = 2 days in all).", ""},
		{"Open points in parser / store / cli: 3 / 2 / 1 = 6.", ""},
		{"36 general + 13 special (35% of 36) = 49 posts.", ""},
		{"After: (12 - 4) : (6 - 0.5) ≈ 8 : 5.5.", ""},
		{"Recall: 4 full + 1 partial out of 7 = 64.3%.", ""},
		{"The break-even frequency at 1/2 pot bet = 33%.", ""},
		{"Each run takes 34 s; 5 × 3 ≈ 8.5 min in total.", ""},
		{"Timeouts: connect 30s, send 2400s, release 10s, total 2500s.", ""},

		// Shares.
		{"Late were 8 of 20 (45 %).", "line 1: 8 of 20 is 40 %, the text says 45 %"},
		{"Late were 8 of 20 (40 %).", ""},
		{"Late were 8 of the 20 forms (60 %).", ""}, // what is left
		{"Tests: 55/56 passing (88.2%)", "line 1: 55/56 is 98.2%, the text says 88.2%"},
		{"Rate: 75% (55/122 tests)", "line 1: 55/122 is 45%, the text says 75%"},
		{"Rate: 45% (55/122 tests), 46% (55/122)", ""},
		{table("a;b", "Links;39/114 (64%)"), "line 3: 39/114 is 34%, the text says 64%"},
		{"Current: 60% (3/7 stories)", ""},
		{"All 20/20 tests pass (95% coverage).", ""},
		{"147/147 tests passing (87% mutation score).", ""},
		{"3/3 replicas ready (99.9% uptime)", ""},
		{"4/4 queries optimised (60% faster)", ""},
		{"2/2 services moved (40% savings)", ""},
		{"5/5 reviewers agree (90% confidence)", ""},
		{"7 of 7 items billed (19% VAT)", ""},
		{"Coverage: 36% (25/38 passing)", ""},
		{"11,158/11,239 records are flagged (98.96% had no code change).", ""},
		{"Model A costs $3/$15 per million tokens (40% savings).", ""},
		{"At $5/$10 (37% before rake) most lose.", ""},
		{"Gap: 1.1% (need 41/45 passing).", ""},
		{"Classification: 3/3 passed (85% -> merge, 65% -> look, 50% -> drop).", ""},
		{"It closed above 70 on 50% of the last 30 and about 51% of the last 90 days.", ""},

		// Totals.
		{table("Task;Hours", "Plan;12", "Build;21", "Test;8", "Total;40"), `line 6: the column "Hours" adds up to 41, the total says 40`},
		{table("Task;Hours", "Plan;12", "Build;21", "Test;8", "**Total**;**41**"), ""},
		{table("Task;Effort", "Plan;12 h", "Build;21 h", "Test;8 h", "Total;40 h"), `line 6: the column "Effort" adds up to 41 h, the total says 40 h`},
		{table("Step;Time", "Lookup;12 ms", "Render;21 ms", "Send;8 ms", "Total;40 ms"), ""}, // at the same time
		{table("Task;Effort", "Plan;12 h", "Build;21 h", "Test;8 h", "Total;44 h"), `line 6: the column "Effort" adds up to 41 h, the total says 44 h`},
		{table("Task;Cost", "Plan;$1,200", "Build;$2,100.50", "Total;$3,400.50"), `line 5: the column "Cost" adds up to $3,300.50, the total says $3,400.50`},
		{table("Task;Lines", "A;120 lines", "B;80 lines", "C;7 lines", "Total;217 lines"), `line 6: the column "Lines" adds up to 207 lines, the total says 217 lines`},
		{table("Kind;Tests;Passed", "A;12;12", "B;8;7", "Total tests;20;18"), `line 5: the column "Passed" adds up to 19, the total says 18`},
		{table("A;n", "x;2", "y;3", "Subtotal;5", "z;4", "w;5", "Subtotal;8", "Total;14"), `line 8: the column "n" adds up to 9, the total says 8`},
		{table("A;n;m", "x;2;1", "y;3;9", "Total;5;7", "z;4;1", "Grand total;9;11"), `line 5: the column "m" adds up to 10, the total says 7`},
		{table("Part;Share", "A;30%", "B;40%", "Total;90%"), ""},
		{table("Day;Unique users", "Mon;30", "Tue;40", "Total;60"), ""},
		{table("Day;Mean", "Mon;30", "Tue;40", "Total;35"), ""},
		{table("Suite;Rate", "A;3", "B;4", "Average;3.5"), ""},
		{table("Metric;Value", "Files;30", "Tests;40", "Total lines;60"), ""},
		{table("Phase;Duration", "1;3 weeks", "2;4 weeks", "Total;6 weeks"), ""},
		{table("Wood;Now", "Hard;42", "Oak;12", "Elm;30", "Soft;8", "Total;50"), ""}, // rows inside another
		{table("Wood;Now", "Oak;~12", "Elm;30", "Ash;8", "Total;60"), ""},
		{table("Wood;Now", "Oak;12", "Elm;many", "Ash;8", "Total;60"), ""},
		{table("Bundle;Before", "Main;2.500 KB", "Vendor;800 KB", "Total;3.300 KB"), ""},
		{table("No;What", "1;a", "2;b", "3;c", "Total;3"), ""},
		{table("Feature;Before;After", "Rate limiting;❌ Missing;✅ Implemented", "Audit log;❌ None;✅ Implemented"), ""},
		{table("Check;v1;v2", "Retry with backoff;not done;done", "Total;0;1"), ""},

		// Places.
		{"## Findings\n[to be filled in]\n", "line 2: left to fill in: [to be filled in]"},
		{"Owner: [Your name]\n\nDear <insert customer>,", "line 1: left to fill in: [Your name]\nline 3: left to fill in: <insert customer>"},
		{"TODO: describe the costs.", "line 1: left to fill in: TODO: describe the costs."},
		{"## Tests\n\nTBD\n", "line 3: left to fill in: TBD"},
		{table("Goal;Now", "90%;TBD"), "line 3: left to fill in: TBD"},
		{"Lorem ipsum dolor sit amet.", "line 1: left to fill in: Lorem ipsum dolor"},
		{"```python\ndef h():\n    raise NotImplementedError\n```\n", "line 2: left to fill in: def h(): raise NotImplementedError"},
		{"```python\nclass A:\n    def h(self):\n        raise NotImplementedError\n```\n", ""},
		{"```c\n// placeholder: real execution comes later\n```\n", "line 2: left to fill in: // placeholder: real execution comes later"},
		{"```c\n// TODO: quoted from the code under review\n```\n", ""},
		{"No TODO is left in the code.\n", ""},
		{"Removed the TODO in parser.go.\n", ""},
		{"See TODO.md for details.\n", ""},
		{"The TODO app stores its todos in a file.\n", ""},
		{"TBD: none\n", ""},
		{"We use trunk-based development (TBD).\n", ""},
		{"The greeting is the template Hello {{ user.name }}.\n", ""},
		{"## TODO\n\n- [ ] TODO: after the release\n", ""},
		{"Replace [your name] with yours, and see [your profile](u). Run `clone <your fork here>`.", ""},
		{table("File;Mark", "a.go;TODO: cache"), ""},
		{"We count the marks of the code:\n\n- TODO: 238 (43%)\n- `TODO: fix`\n- TODO: check twice", ""},
		{"Log in.\n\n- Password: [your password]", ""},

		// Secrets.
		{"key: AKIAIOSFODNN7EXAMPLE, AKIAQ3EGRWMT5KDXJ7ZP", "line 1: an AWS access key in plain sight: AKIAQ3EG…"},
		{"```\nexport T=ghp_Zq8kR2vNw5TfYb3LmXc7HdJs9PgUa4Eo6Wi1\n```", "line 2: a GitHub token in plain sight: ghp_Zq8k…"},
		{"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_abcdefghijklmnopqrstuvwxyz0123456789 sk-your-key-here AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q", ""},
		{"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n-----END PRIVATE KEY-----", ""},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAvZq8kR2vNw5TfYb3LmXc7HdJs9PgUa4Eo6Wi1tQnRzDxKpVy\nhB0uGj2FsMl8CeOa5wIyTqZ7rXkN3vPdEb9JfUgLo6SmHt1RnWcQz4KiYxVpBa0D\n-----END RSA PRIVATE KEY-----", "line 1: a private key in plain sight: -----BEGIN …"},
	} {
		if got := all(c.text); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestPosition: a finding says where in the source its passage stands.
func TestPosition(t *testing.T) {
	text := "# A\n\nFirst line of a paragraph\nwhose second has 8 of 20 (45%).\n\n" + table("a;b;c", "x;2;2", "y;3;3", "Total;6;5")
	found := Numbers(markdown.Parse(text))
	if len(found) != 2 {
		t.Fatal(found)
	}
	for i, want := range []Finding{{Line: 4, Text: "8 of 20 (45%)"}, {Line: 10, Text: "6"}} {
		if f := found[i]; f.Line != want.Line || f.Text != want.Text {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	if s := Secrets(markdown.Parse("a\n\nghp_Zq8kR2vNw5TfYb3LmXc7HdJs9PgUa4Eo6Wi1")); len(s) != 1 || s[0].Line != 3 {
		t.Error(s)
	}
}

func TestTemplate(t *testing.T) {
	if found := Places(markdown.Parse("Dear [Your name]"), true); len(found) > 0 {
		t.Error(found)
	}
}

// FuzzFindings: findings stand inside the source, in its order, and are few.
func FuzzFindings(f *testing.F) {
	for _, s := range []string{
		"Sum: 1 + 2 = 4, 8 of 20 (45%)", "TODO: x\n\n[Your name]\n\nTBD", "AKIAQ3EGRWMT5KDXJ7ZP", table("a;b", "x;1", "y;2", "z;3", "Total;7"),
		"| a | b |\n|--|--|\n|\n| x | 1 |\n| Total | 4 |\n", "> | a | b |\n> |--|--|\n> | x | 1 |\n> | y | 2 |\n> | Total | 4 |\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc := markdown.Parse(s)
		for _, list := range [][]Finding{Numbers(doc), Places(doc, false), Secrets(doc)} {
			if len(list) > maxFindings {
				t.Fatal(len(list))
			}
			at := 0
			for _, x := range list {
				if x.Line < at || x.Line > 1+strings.Count(s, "\n") {
					t.Fatalf("%+v in %d bytes, behind line %d", x, len(s), at)
				}
				at = x.Line
			}
		}
	})
}
