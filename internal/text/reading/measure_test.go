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
