package render

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	contents "github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// Work is a bundle beside what was said of it: each question, what judges answered,
// and the passages that this is about. All of it is untrusted.
type Work struct {
	*history.Submission
	Subject       *Subject   // the last report of the domain
	Open, Settled []Question // those not passed or found, and the others
	lines         []string   // of the content
}

// Question is an item or a criterion.
type Question struct {
	// About is the name of the item or the id of the criterion.
	About, Anchor, State, Text string

	Failed            bool
	Why, Expected, By string
	Votes             []Said
	Lines             []WorkLine
}

// Said is what a judge answered.
type Said struct{ Judge, Outcome, Why, Quote string }

// WorkLine is a line of the content. Named: somebody says that it is about this
// one. Gap: lines are left out before it.
type WorkLine struct {
	No         int
	Text       string
	Named, Gap bool
}

// NewWork is that of a submission whose bundle was read.
func NewWork(sub *history.Submission) *Work {
	w, rep := &Work{Submission: sub, Subject: &OfRun(sub.Run, []*shadow.Report{sub.Last}).Subjects[0]}, sub.Report()
	s := Of(rep)
	src := ""
	if sub.Bundle != nil {
		src = sub.Bundle.Content
		w.lines = strings.Split(src, "\n")
	}
	content := contents.New(src)
	add := func(q Question, open bool, line int, text string) {
		lines := append(linesNamed(text), line)
		if b := sub.BallotOn(q.About); b != nil {
			q.By = agreement(b, s.Swarm.Item(q.About) != nil)
			for _, v := range b.Votes {
				q.Votes = append(q.Votes, Said{shadow.Printable(v.Judge), outcomeText(v.Outcome, s.Swarm.Item(q.About) != nil), shadow.Line(v.Actual + v.Why), shadow.Line(v.Quote)})
				if p, ok := content.Find(v.Quote); ok {
					for n := range 1 + strings.Count(src[p.From:p.To], "\n") {
						lines = append(lines, p.Line+n)
					}
				}
			}
		}
		q.Lines = around(w.lines, lines, 2)
		list := &w.Settled
		if open {
			list = &w.Open
		}
		*list = append(*list, q)
	}
	for i := range s.swarm().Items {
		v := &s.Swarm.Items[i]
		it := itemOf(v)
		q := Question{About: v.Name, Anchor: fmt.Sprintf("item-%d", i+1), State: string(it.State), Text: inert(shadow.Line(v.Name + ": " + v.Text)), Failed: it.Failed(), Why: it.Why}
		add(q, it.State != shadow.ItemFound, v.Line, v.Why)
	}
	failures := s.Failures()
	for _, c := range s.Criteria() {
		if c.Kind == shadow.AskItems {
			continue // its items are asked for above
		}
		q := Question{About: c.ID, Anchor: c.ID, State: string(c.Outcome), Text: inert(shadow.Printable(c.ID + ": " + c.About)), Failed: c.Outcome == shadow.Failed}
		text := ""
		if i := slices.IndexFunc(failures, func(f shadow.Failure) bool { return f.TestName == c.ID }); i >= 0 {
			q.Why, q.Expected, text = shadow.Line(failures[i].Actual), shadow.Line(failures[i].Expected), failures[i].Actual
		}
		add(q, c.Outcome != shadow.Passed, c.Line, text)
	}
	return w
}

// All is the whole content.
func (w *Work) All() []WorkLine { return around(w.lines, []int{1}, len(w.lines)) }

var lineNumber = regexp.MustCompile(`\bline (\d{1,7})\b`)

// linesNamed are the first lines that a text names.
func linesNamed(text string) (lines []int) {
	for _, m := range lineNumber.FindAllStringSubmatch(text, 5) {
		n, _ := strconv.Atoi(m[1]) // digits
		lines = append(lines, n)
	}
	return lines
}

// around are the lines of some numbers, from 1, with those within some distance.
func around(lines []string, named []int, near int) (shown []WorkLine) {
	for i, text := range lines {
		no := i + 1
		if slices.ContainsFunc(named, func(n int) bool { return n > 0 && max(no-n, n-no) <= near }) {
			gap := len(shown) > 0 && shown[len(shown)-1].No < no-1
			shown = append(shown, WorkLine{no, shadow.Printable(text), slices.Contains(named, no), gap})
		}
	}
	return shown
}

// Review shows what a person needs to review a bundle: what the report and the
// judges say, the task, and the bundle with its line numbers. All of it is untrusted.
func Review(t *Terminal, s *history.Submission) error {
	doc := OfRun(s.Run, []*shadow.Report{s.Last})
	doc.Run = nil
	if err := Summary(t, doc); err != nil {
		return err
	}
	t.heading("Task")
	t.Printf("%s\n", t.Wrap(inert(shadow.Printable(s.Last.Report.Specification)), 0))
	t.heading("Bundle %s of %s", shadow.Printable(s.Last.Swarm.BundleID), shadow.Printable(s.Last.Swarm.CommanderID))
	if s.Bundle == nil {
		t.Printf("  %s\n", t.Paint(Yellow, s.Withheld))
		return t.Err()
	}
	for i, line := range strings.Split(strings.TrimRight(s.Bundle.Content, "\n"), "\n") {
		t.Printf("%s  %s\n", t.Paint(Dim, fmt.Sprintf("%5d", i+1)), inert(shadow.Printable(line)))
	}
	return t.Err()
}

// Reviewed shows what has come of a review.
func Reviewed(t *Terminal, d *shadow.ReviewedData) error {
	s := Subject{Review: d}
	t.Printf("%s/%s  gate %s, now %s\n", shadow.Printable(d.RunID), shadow.Printable(d.Domain), d.Before.Gate, t.Wrap(s.ReviewText(), 2))
	by := "not signed, for the bus of this run has no wall"
	if d.SignedBy != "" {
		by = "signed by " + d.SignedBy
	}
	t.Printf("  %s\n", t.Paint(Dim, by))
	return t.Err()
}
