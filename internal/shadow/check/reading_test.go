package check

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pair is a phrase with what a careful reader finds in a text, and what the
// rule is known to say.
type pair struct {
	doc, truth string
	want       Verdict
	phrase     string
}

func readPairs(t *testing.T, doc, path string) []pair {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("%s: %q has %d fields, want 3", path, line, len(f))
		}
		out = append(out, pair{doc, f[0], Verdict(f[1]), f[2]})
	}
	return out
}

// runFile is a real run, with bundles that were not written for these tests.
// It lies beside the project and may be absent.
var runFile = filepath.Join("..", "..", "..", "..", "shared", "runs", "jwt-ss100.jsonl")

// runTexts gives the bundles' contents of the run by domain, or nil.
func runTexts(t testing.TB) map[string]string {
	t.Helper()
	f, err := os.Open(runFile)
	if os.IsNotExist(err) {
		t.Logf("no %s: using the texts of testdata alone", runFile)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	texts := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Event struct {
				Data struct{ Domain, Content string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if d := l.Event.Data; d.Content != "" {
			texts[d.Domain] = d.Content
		}
	}
	return texts
}

// TestReads compares the rule with a careful reader. A false alarm, an
// addressed phrase that reads as not found or declined, is what hurts.
func TestReads(t *testing.T) {
	search, err := os.ReadFile("testdata/reading/search.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]*Text{"search": Analyse(string(search))}
	pairs := readPairs(t, "search", "testdata/reading/search.tsv")
	if run := runTexts(t); run != nil {
		for domain, content := range run {
			texts[domain] = Analyse(content)
			pairs = append(pairs, readPairs(t, domain, filepath.Join("testdata/reading", domain+".tsv"))...)
		}
	}
	alarms, right, wanted := 0, 0, 0
	for _, p := range pairs {
		r := texts[p.doc].Reads(p.phrase)
		alarm := r.Verdict == NotFound || r.Verdict == Declined
		if r.Verdict != p.want && !(alarm && (p.want == NotFound || p.want == Declined)) {
			t.Errorf("%s: %q reads as %s (%.2f), want %s\n\t%s", p.doc, p.phrase, r.Verdict, r.Score, p.want, r.Evidence())
		}
		if alarm {
			alarms++
		}
		if p.truth != "addressed" {
			wanted++
			if r.Verdict == Found {
				t.Errorf("%s: %q is %s and reads as found: %s", p.doc, p.phrase, p.truth, r.Evidence())
			}
			if alarm {
				right++
			}
		} else if alarm {
			t.Errorf("%s: false alarm: %s", p.doc, r.Evidence())
		}
	}
	t.Logf("%d phrases: alarms' precision %d/%d, recall %d/%d", len(pairs), right, alarms, right, wanted)
	if right*10 < wanted*8 {
		t.Errorf("the rule finds only %d of %d missing phrases", right, wanted)
	}
}

// TestRule shows each part of the rule on a text of its own.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		name, text, phrase string
		want               Verdict
	}{
		{"stated", "The signing keys rotate monthly.", "Define the rotation of signing keys", Found},
		{"a question states nothing", "Do the signing keys rotate?", "Define the rotation of signing keys", Unsure},
		{"a question and its answer", "### How do signing keys rotate?\nBy a monthly job.", "Define the rotation of signing keys", Found},
		{"negated", "Signing keys never rotate.", "Define the rotation of signing keys", Declined},
		{"negated here, stated there", "Old keys never rotate. Signing keys rotate monthly.", "Define the rotation of signing keys", Found},
		{"declined", "Rotation of signing keys is out of scope.", "Define the rotation of signing keys", Declined},
		{"declined by the heading", "# Non-goals\n- Signing key rotation", "Define the rotation of signing keys", Declined},
		{"declined by the lead-in", "Not planned for this release:\n- Signing key rotation", "Define the rotation of signing keys", Declined},
		{"declined by an empty section", "# Signing key rotation\nTBD.", "Define the rotation of signing keys", Declined},
		{"declined, but stated as well", "Rotation of keys in the old system is not needed.\n\nSigning keys rotate monthly.", "Define the rotation of signing keys", Found},
		{"a condition declines nothing", "If a signing algorithm is not supported, the token is rejected with 401.", "Define the status of tokens with an unknown signing algorithm", Found},
		{"a relative clause declines nothing", "Tokens with signing algorithms that are not supported get a 401.", "Define the status of tokens with an unknown signing algorithm", Found},
		{"a quality declines nothing", "Unsupported signing algorithms of tokens get a 401.", "Define the status of tokens with an unknown signing algorithm", Found},
		{"the phrase has the cue itself", "Unsupported signing algorithms are rejected.", "Reject unsupported signing algorithms", Found},
		{"synonym", "Undo the release with one command.", "Roll back the release with a command", Found},
		{"compound", "We roll back the schema.", "Plan the rollback of the schema", Found},
		{"identifier, written out", "The table of refresh tokens has an owner column.", "Define the refresh_tokens table and its owner column", Found},
		{"few words, word for word", "# 2. Coverage target\nIt is met.", "coverage target", Found},
		{"few words, in a heading", "# Structure of tokens\nThree parts.", "token structure", Found},
		{"a sentence without a modal verb", "Tokens are signed with RS256; the signature is checked.", "Signatures use RS256", Found},
		{"few words, at the head of an item", "- **Coverage target**: 95 %", "coverage target", Found},
		{"few words, somewhere", "The coverage target is met.", "Define the coverage target", Found},
		{"few words, not one behind the other", "Coverage is above the target.", "coverage target", Unsure},
		{"few words, negated", "The coverage target is not met.", "coverage target", Unsure},
		{"few words, asked", "Is the coverage target met?", "coverage target", Unsure},
		{"few words, as a part of others' name", "The branch-coverage targets are met.", "coverage target", Unsure},
		{"one word", "The changelog is kept by hand.", "Changelog", Unsure},
		{"few words, as part of others", "- Coverage targets of others", "coverage target", Unsure},
		{"few words, declined", "# Non-goals\n- Coverage target", "coverage target", Declined},
		{"few words, no text behind them", "# Coverage target\n# Next\nx", "coverage target", Declined},
		{"identifier, its parts all over", "Tokens are issued. The refresh needs a migration. A script runs.", "migration script for refresh_tokens", NotFound},
		{"identifier, scattered", "Tokens are issued on refresh, by the owner of the table.", "Create the refresh_tokens index with a partial unique constraint", NotFound},
		{"quantity", "Calls end after 200 ms.", "State the latency of calls", Found},
		{"stable, stability", "The interface of the client is stable.", "Guarantee stability of the client interface", Found},
		{"passive", "Hardening starts above a threshold of 15.", "Name the threshold above which hardening is requested", Found},
		{"heading as context", "# Backups\n- encrypted with KMS", "Encrypt the backups with KMS", Found},
		{"table header as context", "| Service | Owner | Timeout |\n|---|---|---|\n| billing | Kim | 30 s |", "Define the timeout of the billing service", Found},
		{"language of code", "```sql\nALTER TABLE users ADD age int;\n```", "Write the SQL script that alters the users table", Found},
		{"forbidden, as asked", "Signing keys never leave the vault.", "Prevent signing keys from leaving the vault", Found},
		{"negated otherwise", "Refresh tokens are never stored in plain text.", "Store refresh tokens as a hash", Unsure},
		{"negated twice", "No token is accepted that is not validated against the signing key.", "Validate each token against the signing key", Unsure},
		{"negated, and what holds instead", "Do not rotate the signing keys by hand but with the job.", "Rotate the signing keys with a job", Unsure},
		{"promised by an empty section", "# Capacity\n\n# Costs\nNone so far.", "Capacity plan", Declined},
		{"an open task among done ones", "- [x] Pools registered\n- [ ] Game day for a failed zone", "Run a game day for a failed zone", Declined},
		{"a form of open boxes", "- [ ] Game day for a failed zone", "Run a game day for a failed zone", Found},
		{"put off in a sentence", "Automatic retraining of the model is left to a later project.", "Automate retraining of the model", Declined},
		{"no words borrowed from what is declined", "We sign each request with the secret.\n\nRotation of signing secrets is postponed.", "Implement rotation of signing secrets", Declined},
		{"plural of an acronym", "The PIDs of a pod are counted.", "Limit the pid count of a pod", Found},
		{"a name of a few words", "Models are retrained by hand.", "Retraining schedule", NotFound},
		{"the matter is absent", "The report lists test logs and their owners.", "Define the retention of test logs", NotFound},
		{"status by its code", "Malformed tokens get a 401.", "State the status of malformed tokens", Found},
		{"too little asked", "Nothing.", "Write the plan", Unsure},
		{"reason", "Redis was chosen.", "Explain why PostgreSQL was rejected as a session store", Unsure},
		{"property", "Sessions of users are chosen by cookie.", "Sessions of users must keep their chosen language across devices", Unsure},
		{"absent", "The signing keys rotate monthly.", "Publish the incident runbook for database failover", NotFound},
		{"scattered over the text", "# A\nkeys\n# B\nbackup\n# C\nregion\n# D\nschedule", "Define the schedule of backup keys in a region", NotFound},
	} {
		if r := Analyse(c.text).Reads(c.phrase); r.Verdict != c.want {
			t.Errorf("%s: %s (%.2f), want %s: %s", c.name, r.Verdict, r.Score, c.want, r.Evidence())
		}
	}
}

func TestEvidence(t *testing.T) {
	text := Analyse("# Tokens\nSigning keys rotate.\n\n# Out of scope\n- Audit logs of token issuance")
	for _, c := range []struct{ phrase, want string }{
		{"Rotate the signing keys", `Rotate the signing keys: found in line 2 "Signing keys rotate."`},
		{"Encrypt the backups at rest", "Encrypt the backups at rest: no passage found about encrypt, backups, rest"},
		{"Write audit logs of token issuance", `Write audit logs of token issuance: declined in line 5 "Audit logs of token issuance"`},
		{"Publish signing certificates for partners", `Publish signing certificates for partners: no passage found about publish, certificates, partners (nearest: line 2 "Signing keys rotate.")`},
	} {
		if got := text.Reads(c.phrase).Evidence(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestReadsAlso(t *testing.T) {
	text := Analyse("We ship:\n\n```sql\nCREATE TABLE refresh_tokens (id uuid);\n```")
	phrase := "Write the Liquibase changelog for stored sessions"
	if r := text.Reads(phrase); r.Verdict != NotFound {
		t.Fatalf("without alternatives: %s", r.Evidence())
	}
	if r := text.Reads(phrase, "no such thing here", "CREATE TABLE refresh_tokens"); r.Verdict != Found || r.Phrase != phrase || r.Line != 4 {
		t.Errorf("with alternatives: %+v", r)
	}
}

// TestReadsOdd holds what must not make the rule claim anything.
func TestReadsOdd(t *testing.T) {
	for _, phrase := range []string{"", "   ", "the of and", "plan", "!!!", "\xff\xfe", strings.Repeat("token ", 500), "漢字"} {
		for _, text := range []string{"", "# A", "token", "\xff", "漢字。漢字。"} {
			if r := Analyse(text).Reads(phrase); r.Verdict == Declined || r.Score < 0 || r.Score > 1.001 {
				t.Errorf("%q in %q: %+v", phrase, text, r)
			}
		}
	}
}

func TestNear(t *testing.T) {
	text := Analyse("We can roll back the schema within ten minutes.\n\nThe cache is warmed by `preload_keys` at start.")
	for _, c := range []struct {
		a, b string
		n    int
		want bool
	}{
		{"rollback", "schema", 2, true},
		{"schema", "rollback", 2, true},
		{"rollback", "minutes", 4, false},
		{"rollback", "minute", 5, true},
		{"minutes", "cache", 3, true},
		{"preload_keys", "start", 2, true},
		{"preload keys", "cache", 10, true},
		{"cache", "absent", 100, false},
		{"cache", "cache", 5, false},
	} {
		if got := text.Near(c.a, c.b, c.n); got != c.want {
			t.Errorf("near(%q, %q, %d) = %v", c.a, c.b, c.n, got)
		}
	}
}

func ExampleText_Reads() {
	text := Analyse("## Keys\nSigning keys are rotated every month.\n\n## Non-goals\n- Audit log")
	fmt.Println(text.Reads("Define the rotation of signing keys").Evidence())
	fmt.Println(text.Reads("Keep an audit log of all logins").Evidence())
	// Output:
	// Define the rotation of signing keys: found in line 2 "Signing keys are rotated every month."
	// Keep an audit log of all logins: declined in line 5 "Audit log"
}

// TestVerbatim: what a plain line states in the very words of a phrase is
// found, wherever it stands and whatever the phrase is.
func TestVerbatim(t *testing.T) {
	pairs, _ := ownPairs(t, "testdata/reading/dev")
	n := 0
	for _, pair := range pairs {
		p := phraseFor(pair.phrase)
		words := 0
		for k := range p.terms {
			if p.terms[k].weight > 0 {
				words++
			}
		}
		if words < 2 {
			continue
		}
		whole := strings.TrimRight(pair.phrase, ".!")
		core := whole[len(whole)-len(p.core()):] // as written: OpenAPI
		for _, frame := range []string{"%s.", "- %s", "| step | owner |\n|---|---|\n| %s | Kim |", "The weather is fine. As was agreed, the team has to %s. Lamps are lit.",
			"Of the " + core + " this much is settled."} {
			text := Analyse("# Harbour\n\nThe boats lie in the harbour.\n\n" + strings.Replace(frame, "%s", strings.TrimRight(pair.phrase, "."), 1) + "\n\n# Lamps\n\nThe lamps are lit.\n")
			if slices.ContainsFunc(text.indexed().lines, func(f lineFacts) bool { return f.negated || f.asks || f.declined != "" }) {
				continue
			}
			n++
			if r := text.Reads(pair.phrase); r.Verdict != Found {
				t.Errorf("%q in %q: %s (%.2f)", pair.phrase, frame, r.Verdict, r.Score)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d lines", n)
	}
}
