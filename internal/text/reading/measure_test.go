package reading

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var phrasings = flag.String("phrasings", "", "tables of phrasings, name=expected,…")

func readPhrasing(line string) (form, item string, deliverable bool, text string) {
	f := strings.Split(line, "\t")
	return f[0], f[1], f[2] == "deliverable", strings.ReplaceAll(f[3], `\n`, "\n")
}

func workOf(form, text, status string) *Work {
	w := &Work{Content: markdown.Parse(text), Status: status}
	if form == "summary" {
		w = &Work{Content: markdown.Parse("# Work\n\nThe files are in the folder."), Summary: markdown.Parse(text), Status: status}
	}
	return w
}

func TestMeasurePhrasings(t *testing.T) {
	if *phrasings == "" {
		t.Skip("no tables")
	}
	for name := range strings.SplitSeq(*phrasings, ",") {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		count := map[Verdict]int{}
		n := 0
		for line := range strings.Lines(string(raw)) {
			form, item, deliverable, text := readPhrasing(strings.TrimRight(line, "\n"))
			got := New(workOf(form, text, "success")).Read([]Item{{item, deliverable}})[0]
			count[got.Verdict]++
			n++
			if declined := got.Verdict == Declined; declined == strings.HasPrefix(name[strings.LastIndex(name, "/")+1:], "done") {
				t.Logf("%s %s | %s | %s | %s", got.Verdict, form, item, strings.ReplaceAll(text, "\n", "\\n"), got.Why)
			}
		}
		t.Logf("%s: %d: %v", name, n, count)
	}
}

var negations = flag.String("negations", "", "sentences in which negation is content, a line each")

// itemOf makes an item of the first n words of a sentence that are not stop words.
func itemOf(sentence string, n int) string {
	var out []string
	for _, f := range strings.Fields(sentence) {
		bare := strings.ToLower(strings.Trim(f, "`*_.,:;()[]\"'|!?#->"))
		if l := lexicon[bare]; bare == "" || l != nil && l.in&(stops|negators) != 0 || strings.HasSuffix(bare, "n't") || strings.HasSuffix(bare, "n’t") {
			continue
		}
		if out = append(out, strings.Trim(f, "`*_.,:;()[]\"'|!?#->")); len(out) == n {
			break
		}
	}
	return strings.Join(out, " ")
}

func TestMeasureNegations(t *testing.T) {
	if *negations == "" {
		t.Skip("no sentences")
	}
	raw, err := os.ReadFile(*negations)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n           int
		deliverable bool
	}{{4, false}, {5, true}, {6, false}} {
		n, bad := 0, 0
		for s := range strings.Lines(string(raw)) {
			s = strings.TrimSpace(s)
			item := itemOf(s, c.n)
			n++
			if got := New(&Work{Content: markdown.Parse(s), Status: "success"}).Read([]Item{{item, c.deliverable}})[0]; got.Verdict == Declined || got.Verdict == Missing {
				bad++
				if c.n == 5 {
					t.Logf("%s | %s | %s", got.Verdict, item, s)
				}
			}
		}
		t.Logf("items of %d words: %d of %d", c.n, bad, n)
	}
}
