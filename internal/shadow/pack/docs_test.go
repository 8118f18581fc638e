package pack

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocs: the files shown in docs/authors.md are right, or wrong in the very
// way that is said there.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../../docs/authors.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(yaml|text)\n(.*?)```\n").FindAllStringSubmatch(string(data), -1)
	packs, mistakes := 0, 0
	for i, b := range blocks {
		if b[1] != "yaml" || !strings.HasPrefix(b[2], "version:") {
			continue
		}
		packs++
		want := ""
		if i+1 < len(blocks) && blocks[i+1][1] == "text" {
			want = strings.TrimSuffix(blocks[i+1][2], "\n")
			mistakes++
		}
		got := ""
		if _, err := Parse("criteria/ours.yml", []byte(b[2]), false); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("example %d (-said +is):\n%s", packs, diff)
		}
	}
	if packs != 2 || mistakes != 1 {
		t.Errorf("%d files and %d lists of mistakes are shown", packs, mistakes)
	}
}

// TestSoftwarePack: the checks of the catalogue judge all of its examples as it says.
func TestSoftwarePack(t *testing.T) {
	const file = "../../../docs/packs/software.yml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(file, data, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.criteria {
		if c := &p.criteria[i]; c.examples < 3 {
			t.Errorf("%s: %d examples", c.Assertion, c.examples)
		}
	}
	askAll(t, p)
}
