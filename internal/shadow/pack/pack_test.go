package pack

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// good has two criteria, one of them for some domains only.
const good = `# Our standing criteria.
version: 1
criteria:
  - assertion: The bundle says how to undo the change.
    expectation: A section on rollback.
    message: the way back
    check: text.has_section('Rollback')
    category: error_handling
    domains: ["deploy*", backend]
  - assertion: Nothing is left open.
    expectation: No mark where content belongs.
    message: finish what is marked as open
    category: completeness
    check: |
      text.placeholders()
        .map(p, 'open: ' + p)
`

func mustParse(t testing.TB, text string) *Pack {
	t.Helper()
	p, err := Parse("pack.yml", []byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParse(t *testing.T) {
	p := mustParse(t, good)
	if len(p.criteria) != 2 || p.criteria[0].Category != shadow.ErrorHandling || p.family != "rules" {
		t.Errorf("read as %+v", p)
	}
	c := p.criteria[1]
	if c.Check != "text.placeholders()\n  .map(p, 'open: ' + p)" || c.Assertion != "Nothing is left open." || c.Basis != "finish what is marked as open" {
		t.Errorf("second criterion: %+v", c)
	}
	if p := mustParse(t, "family: Alpha\n"+good); p.family != "alpha" {
		t.Errorf("family %q", p.family)
	}
}

// one is a right criterion in which a test changes a line.
func one(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`version: 1
criteria:
  - assertion: The bundle lists its risks.
    expectation: A section on risks.
    message: say what can go wrong
    check: text.has_section('Risks')
    category: edge_case
`)
}

// TestMistakes: every mistake is said with its line and what to do, all of a
// file at once.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "pack.yml:1: version: is missing, must be 1, the version of this form\npack.yml:1: criteria: is missing, must be a list of criteria"},
		"version":          {one("version: 1", "version: 2"), "pack.yml:1: version: 2 must be 1"},
		"unknown key":      {one("message:", "messages: x\n    message:"), "pack.yml:5: criteria[0].messages: is unknown (did you mean message?): allowed are assertion, category, check, domains, examples, expectation, message"},
		"syntax":           {one("text.has_section('Risks')", "{"), "pack.yml:5: not YAML, here or in what begins here: did not find expected ',' or '}'"},
		"unknown category": {one("edge_case", "edge_cases"), `pack.yml:7: criteria[0].category: "edge_cases" is none of "happy_path", "edge_case", "error_handling", "completeness", "security" (did you mean edge_case?)`},
		"bad glob":         {one("category", "domains: ['[a', '']\n    category"), "pack.yml:7: criteria[0].domains[0]: \"[a\" is not a pattern: write a domain's name, with * for any letters and ? for one\npack.yml:7: criteria[0].domains[1]: is empty"},
		"no check":         {one("    check: text.has_section('Risks')\n", ""), "pack.yml:3: criteria[0].check: is missing: write an expression of the check language, or name judges who read in judging.panel"},
		"empty criterion":  {"version: 1\ncriteria:\n  - {}\n", "pack.yml:3: criteria[0].assertion: is missing, must be a sentence that says what is true of good work\npack.yml:3: criteria[0].category: is missing, must be the kind of criterion\npack.yml:3: criteria[0].check: is missing: write an expression of the check language, or name judges who read in judging.panel\npack.yml:3: criteria[0].expectation: is missing, must be what the report names as expected\npack.yml:3: criteria[0].message: is missing, must be the matter, as the commander is told it; what was found stands behind it"},
		"compile":          {one("has_section('Risks')", "has_sektion('Risks')"), "pack.yml:6: criteria[0].check: it does not compile at column 17 of the expression: undeclared reference to 'has_sektion' (did you mean 'has_section'?)"},
		"compile, block":   {one("check: text.has_section('Risks')", "check: |\n      text.has_section('Risks') &&\n        text.has_sektion('Plan')"), "pack.yml:8: criteria[0].check: it does not compile at column 19 of the expression: undeclared reference to 'has_sektion' (did you mean 'has_section'?)"},
		"type":             {one("text.has_section('Risks')", "text.words().size()"), "pack.yml:6: criteria[0].check: it does not compile at column 1 of the expression: the check is of type int, but must be a bool or a list(string) of what is wrong"},
		"on nothing":       {one("text.has_section('Risks')", "text.words()[3] == 'risk'"), "pack.yml:6: criteria[0].check: it fails on an empty bundle, so it would judge nobody: index out of bounds: 3"},
		"gives away":       {one("say what can go wrong", "The bundle lists its risks!"), "pack.yml:5: criteria[0].message: it repeats the assertion, the expectation or the check, and commanders read it: name the matter"},
		"example passes":   {one("category", "examples: {fails: ['# Risks']}\n    category"), "pack.yml:7: criteria[0].examples.fails[0]: the check lets it pass"},
		"example fails":    {one("category", "examples:\n      passes:\n        - '# Risks'\n        - none\n    category"), "pack.yml:10: criteria[0].examples.passes[1]: the check fails it: it is false"},
		"no verdict":       {one("text.has_section('Risks')", "text == '' || text.words()[3] == 'risk'", "category", "examples: {passes: [few]}\n    category"), "pack.yml:7: criteria[0].examples.passes[0]: the check has no verdict on it: index out of bounds: 3"},
	} {
		_, err := Parse("pack.yml", []byte(c.text), false)
		var e strict.FileError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSeveralMistakes are said in the order of the file, and criteria are
// compared with each other.
func TestSeveralMistakes(t *testing.T) {
	second := strings.SplitAfterN(one("lists its risks", "LISTS its risks"), "criteria:\n", 2)[1]
	third := strings.SplitAfterN(one("lists its risks", "has a date", "say what can go wrong", "the bundle lists its risks, does it not?"), "criteria:\n", 2)[1]
	_, err := Parse("p.yml", []byte(one("category: edge_case", "category: odd")+second+third), false)
	want := `p.yml:7: criteria[0].category: "odd" is none of "happy_path", "edge_case", "error_handling", "completeness", "security"
p.yml:8: criteria[1].assertion: it says what criteria[0] says: leave one
p.yml:15: criteria[2].message: it repeats criteria[0], and commanders read it: name the matter`
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJudged: where there are judges, a criterion may do without a check, and
// then it is asked of every domain.
func TestJudged(t *testing.T) {
	bare := one("    check: text.has_section('Risks')\n", "")
	p, err := Parse("p.yml", []byte(bare), true)
	if err != nil {
		t.Fatal(err)
	}
	drafts, err := New("p", p).Write(t.Context(), orderFor("one", "two"))
	if err != nil || len(drafts) != 2 || len(drafts["two"].Criteria) != 1 {
		t.Fatalf("%v, %v", drafts, err)
	}
	if c := drafts["two"].Criteria[0]; c.Check != "" || c.Basis != "say what can go wrong" {
		t.Errorf("asked as %+v", c)
	}
	for text, want := range map[string]string{
		one("text.has_section('Risks')", "''"):                                       "p.yml:6: criteria[0].check: is empty",
		strings.Replace(bare, "category", "examples: {fails: [x]}\n    category", 1): "p.yml:6: criteria[0].examples: there is no check that they could test: judges decide this criterion",
	} {
		if _, err := Parse("p.yml", []byte(text), true); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestBounds(t *testing.T) {
	if _, err := Parse("p.yml", make([]byte, MaxFile+1), false); err == nil || !strings.Contains(err.Error(), "allowed are 1048576") {
		t.Errorf("a large file: %v", err)
	}
	many := "version: 1\ncriteria:\n" + strings.Repeat("  - {}\n", MaxCriteria+1)
	if _, err := Parse("p.yml", []byte(many), false); err == nil || !strings.HasPrefix(err.Error(), "p.yml:2: criteria: has 301 items, at most 300 are allowed") {
		t.Errorf("many criteria: %v", err)
	}
}

// FuzzParse: whatever the file, the answer is a pack that can be asked, or
// errors that all name a line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(one()))
	f.Add([]byte(one("say what can go wrong", "[a, b]", "edge_case", "odd")))
	f.Add([]byte("version: 1\ncriteria:\n  - &a {assertion: x, check: \"true\"}\n  - *a\n"))
	f.Add([]byte("version: 1\ncriteria:\n  - {<<: {assertion: a}, check: !!binary x}\n"))
	f.Add([]byte("%YAML 1.1\n---\n? {}\n: [\n"))
	f.Add([]byte(one("text.has_section('Risks')", "\"true) || (true // \\n\"")))
	line := regexp.MustCompile(`^f\.yml:[1-9][0-9]*: .|^f\.yml: and \d+ more`)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f.yml", data, false)
		if err == nil {
			askAll(t, p)
			return
		}
		for l := range strings.SplitSeq(err.Error(), "\n") {
			if !line.MatchString(l) {
				t.Errorf("%q names no line", l)
			}
		}
	})
}
