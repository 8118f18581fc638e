package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/joshdk/go-junit"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestJUnitReadBack reads the XML with somebody else's reader.
func TestJUnitReadBack(t *testing.T) {
	for name, document := range documents {
		d := document()
		suites, err := junit.Ingest([]byte(rendered(t, "xml", d)))
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]junit.Suite{}
		for _, s := range suites {
			byName[s.Name] = s
		}
		want := len(d.Subjects)
		if d.Run != nil {
			want++
		}
		if len(byName) != want {
			t.Errorf("%s: %d suites, want %d", name, len(byName), want)
		}
		for _, s := range d.Subjects {
			suite := byName[s.Name]
			cases := len(s.Score.Failures) + len(s.Passed)
			for _, c := range s.Criteria() {
				if c.Outcome == shadow.Unread {
					cases++
				}
			}
			if s.Swarm != nil && s.Swarm.SealBroken != "" {
				cases = 1
			}
			if suite.Totals.Tests != cases || suite.Totals.Passed != len(s.Passed) || suite.Properties["shadow_score"] != s.Score.Report.ShadowScore.String() || (suite.Properties["advisory"] != "") != (s.Advisory() != "") {
				t.Errorf("%s: totals %+v for %d cases, %d passed", s.Name, suite.Totals, cases, len(s.Passed))
			}
			if s.Swarm != nil && s.Swarm.SealBroken != "" && (suite.Totals.Error != 1 || suite.Totals.Passed > 0) {
				t.Errorf("%s: a broken seal is no error: %+v", s.Name, suite.Totals)
			}
		}
	}
}

// TestJUnitKeepsOutcomes: a test suite's own errors and skipped tests stay
// what they are, each counted once, and no line says nothing.
func TestJUnitKeepsOutcomes(t *testing.T) {
	text := rendered(t, "xml", suite())
	suites, err := junit.Ingest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]junit.Status{}
	for _, c := range suites[0].Tests {
		got[c.Name] = c.Status
	}
	want := map[string]junit.Status{"login works": junit.StatusPassed, "no basket": junit.StatusFailed, "odd": junit.StatusFailed,
		"broke off": junit.StatusError, "not run": junit.StatusSkipped}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text, `tests="5" failures="2" errors="1" skipped="1"`) {
		t.Errorf("the counts are wrong:\n%s", text)
	}
	if strings.Contains(text, "expected: \n") || strings.Contains(text, "actual: \n") || strings.Contains(text, "actual: <") {
		t.Errorf("an empty line:\n%s", text)
	}
}

// TestJSONIsPublic validates each report against the public schema, where that
// is at hand, and always against what it says of categories and fields.
func TestJSONIsPublic(t *testing.T) {
	schema := publicSchema(t)
	for name, document := range documents {
		lines := json.NewDecoder(strings.NewReader(rendered(t, "jsonl", document())))
		n := 0
		for lines.More() {
			n++
			var raw json.RawMessage
			if err := lines.Decode(&raw); err != nil {
				t.Fatal(err)
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if schema != nil {
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			checkPublic(t, v.(map[string]any))
		}
		if n != len(document().Subjects) {
			t.Errorf("%s: %d reports", name, n)
		}
	}
}

func publicSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "conformance", "shadow-report.schema.json")
	schema, err := jsonschema.NewCompiler().Compile(file)
	if _, missing := os.Stat(file); errors.Is(missing, fs.ErrNotExist) {
		t.Log("the public schema is not here: only the project's own rules are checked")
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// checkPublic holds what matters most of the public schema: where the fields
// of level 4 stand, that a doubt has its reason, and the categories.
func checkPublic(t *testing.T, r map[string]any) {
	t.Helper()
	head := r["report"].(map[string]any)
	for _, misplaced := range []string{"conformance_level", "independence", "implementer_family", "seal_author_families", "shadow_score", "advisory"} {
		if _, ok := r[misplaced]; ok {
			t.Errorf("%s stands at the root", misplaced)
		}
	}
	if head["advisory"] == true && head["advisory_reason"] == "" {
		t.Errorf("no reason: %v", head)
	}
	for _, f := range r["failures"].([]any) {
		f := f.(map[string]any)
		switch f["category"] {
		case "happy_path", "edge_case", "error_handling", "security":
		case "unknown":
			if c, ok := f["criterion_category"]; ok && c != string(shadow.Completeness) {
				t.Errorf("criterion_category %v", c)
			}
		default:
			t.Errorf("category %v", f["category"])
		}
	}
}
