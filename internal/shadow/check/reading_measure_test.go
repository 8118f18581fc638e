package check

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Labels and texts other than the project's own are measured by hand:
//
//	go test ./internal/shadow/check -run Measure -v -args -labels DIR -texts DIR
//
// The labels are NAME.tsv (document, label, kind, origin, phrase) with
// NAME-docs.tsv (document, repository, path). The text of a document is
// DOCUMENT.md in the folder of texts, or repository/path.
var (
	labelsDir = flag.String("labels", "", "folder of labelled phrases to measure the reading rule on")
	eachPair  = flag.Bool("pairs", false, "print each pair that the rule gets wrong or leaves open")
)

// labelled is a phrase with what a careful reader says of it: T the text
// addresses it, F it does not, U a reader cannot tell.
type labelled struct {
	doc, label, kind, phrase string
	also                     []string
}

// outcomes counts the verdicts on pairs of one label and kind.
type outcomes struct{ pairs, alarm, found, unclear int }

func (o *outcomes) add(v Verdict) {
	o.pairs++
	switch v {
	case NotFound, Declined:
		o.alarm++
	case Found:
		o.found++
	default:
		o.unclear++
	}
}

func (o outcomes) plus(p outcomes) outcomes {
	return outcomes{o.pairs + p.pairs, o.alarm + p.alarm, o.found + p.found, o.unclear + p.unclear}
}

// outcomesByKind is what the rule says of a set of pairs, by label and kind.
type outcomesByKind map[[2]string]outcomes

func (c outcomesByKind) label(label string) outcomes {
	var sum outcomes
	for k, o := range c {
		if k[0] == label {
			sum = sum.plus(o)
		}
	}
	return sum
}

// precision is the share of alarms that are right, recall the share of what
// is not addressed that gives an alarm.
func (c outcomesByKind) precision() float64 {
	right := c.label("F").alarm
	return shareOf(right, right+c.label("T").alarm)
}
func (c outcomesByKind) recall() float64 { f := c.label("F"); return shareOf(f.alarm, f.pairs) }

func shareOf(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func (c outcomesByKind) String() string {
	var b strings.Builder
	kinds := slices.SortedFunc(maps.Keys(c), func(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	fmt.Fprintf(&b, "\n%-8s%7s%7s%7s%9s\n", "kind", "pairs", "alarm", "found", "unclear")
	for _, k := range kinds {
		o := c[k]
		fmt.Fprintf(&b, "%-2s%-6s%7d%7d%7d%9d\n", k[0], k[1], o.pairs, o.alarm, o.found, o.unclear)
	}
	t, f := c.label("T"), c.label("F")
	fmt.Fprintf(&b, "alarm: precision %.3f (%d of %d), recall %.3f (%d of %d)\n",
		c.precision(), f.alarm, f.alarm+t.alarm, c.recall(), f.alarm, f.pairs)
	fmt.Fprintf(&b, "found: precision %.3f (%d of %d), recall %.3f (%d of %d)",
		shareOf(t.found, t.found+f.found), t.found, t.found+f.found, shareOf(t.found, t.pairs), t.found, t.pairs)
	return b.String()
}

// readAll reads every phrase against its text.
func readAll(pairs []labelled, texts map[string]*Text, wrong func(labelled, Reading)) outcomesByKind {
	c := outcomesByKind{}
	for _, p := range pairs {
		r := texts[p.doc].Reads(p.phrase, p.also...)
		k := [2]string{p.label, p.kind}
		o := c[k]
		o.add(r.Verdict)
		c[k] = o
		if ok := p.label == "U" || (p.label == "T") == (r.Verdict == Found) && r.Verdict != Unsure; !ok && wrong != nil {
			wrong(p, r)
		}
	}
	return c
}

// rows gives the fields of a file of tab-separated values with at least n of
// them, without comments.
func rows(t testing.TB, path string, n int) [][]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimRight(line, "\r\n"); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) < n {
			t.Fatalf("%s: %q has %d fields, want %d", path, line, len(f), n)
		}
		out = append(out, f)
	}
	return out
}

// ownPairs reads a folder of the project's own texts, each NAME.md with its
// phrases in NAME.tsv (label, kind, phrase, alternatives between bars).
func ownPairs(t testing.TB, dir string) ([]labelled, map[string]*Text) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no labels in %s (%v)", dir, err)
	}
	var pairs []labelled
	texts := map[string]*Text{}
	for _, file := range files {
		doc := strings.TrimSuffix(filepath.Base(file), ".tsv")
		raw, err := os.ReadFile(filepath.Join(dir, doc+".md"))
		if err != nil {
			t.Fatal(err)
		}
		texts[doc] = Analyse(string(raw))
		for _, f := range rows(t, file, 3) {
			p := labelled{doc: doc, label: f[0], kind: f[1], phrase: f[2]}
			if len(f) > 3 && f[3] != "" {
				p.also = strings.Split(f[3], "|")
			}
			pairs = append(pairs, p)
		}
	}
	return pairs, texts
}

// publicPairs reads labels that lie outside the project.
func publicPairs(t testing.TB, labels, texts string) ([]labelled, map[string]*Text) {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(labels, "*-docs.tsv"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("no *-docs.tsv in %s (%v)", labels, err)
	}
	var pairs []labelled
	read := map[string]*Text{}
	for _, file := range docs {
		for _, f := range rows(t, file, 3) {
			raw, err := os.ReadFile(filepath.Join(texts, f[0]+".md"))
			if err != nil {
				raw, err = os.ReadFile(filepath.Join(texts, f[1], f[2]))
			}
			if err != nil {
				t.Fatalf("%s: the text of %s: %v", file, f[0], err)
			}
			read[f[0]] = Analyse(string(raw))
		}
		for _, f := range rows(t, strings.TrimSuffix(file, "-docs.tsv")+".tsv", 5) {
			pairs = append(pairs, labelled{doc: f[0], label: f[1], kind: f[2], phrase: f[4]})
		}
	}
	return pairs, read
}

// TestMeasure prints how well the reading rule does by kind of pair. On the
// project's own pairs it holds a floor of precision.
func TestMeasure(t *testing.T) {
	wrong := func(p labelled, r Reading) {
		if *eachPair {
			t.Logf("%s %s%s %q: %s %.2f %s", p.doc, p.label, p.kind, p.phrase, r.Verdict, r.Score, r.Evidence())
		}
	}
	if *labelsDir != "" {
		pairs, read := publicPairs(t, *labelsDir, *texts)
		t.Log(readAll(pairs, read, wrong))
		return
	}
	for _, set := range []struct {
		dir   string
		floor float64
	}{{"dev", 0.78}, {"untouched", 0.65}} {
		t.Run(set.dir, func(t *testing.T) {
			pairs, texts := ownPairs(t, filepath.Join("testdata", "reading", set.dir))
			if set.dir == "untouched" { // its pairs are for measuring, never for tuning
				wrong = nil
			}
			c := readAll(pairs, texts, wrong)
			t.Log(c)
			if c.precision() < set.floor {
				t.Errorf("precision of the alarm is under %.2f", set.floor)
			}
		})
	}
}
