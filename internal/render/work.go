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

// Work is a bundle beside what was said of it: questions, answers, and the passages that these are about. All is untrusted.
type Work struct {
	*history.Submission
	Subject       *Subject   // the last report of the domain
	Open, Settled []Question // those not passed or found, and the others
	lines         []string   // of the content
}

// Question is an item or a criterion with what became of it.
type Question struct {
	// About is the name of the item or the id of the criterion.
	About, Anchor, State, Text string

	Failed        bool
	Where         string
	Why, Expected string
	// Asked is what the criterion asks, where the envelope was opened.
	Asked  *shadow.Material
	Ballot *Ballot // nil where no panel was asked
	Lines  []WorkLine
}

// WorkLine is a line of the content. Named: somebody says that it is about this one. Gap: lines are left out before it.
type WorkLine struct {
	No         int
	Text       string
	Named, Gap bool
}

// NewWork is that of a submission whose bundle was read. Of a fix that was worse its report asks nothing: see Other.
func NewWork(sub *history.Submission) *Work {
	rep := sub.Report()
	w, s := &Work{Submission: sub, Subject: OfRun(sub.Run, []*shadow.Report{sub.Last}).Subjects[0]}, Of(rep)
	src := ""
	if sub.Bundle != nil {
		src = sub.Bundle.Content
		w.lines = strings.Split(src, "\n")
	}
	content := contents.New(src)
	add := func(q Question, open bool, line int, text string) {
		lines := append(linesNamed(text), line)
		if b := sub.BallotOn(q.About); b != nil {
			q.Ballot = s.ballotOf(b)
			for _, v := range b.Votes {
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
	if w.Other() {
		return w
	}
	for i := range rep.Swarm.Items {
		v := &rep.Swarm.Items[i]
		it := itemOf(v)
		q := Question{About: v.Name, Anchor: fmt.Sprintf("item-%d", i+1), State: string(it.State), Text: inert(shadow.Line(v.Name + ": " + v.Text)), Failed: it.Failed(), Where: it.Where, Why: it.Why}
		add(q, it.State != shadow.ItemFound, v.Line, v.Why)
	}
	for _, c := range s.Criteria() {
		if c.Kind == shadow.AskItems {
			continue // its items are asked for above
		}
		q := Question{About: c.ID, Anchor: c.ID, State: string(c.Outcome), Text: inert(shadow.Printable(c.ID + ": " + c.About)), Failed: c.Outcome == shadow.Failed, Where: c.Where(), Asked: w.asked(c.ID)}
		text := ""
		if i := slices.IndexFunc(rep.Failures, func(f shadow.Failure) bool { return f.TestName == c.ID }); i >= 0 {
			text = rep.Failures[i].Actual
			q.Why, q.Expected = shadow.Line(text), shadow.Line(rep.Failures[i].Expected)
		}
		add(q, c.Outcome != shadow.Passed, c.Line, text)
	}
	return w
}

// Other tells whether the report on the submission tells of another one.
func (w *Work) Other() bool { return w.Report().Swarm.AcceptedCycle != w.Cycle }

// asked is what a criterion asks of the domain, if the envelope is there and is the one that was sealed.
func (w *Work) asked(id string) *shadow.Material {
	if w.Envelope == nil || w.Broken != "" {
		return nil
	}
	for i := range w.Envelope.Criteria {
		if m, ok := w.Envelope.Criteria[i].Material[w.Domain]; ok && w.Envelope.Criteria[i].ID == id {
			return &m
		}
	}
	return nil
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
