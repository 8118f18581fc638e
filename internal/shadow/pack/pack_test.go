package pack

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// good has two criteria, one of them for some domains only.
const good = `# Our standing criteria.
version: 1
criteria:
  - assertion: The bundle says how to undo the change.
    expectation: A passage on rollback.
    message: say how the change is undone
    check: text.reads('roll back the change') == 'found'
    category: error_handling
    domains: ["deploy*", backend]
    requirement: REQ-7
    expects: {present: true}
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
	if p.Len(shadow.ErrorHandling) != 1 || p.Len(shadow.Completeness) != 1 || p.Len(shadow.Security) != 0 || p.family != "rules" {
		t.Errorf("read as %+v", p)
	}
	c := p.criteria[1]
	if c.Check != "text.placeholders()\n  .map(p, 'open: ' + p)" || c.Assertion != "Nothing is left open." || c.message != "finish what is marked as open" {
		t.Errorf("second criterion: %+v", c)
	}
	if c := p.criteria[0]; len(c.Requirements) != 1 || c.Requirements[0] != "REQ-7" || c.Expects == nil || !*c.Expects.Present {
		t.Errorf("first criterion: %+v", c)
	}
	x := mustParse(t, one("category", "requirement: R\n    expects: {one_of: [401, forbidden, true]}\n    category")).criteria[0].Expects
	if diff := cmp.Diff([]string{"401", "forbidden", "true"}, x.OneOf); diff != "" {
		t.Error(diff)
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
		"empty":            {"", "pack.yml:1: the file is empty: write version: 1 and a list of criteria"},
		"only a comment":   {"# later\n", "pack.yml:1: the file is empty: write version: 1 and a list of criteria"},
		"no criteria":      {"version: 1\ncriteria: []\n", "pack.yml:1: there are no criteria: write at least one under criteria"},
		"version":          {one("version: 1", "version: 2"), `pack.yml:1: version "2" is not known: write version: 1`},
		"no version":       {one("version: 1\n", ""), "pack.yml:1: version is missing: write version: 1"},
		"family":           {one("version: 1", "version: 1\nfamily: ''"), "pack.yml:2: family says nothing: leave it out, for criteria written by hand, or name the family of the model that wrote them"},
		"root is a list":   {"- a\n", "pack.yml:1: the value has another form than it should: allowed here is a mapping with the keys version, family, criteria\npack.yml:1: version is missing: write version: 1"},
		"list is a text":   {"version: 1\ncriteria: none\n", "pack.yml:2: the value has another form than it should: allowed here is a list of criteria"},
		"item is a text":   {"version: 1\ncriteria:\n  - none\n", "pack.yml:3: the value has another form than it should: allowed here is a criterion with the keys assertion, expectation, message, check, category, domains, requirement, expects"},
		"domains no list":  {one("category", "domains: api\n    category"), "pack.yml:7: the value has another form than it should: allowed here is a list, as in domains: [NAME]"},
		"no domains":       {one("category", "domains: []\n    category"), "pack.yml:3: domains is an empty list: name the domains that the criterion is meant for, or leave it out for all"},
		"one_of no list":   {one("category", "requirement: R\n    expects: {one_of: 5}\n    category"), "pack.yml:8: the value has another form than it should: allowed here is a list, as in one_of: [401, 403]"},
		"one_of empty":     {one("category", "requirement: R\n    expects: {one_of: []}\n    category"), "pack.yml:3: one_of of expects is an empty list: name the outcomes that will do, or leave it out"},
		"one_of beside":    {one("category", "requirement: R\n    expects: {number: 5, one_of: []}\n    category"), "pack.yml:8: one_of of expects is an empty list: name the outcomes that will do, or leave it out"},
		"empty beside":     {one("category", "requirement: R\n    expects: {number: 5, present: ''}\n    category"), "pack.yml:8: a value of expects is empty: write one, or leave its key out"},
		"three forms":      {one("category", "requirement: R\n    expects: {number: 5, at_most: 7, one_of: [5]}\n    category"), "pack.yml:8: expects: an expectation has one form: number, at_most and at_least, one_of, or present"},
		"value is a list":  {one("say what can go wrong", "[a, b]"), "pack.yml:5: not a text: allowed is a text here"},
		"unknown key":      {one("message:", "messages: x\n    message:"), `pack.yml:5: unknown key "messages": allowed are assertion, expectation, message, check, category, domains, requirement, expects`},
		"unknown top key":  {one("version: 1", "version: 1\nauthor: me"), `pack.yml:2: unknown key "author": allowed are version, family, criteria`},
		"key twice":        {one("message:", "message: y\n    message:"), `pack.yml:6: the key "message" is there twice, first in line 5: leave one`},
		"two documents":    {one() + "---\nversion: 1\n", "pack.yml:1: there is more than one document in the file: allowed is one"},
		"syntax":           {one("text.has_section('Risks')", "{"), "pack.yml:6: not YAML, here or in what begins here: did not find expected ',' or '}'"},
		"control":          {one("lists", "li\x01sts"), "pack.yml:3: not plain text: allowed are UTF-8 and no control characters"},
		"unknown category": {one("edge_case", "edge_cases"), `pack.yml:7: category "edge_cases" is not known: write one of happy_path, edge_case, error_handling, completeness, security`},
		"bad glob":         {one("category", "domains: ['[a', '']\n    category"), "pack.yml:7: domain \"[a\" is not a pattern: write a domain's name, with * for any letters and ? for one\npack.yml:7: domain \"\" is not a pattern: write a domain's name, with * for any letters and ? for one"},
		"no check":         {one("    check: text.has_section('Risks')\n", ""), "pack.yml:3: the criterion has no check: write an expression of the check language, or name judges who read in judging.panel"},
		"empty criterion":  {"version: 1\ncriteria:\n  - {}\n", "pack.yml:3: the criterion has no assertion: say in a sentence what is true of good work\npack.yml:3: the criterion has no expectation: say what the report should name as expected\npack.yml:3: the criterion has no message: say what a commander should do about a failure\npack.yml:3: the criterion has no check: write an expression of the check language, or name judges who read in judging.panel\npack.yml:3: the criterion has no category: one of happy_path, edge_case, error_handling, completeness, security"},
		"blank message":    {one("say what can go wrong", "' '"), "pack.yml:5: message says nothing: say what a commander should do about a failure"},
		"compile":          {one("has_section('Risks')", "has_sektion('Risks')"), "pack.yml:6: the check does not compile at column 6 of the expression: undeclared reference to 'has_sektion' (did you mean 'has_section'?)"},
		"compile, block":   {one("check: text.has_section('Risks')", "check: |\n      text.has_section('Risks') &&\n        text.has_sektion('Plan')"), "pack.yml:8: the check does not compile at column 8 of the expression: undeclared reference to 'has_sektion' (did you mean 'has_section'?)"},
		"type":             {one("text.has_section('Risks')", "text.words().size()"), "pack.yml:6: the check does not compile at column 1 of the expression: the check is of type int, but must be a bool or a list(string) of what is wrong"},
		"on nothing":       {one("text.has_section('Risks')", "text.words()[3] == 'risk'"), "pack.yml:6: the check fails on an empty bundle, so it would judge nobody: index out of bounds: 3"},
		"gives away":       {one("say what can go wrong", "The bundle lists its risks!"), "pack.yml:5: the message repeats the assertion, the expectation or the check, and commanders read it: say what to do about a failure"},
		"no requirement":   {one("category", "expects: {number: 5}\n    category"), "pack.yml:7: expects is compared with what others expect of the same requirement, and none is named: add requirement: ID"},
		"two forms":        {one("category", "requirement: R\n    expects: {number: 5, present: true}\n    category"), "pack.yml:8: expects: an expectation has one form: number, at_most and at_least, one_of, or present"},
		"no figure":        {one("category", "requirement: R\n    expects:\n      at_most: soon\n    category"), `pack.yml:9: expects: "soon" is not a figure: write digits and then a unit, such as 200 ms, 1 hour, 5 attempts or 10 requests/minute`},
		"present perhaps":  {one("category", "requirement: R\n    expects: {present: maybe}\n    category"), `pack.yml:8: present is "maybe": write true or false`},
		"expects unknown":  {one("category", "requirement: R\n    expects: {numbers: 5}\n    category"), "pack.yml:8: unknown key \"numbers\": allowed are number, at_most, at_least, one_of, present"},
		"expects nothing":  {one("category", "requirement: R\n    expects: {}\n    category"), "pack.yml:3: expects says nothing: write one of number, at_most, at_least, one_of, present, or leave it out"},
		"expects a text":   {one("category", "requirement: R\n    expects: 5\n    category"), "pack.yml:8: the value has another form than it should: allowed here is a mapping with one of the keys number, at_most, at_least, one_of, present"},
	} {
		_, err := Parse("pack.yml", []byte(c.text), false)
		var e Error
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
	_, err := Parse("p.yml", []byte(one("edge_case", "odd")+second+third), false)
	want := `p.yml:7: category "odd" is not known: write one of happy_path, edge_case, error_handling, completeness, security
