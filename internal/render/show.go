package render

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// view is what a template sees: the terminal as $, and what is shown as .V.
type view struct {
	*Terminal
	V any
}

// With is what a template in a template sees.
func (t *Terminal) With(v any) view { return view{t, v} }

// show writes by a template.
func (t *Terminal) show(name string, v any) error { return execute(t, name, t.With(v)) }

// Summary writes a document for a terminal.
func Summary(t *Terminal, d *Document) error { return t.show("text.tmpl", d) }

// Envelope shows a sealed envelope. Tasks and authors' words are untrusted.
func Envelope(t *Terminal, e *shadow.Envelope) error { return t.show("envelope.tmpl", e) }

// Audit shows the findings of an audit in a few lines each, and their number. What they quote is untrusted.
func Audit(t *Terminal, r *audit.Result) error { return t.show("audit.tmpl", r) }

// Statement says in a line what an attestation says that the key id signed. What limits the result stands beside it.
func Statement(t *Terminal, st *attest.Statement, id string) error {
	return t.show("statement.tmpl", struct {
		*attest.Statement
		Key string
	}{st, id})
}

// SignedReview says in a line which review of a report the key id signed.
func SignedReview(t *Terminal, d *shadow.ReviewedData, id string) error {
	t.Printf("REVIEWED  %s/%s/%s  %s: %s  report %s  signed by %s\n", d.RunID, d.Domain, d.BundleID, d.After.Gate, shadow.Printable(d.After.Reason), d.Review.ReportDigest, id)
	return t.Err()
}

// Criteria lists the criteria of a file with how many examples test each.
func Criteria(t *Terminal, file string, listed []pack.Listed) error {
	examples := 0
	for _, x := range listed {
		examples += x.Examples
	}
	t.Printf("%s: %s, %s: %s\n", shadow.Printable(file), criteria(len(listed)), shadow.Count(examples, "example"), t.Paint(Green, "all right"))
	var rows [][]string
	for _, x := range listed {
		words := shadow.Count(x.Examples, "example")
		if x.Judges {
			words = "judges decide"
		}
		rows = append(rows, []string{"  " + string(x.Category), words, shadow.Printable(x.Assertion)})
	}
	for _, line := range aligned(rows) {
		t.Printf("%s\n", line)
	}
	return t.Err()
}

// Runs shows runs as a table. Tasks are untrusted.
func Runs(t *Terminal, runs []*history.Summary) error {
	if len(runs) == 0 {
		t.Printf("There is no run to list on this bus.\n")
		return t.Err()
	}
	rows := [][]string{{"RUN", "STATE", "STARTED", "FINAL", "MEDIAN", "VERDICT", "GATE", "ITEMS", ""}}
	tasks := []string{"TASK"}
	for _, r := range runs {
		median, verdict := "-", "-"
		if r.Median != "" {
			median, verdict = r.Median.String()+" %", LookOf(r.Verdict).Word
		}
		var doubts []string
		if r.Advisory {
			doubts = append(doubts, "ADVISORY")
		}
		if r.Observed {
			doubts = append(doubts, "OBSERVE MODE")
		}
		gate := cmp.Or(string(r.Gate), "-")
		if r.GateAfterReview != "" {
			gate += ", reviewed: " + string(r.GateAfterReview)
		}
		rows = append(rows, []string{r.RunID, string(r.State), r.Started.Local().Format("2006-01-02 15:04"), fmt.Sprintf("%d of %d", r.Final, r.Domains),
			median, verdict, gate, cell(r.Counts), strings.Join(doubts, ", ")})
		tasks = append(tasks, shadow.Printable(cmp.Or(r.Reason, r.Task)))
	}
	lines := aligned(rows)
	width := 0
	for _, line := range lines {
		width = max(width, len([]rune(line)))
	}
	room := 60 // where there is no terminal, what keeps a line readable
	if t.Width > 0 {
		room = max(t.Width-width-2, 20)
	}
	for i, line := range lines {
		line = fmt.Sprintf("%-*s  %s", width, line, clip.To(tasks[i], room))
		if i == 0 {
			line = t.Paint(Bold, line)
		}
		t.Printf("%s\n", line)
	}
	return t.Err()
}

