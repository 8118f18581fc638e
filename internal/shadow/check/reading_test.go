package check

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
		if r.Verdict != p.want {
			t.Errorf("%s: %q reads as %s (%.2f), want %s\n\t%s", p.doc, p.phrase, r.Verdict, r.Score, p.want, r.Evidence())
		}
		alarm := r.Verdict == NotFound || r.Verdict == Declined
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
	// Keep an audit log of all logins: no passage found about logins (nearest: line 5 "Audit log")
}
