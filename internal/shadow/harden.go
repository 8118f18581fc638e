package shadow

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow/guard"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// HardeningData is the data of hardening-request: all that a commander ever
// learns. It holds no criterion, no score, no count and no word about sealing.
type HardeningData struct {
	RunID       string    `json:"run_id" is:"id"`
	Domain      string    `json:"domain" is:"id"`
	BundleID    string    `json:"bundle_id" is:"id"`
	CommanderID string    `json:"commander_id" is:"id"`
	Cycle       int       `json:"cycle" is:"min=1,max=10"` // that the fix must carry
	Deadline    time.Time `json:"deadline"`                // a fix stored later is rejected
	Text        string    `json:"text" is:"hardening"`     // to hand to the commander's model as it is
	Issues      []Issue   `json:"issues" is:"min=1,max=5050"`
}

// Issue is one failure in the words meant for the commander.
type Issue struct {
	ID      string `json:"id" is:"criterion"` // shuffled: it tells neither a kind nor an author
	Message string `json:"message" is:"min=1"`
}

// Request derives the hardening request from a report that asks for a fix and was
// stored at a time. The commander is not asked to fix what could not be judged.
func Request(r *Report, p *Policy, stored time.Time) *HardeningData {
	s := &r.Swarm
	issues := r.issues()
	var b strings.Builder
	b.WriteString(requestHead + "\n")
	for _, i := range issues {
		b.WriteString("- [" + i.ID + "] " + i.Message + "\n")
	}
	return &HardeningData{RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID,
		Cycle: s.Cycle + 1, Deadline: p.FixDeadline(stored), Text: b.String(), Issues: issues}
}

// issues are a line for each item that is missing, declared or not accounted
// for, and for each other criterion that was judged to fail, in the order of the
// ids. Lines that say the same stand once.
func (r *Report) issues() []Issue {
	s := &r.Swarm
	issues := []Issue{}
	add := func(id, message string) {
		if message != "" && !slices.ContainsFunc(issues, func(i Issue) bool { return i.Message == message }) {
			issues = append(issues, Issue{id, message})
		}
	}
	for i := range s.Criteria {
		c := &s.Criteria[i]
		for k := range s.Items {
			if s.Items[k].Criterion == c.ID {
				add(c.ID, s.Items[k].Message)
			}
		}
		if c.Outcome != Failed || c.Kind == AskItems {
			continue
		}
		for _, f := range r.Failures {
			if f.TestName == c.ID {
				add(c.ID, f.Message)
			}
		}
	}
	return issues
}

// QuarantineData is the data of bundle-quarantined: what a re-review needs.
type QuarantineData struct {
	RunID       string  `json:"run_id" is:"id"`
	Domain      string  `json:"domain" is:"id"`
	BundleID    string  `json:"bundle_id" is:"id"`
	CommanderID string  `json:"commander_id" is:"id"`
	Cycle       int     `json:"cycle" is:"max=10"`
	SealBroken  bool    `json:"seal_broken"`
	Issues      []Issue `json:"issues" is:"max=5050"`
}

// Notice derives the quarantine notice from a stored final report, or nil
// where its gate does not quarantine.
func Notice(r *Report) *QuarantineData {
	s := &r.Swarm
	if !s.Final || s.Gate.Action != Quarantine {
		return nil
	}
	return &QuarantineData{RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID,
		Cycle: s.AcceptedCycle, SealBroken: s.SealBroken != "", Issues: r.issues()}
}

// What shadowd itself says in a request. It is no secret, whatever an author
// writes into a criterion: else a request could not be sent.
const (
	requestHead   = "SHADOW HARDENING — Fix these issues:"
	notDelivered  = ": not delivered"
	notMet        = ": not met"
	notDone       = "declared as not done"
	unaccounted   = "not accounted for in delivery"
	figuresMatter = "Figures and places to fill in"
	requirementOf = "A requirement of kind "
)

// A message for a commander is the matter, which it knows from its assignment,
// and the defect that was found in its own bundle. Each fits on one line.

// itemMessage is what the commander is told of an item that is missing, or that
// its own account leaves open.
func (x *Exam) itemMessage(j *Judgement, v *Verdict, it *ItemVerdict) string {
	matter := oneLine(it.Text)
	switch it.State {
	case ItemDeclared:
		return matter + ": " + notDone
	case ItemUnaccounted:
		return x.messageFor(j, v, matter, it.Why, true, matter+": "+unaccounted)
	}
	return x.messageFor(j, v, matter, it.Why, it.By == Program, matter+notDelivered)
}

