package results

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus reads the reports of real test runners, and some written by their
// documentation, and holds the counts against those of other parsers.
// counts.tsv has the rule wherever the two differ.
func TestCorpus(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "counts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		cells := strings.Split(sc.Text(), "\t")
		if strings.HasPrefix(cells[0], "#") {
			continue
		}
		name, want := cells[0], cells[1:4]
		if len(cells) == 8 && cells[4] != "" {
			want = cells[4:7]
		}
		seen[name] = true
		data, err := os.ReadFile(filepath.Join("testdata", "reports", name))
		if err != nil {
			t.Fatal(err)
		}
		suite, err := Read(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		by := map[Status]int{}
		for _, test := range suite.Tests {
			by[test.Status]++
		}
		if got := fmt.Sprint(by[Passed], by[Failed]+by[Errored], by[Skipped]); got != strings.Join(want, " ") {
			t.Errorf("%s: passed, failed, skipped %s, want %s (%s)", name, got, want, cells[len(cells)-1])
		}
	}
	files, err := os.ReadDir(filepath.Join("testdata", "reports"))
	if err != nil || len(files) < 40 || len(seen) != len(files) {
		t.Errorf("%d reports, counts of %d: %v", len(files), len(seen), err)
	}
}