p.yml:8: the criterion asserts what the one in line 3 asserts: leave one
p.yml:13: its message repeats the criterion in line 3, and commanders read it: say what to do about a failure
p.yml:13: its message repeats the criterion in line 8, and commanders read it: say what to do about a failure`
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
	asked, err := New("p", p, bytes.NewReader(make([]byte, 32))).Write(t.Context(), decomposition("one", "two"), map[shadow.Category]int{shadow.EdgeCase: 1})
	if err != nil || len(asked) != 1 {
		t.Fatalf("%v, %v", asked, err)
	}
	if c := asked[0]; c.Check != "" || len(c.Material) != 2 || c.Material["two"].Message != "two: say what can go wrong" {
		t.Errorf("asked as %+v", c)
	}
	for text, want := range map[string]string{
		one("text.has_section('Risks')", "''"): "p.yml:6: check says nothing: write an expression of the check language, or leave it out, and judges decide",
	} {
		if _, err := Parse("p.yml", []byte(text), true); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestBounds(t *testing.T) {
	if _, err := Parse("p.yml", make([]byte, MaxFile+1), false); err == nil || !strings.Contains(err.Error(), "the most allowed") {
		t.Errorf("a large file: %v", err)
	}
	many := "version: 1\ncriteria:\n" + strings.Repeat("  - {}\n", MaxCriteria+1)
	if _, err := Parse("p.yml", []byte(many), false); err == nil || !strings.HasPrefix(err.Error(), "p.yml:303: there are 301 criteria") {
		t.Errorf("many criteria: %v", err)
	}
	other := "version: 1\n" + strings.Repeat("a: 1\n", 500)
	if _, err := Parse("p.yml", []byte(other), false); err == nil || strings.Count(err.Error(), "\n") != maxShown || !strings.Contains(err.Error(), "is this a file of criteria?") {
		t.Errorf("another program's file: %v", err)
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
