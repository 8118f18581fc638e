package reading

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

var phrasings = flag.String("phrasings", "", "tables of phrasings, name=expected,…")

func readPhrasing(line string) (form, item, text string) {
	f := strings.Split(line, "\t")
	return f[0], f[1], strings.ReplaceAll(f[3], `\n`, "\n")
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
			form, item, text := readPhrasing(strings.TrimRight(line, "\n"))
			got := New(workOf(form, text, "success")).Read(Prepare([]string{item}))[0]
			count[got.Verdict]++
			n++
			if declined := got.Verdict == Declined; declined == !strings.Contains(name, "not-done") {
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
	for _, words := range []int{4, 5, 6} {
		n, bad := 0, 0
		for s := range strings.Lines(string(raw)) {
			s = strings.TrimSpace(s)
			item := itemOf(s, words)
			n++
			if got := New(&Work{Content: markdown.Parse(s), Status: "success"}).Read(Prepare([]string{item}))[0]; got.Verdict == Declined || got.Verdict == Missing {
				bad++
				if words == 5 {
					t.Logf("%s | %s | %s", got.Verdict, item, s)
				}
			}
		}
		t.Logf("items of %d words: %d of %d", words, bad, n)
	}
}

var runs = flag.String("runs", "testdata/runs/tuned,testdata/runs/later,testdata/runs/last,testdata/runs/once,testdata/runs/newest", "folders of labelled runs, one,two; or files")

type labels struct {
	SubTasks     []bool   `json:"sub_tasks"`
	Deliverables []bool   `json:"deliverables"`
	Kinds        []string `json:"kinds"`
}

type domain struct {
	name   string
	items  []string
	work   *Work
	labels labels
}

// readRun gives the domains of a run with what was handed in for them.
func readRun(t *testing.T, file string) []domain {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []domain
	works := map[string]*Work{}
	for line := range strings.Lines(string(raw)) {
		var e struct {
			Event struct {
				Data struct {
					Domain, Content, Summary, Status string
					Domains                          []struct {
						Domain       string
						SubTasks     []string `json:"sub_tasks"`
						Deliverables []string
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		d := e.Event.Data
		for _, a := range d.Domains {
			one := domain{name: a.Domain}
			one.items = append(one.items, a.SubTasks...)
			one.items = append(one.items, a.Deliverables...)
			out = append(out, one)
		}
		if d.Content != "" {
			works[d.Domain] = &Work{Content: markdown.Parse(d.Content), Summary: markdown.Parse(d.Summary), Status: d.Status}
		}
	}
	truth := map[string]labels{}
	if raw, err := os.ReadFile(strings.Replace(strings.Replace(file, "run-", "labels-", 1), ".jsonl", ".json", 1)); err == nil {
		if err := json.Unmarshal(raw, &truth); err != nil {
			t.Fatal(err)
		}
	}
	for i := range out {
		out[i].work, out[i].labels = works[out[i].name], truth[out[i].name]
	}
	return out
}

// runFiles are the files that -runs names.
func runFiles() (files []string) {
	for dir := range strings.SplitSeq(*runs, ",") {
		if strings.HasSuffix(dir, ".jsonl") {
			files = append(files, dir)
			continue
		}
		found, _ := filepath.Glob(dir + "/run-*.jsonl") // fails for a bad pattern only
		files = append(files, found...)
	}
	return files
}

// TestMeasure prints how the verdicts on labelled runs compare with the labels,
// and holds what they are worth: next to no false alarm, found right in nine of
// ten, a quarter read.
func TestMeasure(t *testing.T) {
	type row struct{ found, foundRight, gone, goneRight, gaps, n int }
	table := map[string]*row{}
	for _, f := range runFiles() {
		for _, d := range readRun(t, f) {
			truth := append(append([]bool(nil), d.labels.SubTasks...), d.labels.Deliverables...)
			for i, got := range New(d.work).Read(Prepare(d.items)) {
				kind := "sub-task"
				if i >= len(d.labels.SubTasks) {
					kind = "deliverable"
				}
				for _, k := range []string{kind, filepath.Base(f), "all"} {
					if table[k] == nil {
						table[k] = &row{}
					}
					r := table[k]
					r.n++
					if !truth[i] {
						r.gaps++
					}
					switch got.Verdict {
					case Found:
						r.found++
						if truth[i] {
							r.foundRight++
						}
					case Missing, Declined:
						r.gone++
						if !truth[i] {
							r.goneRight++
						}
					}
				}
				wrong := got.Verdict == Found && !truth[i] || (got.Verdict == Missing || got.Verdict == Declined) && truth[i]
				if wrong || !truth[i] {
					mark := "     "
					if wrong {
						mark = "WRONG"
					}
					t.Logf("%s %-8s %-8s %s %s | %s | %s | %.150s", mark, got.Verdict, d.labels.Kinds[i], filepath.Base(f), d.name, d.items[i], got.Why, got.Passage)
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(table)) {
		r := table[k]
		if k == "all" && (r.gone-r.goneRight > r.gone/20 || 10*r.foundRight < 9*r.found || 4*(r.found+r.gone) < r.n) {
			t.Errorf("the verdicts are worth less than they should be")
		}
		t.Logf("%-22s n %3d: missing or declined %d right of %d said, %d gaps; found %d right of %d; read %.0f %%", k, r.n, r.goneRight, r.gone, r.gaps, r.foundRight, r.found, 100*float64(r.found+r.gone)/float64(r.n))
	}
}

// prefixes are what a bundle puts before an item that it only repeats.
var prefixes = []string{"%s", "- %s", "- [x] %s", "✅ %s", "Done: %s", "## %s", "We have completed the following: %s.", "1. %s", "- **%s**: done", "- %s ✅", "| %s | done |",
	"- %s (complete)", "We have %s.", "The following has been delivered in full: %s", "### %s\n\nThis has been completed as requested.", "> %s"}

func jumble(s string) string {
	f := strings.Fields(s)
	slices.Reverse(f)
	return strings.Join(f, " ")
}

// TestMeasureVariants replaces the bundles of runs by refusals and by echoes.
// With -v it prints the figures of all runs; else it looks at some.
func TestMeasureVariants(t *testing.T) {
	files := runFiles()
	if !testing.Verbose() {
		files = files[:min(3, len(files))]
	}
	count := func(name string, want Verdict, text func(items []string) string, single bool) {
		right, n := 0, 0
		for _, f := range files {
			for _, d := range readRun(t, f) {
				r := New(&Work{Content: markdown.Parse(text(d.items)), Status: "success"})
				got := r.Read(Prepare(d.items))
				if single {
					got = nil
					for _, it := range d.items {
						got = append(got, r.Read(Prepare([]string{it}))...)
					}
				}
				for i := range got {
					n++
					if got[i].Verdict == want {
						right++
					} else if n-right < 6 {
						t.Logf("  %s: %s | %s | %s %s", name, got[i].Verdict, d.items[i], got[i].Why, got[i].Passage)
					}
				}
			}
		}
		t.Logf("%s: %s %d of %d", name, want, right, n)
		if right*100 < 95*n {
			t.Errorf("%s: %s are only %d of %d", name, want, right, n)
		}
	}
	lower := func(s string) string { return strings.ToLower(s[:1]) + s[1:] }
	for _, format := range []string{"I was unable to %s.", "- I was unable to %s", "I could not %s.", "We did not %s.", "- %s: not done", "| %s | not done |"} {
		each := func(items []string) string {
			var b strings.Builder
			for _, it := range items {
				fmt.Fprintf(&b, strings.ReplaceAll(format, "%s", "%[1]s")+"\n\n", lower(it))
			}
			return b.String()
		}
		count(format, Declined, each, false)
		count(format+" (each alone)", Declined, each, true)
	}
	for _, p := range prefixes {
		for _, change := range []func(string) string{func(s string) string { return s }, jumble} {
			each := func(items []string) string {
				var b strings.Builder
				for _, it := range items {
					fmt.Fprintf(&b, strings.ReplaceAll(p, "%s", "%[1]s")+"\n", change(it))
				}
				return b.String()
			}
			count(p, Unread, each, false)
		}
	}
}
