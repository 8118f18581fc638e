package check

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
	"testing"
)

// claim is one case of the corpus.
type claim struct {
	kind   string
	answer string // what the finding says it should be; empty if it is right
	text   string
	no     int
}

func readClaims(t testing.TB, file string) []claim {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var claims []claim
	for i, block := range strings.Split("\n"+string(data), "\n== ")[1:] {
		head, text, _ := strings.Cut(block, "\n")
		kind, label, _ := strings.Cut(head, " ")
		answer, wrong := strings.CutPrefix(label, "wrong ")
		if !wrong && label != "right" {
			t.Fatalf("%s: case %d: label %q", file, i+1, label)
		}
		if !wrong {
			answer = ""
		}
		claims = append(claims, claim{kind: kind, answer: answer, text: text, no: i + 1})
	}
	return claims
}

// TestCorpus holds the check to no false alarm at all, and to finding nine in
// ten of the errors of each kind.
func TestCorpus(t *testing.T) {
	for _, file := range []string{"testdata/arithmetic_corpus.txt", "testdata/arithmetic_heldout.txt"} {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/arithmetic_"), ".txt"), func(t *testing.T) {
			type score struct{ right, falseAlarms, wrong, found int }
			scores := map[string]*score{}
			for _, c := range readClaims(t, file) {
				s := scores[c.kind]
				if s == nil {
					s = &score{}
					scores[c.kind] = s
				}
				found := Miscalculations(Analyse(c.text))
				if c.answer == "" {
					s.right++
					if len(found) > 0 {
						s.falseAlarms++
						t.Errorf("case %d, %s: false alarm: %s\n%s", c.no, c.kind, found[0].Message(), c.text)
					}
					continue
				}
				s.wrong++
				hit := false
				for _, f := range found {
					hit = hit || f.ShouldBe == c.answer
				}
				if hit {
					s.found++
				} else {
					t.Logf("case %d, %s: missed, should be %s: %v\n%s", c.no, c.kind, c.answer, found, c.text)
				}
				if len(found) > 1 {
					t.Errorf("case %d, %s: more than one finding: %v", c.no, c.kind, found)
				}
			}
			kinds := make([]string, 0, len(scores))
			for k := range scores {
				kinds = append(kinds, k)
			}
			sort.Strings(kinds)
			if len(kinds) < 7 {
				t.Errorf("only the kinds %v", kinds)
			}
			for _, k := range kinds {
				s := scores[k]
				line := fmt.Sprintf("%-9s  right %2d, false alarms %d;  wrong %2d, found %2d", k, s.right, s.falseAlarms, s.wrong, s.found)
				if s.wrong > 0 {
					line += fmt.Sprintf(" (%.0f%%)", 100*float64(s.found)/float64(s.wrong))
				}
				t.Log(line)
				if s.found*10 < s.wrong*9 {
					t.Errorf("%s: found %d of %d errors", k, s.found, s.wrong)
				}
			}
		})
	}
}

// TestRealRun checks that bundles whose numbers are consistent raise nothing.
func TestRealRun(t *testing.T) {
	for name, text := range realBundles(t) {
		for _, f := range Miscalculations(Analyse(text)) {
			t.Errorf("%s: %s", name, f.Message())
		}
	}
}

// realBundles gives a bundle of our own and, on a machine that has it, those of
// the published run beside the project.
func realBundles(t testing.TB) map[string]string {
	t.Helper()
	own, err := os.ReadFile("testdata/arithmetic_bundle.md")
	if err != nil {
		t.Fatal(err)
	}
	bundles := map[string]string{"own": string(own)}
	f, err := os.Open("../../../../shared/runs/jwt-ss100.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return bundles
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var e struct {
			Event struct {
				Data struct{ Domain, Content string }
			}
		}
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if d := e.Event.Data; d.Content != "" {
			bundles[d.Domain] = d.Content
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if len(bundles) != 6 {
		t.Fatalf("%d bundles, want 5 and our own", len(bundles))
	}
	return bundles
}