// Status shows how a daemon is doing. What its log and its streams say is untrusted.
func Status(t *Terminal, s *dash.Status) error {
	row := func(label, text string) { t.Printf("%s  %s\n", t.Paint(Dim, fmt.Sprintf("%-10s", label)), text) }
	connection := t.Paint(Red, "none")
	if s.Connected {
		connection = t.Paint(Green, s.URL)
	}
	row("version", s.Version)
	row("connection", fmt.Sprintf("%s, lost and made again %d times", connection, s.Reconnects))
	switch {
	case s.Active:
		row("active", "yes, it judges")
	case s.ActiveOne != "":
		row("active", "no, it stands by for "+shadow.Printable(s.ActiveOne))
	default:
		row("active", t.Paint(Yellow, "no"))
	}
	for _, l := range s.Streams {
		bytes := fmt.Sprint(l.Bytes)
		if l.MaxBytes > 0 {
			bytes += fmt.Sprintf(" of %d", l.MaxBytes)
		}
		text := fmt.Sprintf("%d messages (%s bytes)", l.Messages, bytes)
		if l.Pending > 0 {
			text += fmt.Sprintf(", %d since the first that has no outcome", l.Pending)
		}
		row(l.Stream, text)
	}
	if s.Problem != "" {
		row("streams", t.Paint(Red, shadow.Printable(s.Problem)))
	}
	for _, line := range s.Judges {
		row("judges", t.Paint(Yellow, shadow.Printable(line)))
	}
	if s.Unsynced != "" {
		row("lost", t.Paint(Yellow, shadow.Printable(s.Unsynced)))
	}
	last := "none since it was ready"
	if e := s.LastError; e != nil {
		last = fmt.Sprintf("%s %s %s", e.Time.Local().Format(time.DateTime), t.Paint(Red, e.Level.String()), shadow.Printable(e.Message))
	}
	row("last error", last)
	return t.Err()
}

// Examined shows what users of a bus tried and is not as it should be, or with all everything. It returns how much is not.
func Examined(t *Terminal, findings []doctor.Finding, all bool) (wrong int, err error) {
	var rows [][]string
	for _, f := range findings {
		word, mark := "refused", "ok"
		if f.Allowed {
			word = "allowed"
		}
		if f.Wanted != f.Allowed {
			mark = "NOT AS EXPECTED"
			wrong++
		}
		if all || mark != "ok" || f.Note != "" {
			rows = append(rows, []string{f.User, f.Tried, word, mark, f.Note})
		}
	}
	for i, line := range aligned(rows) {
		if rows[i][3] != "ok" {
			line = t.Paint(Red, line)
		}
		t.Printf("%s\n", line)
	}
	t.Printf("%d things tried, %d not as expected\n", len(findings), wrong)
	return wrong, t.Err()
}

// CheckResult shows what an evaluation found.
func CheckResult(t *Terminal, r check.Result) error {
	verdict := t.Paint(Green, "passed")
	if !r.Passed {
		verdict = t.Paint(Red, "failed")
	}
	t.Printf("%s\n", verdict)
	if !r.Passed && len(r.Problems) == 0 {
		r.Problems = []string{"the expression is false"}
	}
	for _, p := range r.Problems {
		t.Printf("  %s %s\n", t.Paint(Red, "✗"), t.Wrap(shadow.Printable(p), 4))
	}
	t.Printf("cost %d of %d units\n", r.Cost, check.MaxCost)
	return t.Err()
}

// Calibration shows how well judges did in tables.
func Calibration(t *Terminal, r *calibrate.Result) error { return t.show("calibration.tmpl", r) }

// calibrated names a judge of a calibration.
func calibrated(j calibrate.Judge) string {
	return judgeText(&shadow.AuthorRef{Name: j.Name, Model: shadow.Model{Model: j.Model, Family: j.Family}})
}

// DemoStart heads the demo with its task, and says who reads it: judges that were named, or recorded answers.
func DemoStart(t *Terminal, task string, judged bool) {
	t.Printf("%s\n%s\n", t.Paint(Bold, "A swarm run, judged by sealed criteria"), task)
	if !judged {
		t.Printf("What a language model answered about these texts was recorded. No model is asked now.\n")
	}
	t.heading("What shadowd says on the bus")
}

// DemoEnd says what to type after the demo, in which judges may have been asked.
func DemoEnd(t *Terminal, judged bool) {
	t.heading("What to type next")
	next := func(command, what string) { t.Printf("  %s  %s\n", t.Paint(Cyan, fmt.Sprintf("%-38s", command)), what) }
	if !judged {
		next("shadowd demo --judge openai:gpt-5-mini", "has a model of yours read it (OPENAI_API_KEY)")
	}
	next("shadowd seal --dry-run FILE", "shows what would be asked of a decomposition of yours")
	next("shadowd run", "judges your swarm, on a NATS server that it brings along")
}

// Stored says where the runs are: a directory that was made for them, or the address of a bus.
func Stored(t *Terminal, where string) {
	t.Printf("\nEverything is stored in %s: streams %s and %s, bucket %s (sealed).\n", t.Paint(Bold, where), layout.StreamIn, layout.StreamOut, layout.BucketEnvelopes)
	if filepath.IsAbs(where) { // a directory that only this program knows of
		t.Printf("It holds sealed text. When you have seen enough: rm -r %s\n", where)
	}
}