// message is what the commander is told of another criterion that its bundle
// fails.
func (x *Exam) message(j *Judgement, v *Verdict) string {
	matter := figuresMatter
	if v.Kind == AskWritten {
		matter = oneLine(v.Basis)
		for i, name := range v.Items {
			if it := findItem(j.items, name); it != nil && (matter == "" || i > 0) {
				matter = strings.TrimPrefix(matter+"; "+oneLine(it.Text), "; ")
			}
		}
		if matter == "" {
			matter = requirementOf + strings.ReplaceAll(string(v.Category), "_", " ")
		}
	}
	defect := v.Actual
	if v.Check != "" && v.Message == "" { // a check that is false says nothing more
		defect = ""
	}
	return x.messageFor(j, v, matter, defect, v.By == Program, matter+notMet)
}

// messageFor is the matter with the defect behind it, or otherwise where the defect
// holds sealed text, or a judge may have been made to say it. A program's words
// quote nothing but the bundle.
func (x *Exam) messageFor(j *Judgement, v *Verdict, matter, defect string, program bool, otherwise string) string {
	defect = withoutMatter(spaced(Line(defect)), matter)
	full := matter + ": " + defect
	switch {
	case defect == "",
		!program && (j.imitates || !bears(defect, j.bundle, j.items, x.Envelope.Task, j.domain.TaskBrief, matter)),
		x.guard.Reveals(j.domain.Domain+" "+v.ID, full, j.bundle.Texts()):
		return otherwise
	}
	return full
}

// withoutMatter takes the matter from the beginning of a defect that repeats it.
func withoutMatter(defect, matter string) string {
	head, rest, ok := strings.Cut(defect, ": ")
	if ok && strings.HasPrefix(strings.ToLower(matter), strings.ToLower(strings.TrimSpace(head))) {
		return rest
	}
	return defect
}

// bears tells whether a judge's sentence is about the task or the bundle: of its
// longer words a third stand there. Words in a cipher, or about something else,
// do not.
func bears(defect string, b *Bundle, items []Item, texts ...string) bool {
	known := map[string]bool{}
	add := func(text string) {
		for _, w := range fold.Words(text) {
			known[fold.Beginning(w, 5)] = true
		}
	}
	for _, it := range items {
		add(it.Text)
	}
	for _, text := range append(b.Texts(), texts...) {
		add(text)
	}
	all, shared := 0, 0
	for _, w := range fold.Words(defect) {
		r, _ := utf8.DecodeRuneInString(w)
		if fold.Stop(w) || utf8.RuneCountInString(w) < 4 && !fold.Unspaced(r) {
			continue
		}
		all++
		if known[fold.Beginning(w, 5)] {
			shared++
		}
	}
	return 3*shared >= all && all > 0
}

// Bounds on what a report repeats of a bundle, in bytes, and of the task, in characters.
const (
	maxActual  = 4000
	maxMessage = 2000
	maxTask    = 2000
)

func guardOf(e *Envelope) *guard.Guard {
	var criteria []guard.Criterion
	for i := range e.Criteria {
		c := &e.Criteria[i]
		for _, domain := range slices.Sorted(maps.Keys(c.Material)) {
			// What shadowd composes of the assignment is no secret.
			if m := c.Material[domain]; m.Kind == AskWritten {
				criteria = append(criteria, guard.Criterion{ID: domain + " " + c.ID, Sealed: []string{m.Assertion, m.Expected, m.Check}, Told: m.Basis})
			}
		}
	}
	return guard.New(criteria, e.public(), e.token(), e.Salt)
}

// Leaks reports whether text, which goes to the swarm, holds an assertion, an
// expectation, a check, the decoy's token or the salt. What the decomposition says,
// or what the reader of the text has written itself, is no secret.
func (x *Exam) Leaks(text string, written ...string) bool { return x.guard.Contains(text, written...) }

// token is what a bundle shows that has read the envelope.
func (e *Envelope) token() string { return strings.TrimPrefix(e.Decoy.Token, decoyPrefix) }

// Size is how many bytes the texts have that it holds. In memory they take some
// more.
func (x *Exam) Size() (bytes int64) {
	for _, s := range x.Envelope.public() {
		bytes += int64(len(s))
	}
	for i := range x.Envelope.Criteria {
		for _, m := range x.Envelope.Criteria[i].Material {
			bytes += int64(len(m.Assertion) + len(m.Expected) + len(m.Check) + len(m.Basis))
		}
	}
	return bytes
}

// public is what the envelope repeats of the decomposition.
func (e *Envelope) public() []string {
	texts := []string{e.RunID, e.Task, requestHead, notDelivered, notMet, notDone, unaccounted, figuresMatter, requirementOf}
	for _, r := range e.Requirements {
		texts = append(texts, r.Text)
	}
	for i := range e.Domains {
		d := &e.Domains[i]
		texts = append(texts, d.Domain, d.CommanderID)
		texts = append(texts, d.texts()...)
	}
	return texts
}
