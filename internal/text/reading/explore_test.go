package reading

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

func TestExplore(t *testing.T) {
	if *runs == "" {
		t.Skip()
	}
	out, _ := os.Create("/tmp/features.tsv")
	fmt.Fprintln(out, "run\tdomain\ttruth\tkind\tdel\tnterms\tany\tcov\thead\tbest\tabout\town\tlines\twords\ttbl\titem\ttitle")
	for f := range strings.SplitSeq(*runs, ",") {
		for _, d := range readRun(t, f) {
			truth := append(append([]bool(nil), d.labels.SubTasks...), d.labels.Deliverables...)
			r := New(d.work)
			a := r.assign(d.items)
			T := r.content
			c := cover{a: a, seen: make([]bool, len(a.stems))}
			for i := range a.items {
				it := &a.items[i]
				c.reset()
				c.add(T.words)
				any := c.of(it)
				for si := range T.doc.Sections {
					s := &T.doc.Sections[si]
					c.reset()
					best, head := 0.0, 0.0
					if s.Heading >= 0 {
						l := T.lines[s.Heading]
						c.add(T.words[l.first:l.last])
						head = c.of(it)
					}
					own := map[int32]bool{}
					about, words := 0, 0
					tbl := 0
					for n := s.First; n < s.Last; n++ {
						l := T.lines[n]
						if n == s.Heading {
							continue
						}
						if T.doc.Lines[n].Kind == markdown.Row || T.doc.Lines[n].Kind == markdown.Code {
							tbl++
						}
						c.reset()
						c.add(T.words[l.first:l.last])
						cov := c.of(it)
						best = max(best, cov)
						words += int(l.last - l.first)
						mine := map[int32]bool{}
						for _, w := range T.words[l.first:l.last] {
							if a.of[w.id] < 0 && r.entries[w.id].in&stops == 0 {
								mine[w.id] = true
							}
						}
						if cov >= .8 && len(mine) <= 4 {
							continue
						}
						if cov >= .2 || head >= .5 {
							about++
							for k := range mine {
								own[k] = true
							}
						}
					}
					c.reset()
					for n := s.First; n < s.Last; n++ {
						l := T.lines[n]
						c.add(T.words[l.first:l.last])
					}
					kd := "?"
					if i < len(d.labels.Kinds) { kd = d.labels.Kinds[i] }
					fmt.Fprintf(out, "%s\t%s\t%v\t%s\t%v\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", f[strings.LastIndex(f, "/")+1:], d.name, truth[i], kd, it.Deliverable, len(it.terms), any, c.of(it), head, best, about, len(own), s.Last-s.First, words, tbl, it.Text, s.Title)
				}
			}
		}
	}
}
