package shadow

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/guard"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// Exam is a verified envelope, ready to judge. It is safe for concurrent use.
type Exam struct {
	Envelope *Envelope
	guard    *guard.Guard
}

// NewExam verifies an envelope against the commitment in the log.
func NewExam(e *Envelope, c *Commitment) (*Exam, error) {
	if err := e.Verify(c); err != nil {
		return nil, err
	}
	return e.Exam(), nil
}

// Exam is the exam of an envelope of [Seal], which needs no verification.
func (e *Envelope) Exam() *Exam {
	return &Exam{Envelope: e, guard: guardOf(e)}
}

// Evidence is a submission together with where it was stored.
type Evidence struct {
	Submission *Submission
	Raw        []byte // the event's data
	Digest     string // Digest(Raw)
	In         Place
	BeforeSeal bool       // it was stored before its run's commitment
	Unwalled   bool       // where it is judged, the wall is not known to hold
	Notices    []string   // what the author of the event should know of its data
	Panel      PanelVotes // what judges said to the exam's Questions; nobody was asked where it has none
}

// Verdict is the judgement of one bundle by one criterion.
type Verdict struct {
	Asked
	Outcome  Outcome
	By       string // who decided: judges, or shadowd
	Line     int    // of the content that decides, from 1; 0: none
	Expected string // of what is not passed: what was asked for
	Actual   string // what was found instead; empty for a pass
	Message  string // what the commander is told; empty unless failed
}

// Judgement is the judgement of one bundle by a whole envelope.
type Judgement struct {
	Verdicts   []Verdict
	Items      []ItemVerdict // of each item of the domain's assignment
	Notices    []string      // what the commander's account has wrong
	SealBroken string        // the reason why the seal counts as broken, or empty

	bundle   *Bundle
	content  *passage.Text
	domain   *Domain
	items    []Item
	imitates bool // the bundle holds masked tokens or hides text
}

// Score counts what was not passed. With a broken seal nothing was passed.
func (j *Judgement) Score() Score {
	s := Score{Total: len(j.Verdicts)}
	for i := range j.Verdicts {
		switch o := j.Verdicts[i].Outcome; {
		case j.SealBroken != "" || o == Failed:
			s.Failed++
		case o == Undecided:
			s.Failed, s.Undecided = s.Failed+1, s.Undecided+1
		}
	}
	return s
}

// begin reads a bundle as far as no judge is needed for it: the commander's
// account, the checks and the figures.
func (x *Exam) begin(ev *Evidence) *Judgement {
	b := &ev.Submission.Bundle
	dom := x.Envelope.Domains.Find(b.Domain)
	if dom == nil {
		dom = &Domain{Domain: b.Domain}
	}
	j := &Judgement{bundle: b, domain: dom, content: passage.New(b.Content), items: x.Envelope.Items(dom)}
	j.imitates = j.content.Imitates()
	for _, text := range b.Texts()[1:] {
		j.imitates = j.imitates || passage.New(text).Imitates()
	}
	j.Items, j.Notices = b.account(j.items, j.content)
	if why := tooLittle(b.Content, j.items); why != "" {
		for i := range j.Items {
			if v := &j.Items[i]; v.Kind.work() {
				v.State, v.By, v.Why, v.Line, v.Quote = ItemMissing, Program, why, 0, ""
			}
		}
	}
	in := CheckInput(b, dom)
	in.Text = check.Analyse(b.Content) // once for all criteria
	for _, c := range x.Envelope.asked(b.Domain) {
		j.Verdicts = append(j.Verdicts, x.checked(c, in))
	}
	if guard.JSONContainsToken(ev.Raw, x.Envelope.token()) {
		j.SealBroken = "the bundle carries the token of the decoy, which only a reader of the envelope can know"
	}
	return j
}

// checked judges by what programs decide of a criterion, and leaves the rest
// unread.
func (x *Exam) checked(c Asked, in check.Input) Verdict {
	v := Verdict{Asked: c, Outcome: Unread}
	switch {
	case c.Kind == AskFigures:
		v.By, v.Outcome = Program, Passed
		if found := in.Text.Defects(templateAsked(in)); len(found) > 0 {
			v.Outcome, v.Expected, v.Line = Failed, c.Expected, found[0].Line
			var said []string
			for _, f := range found {
				said = append(said, f.String())
			}
			v.Actual, v.Message = list(said, maxActual), list(said, maxMessage)
		}
	case c.Check != "":
		var r check.Result
		program, err := check.Compile(c.Check)
		if err == nil {
			r, err = program.Eval(in)
		}
		v.By = Program
		switch {
		case err != nil:
			v.Outcome, v.Expected, v.Actual = Undecided, c.Expected, "the check could not be evaluated: "+err.Error()
		case r.Passed:
			v.Outcome = Passed
		default:
			v.Outcome, v.Expected = Failed, c.Expected
			v.Message = list(r.Problems, maxMessage)
			if v.Actual = list(r.Problems, maxActual); v.Actual == "" {
				v.Actual = "the check is false"
			}
		}
	}
	return v
}

// Questions are those that are put to a panel: one on each item that no program has
// decided, one on each criterion that has no check, or none that could be evaluated,
// and control questions. A bundle that breaks the seal is not worth a question.
func (x *Exam) Questions(ev *Evidence, controls bool) []Question {
	j := x.begin(ev)
	if j.SealBroken != "" {
		return nil
	}
	ask := Question{
		RunID: ev.Submission.RunID, Cycle: ev.Submission.Cycle, BundleDigest: ev.Digest, Bundle: j.bundle, Content: j.content,
		Seed: x.seed(ev.Digest), Brief: j.domain.TaskBrief, Listed: j.items,
	}
	var qs []Question
	for i := range j.Items {
		if it := &j.Items[i]; it.State != ItemMissing {
			q := ask
			q.Item, q.Claim = &it.Item, it.Quote
			qs = append(qs, q)
		}
	}
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.Kind == AskWritten && (v.Outcome == Unread || v.Outcome == Undecided) {
			q := ask
			q.Criterion = &v.Asked
			qs = append(qs, q)
		}
	}
	if controls && len(qs) > 0 && len(j.items) > 0 {
		return withControls(qs, ask.Seed, j.items)
	}
	return qs
}

// ballots are those of a panel that count, in the order of items and criteria.
func (j *Judgement) ballots(p *PanelVotes) (counted []Ballot) {
	add := func(about string) {
		if b := BallotOn(p.Ballots, about); b != nil {
			counted = append(counted, *b)
		}
	}
	for i := range j.items {
		add(j.items[i].Name)
	}
	for i := range j.Verdicts {
		add(j.Verdicts[i].ID)
	}
	return counted
}

// Judge judges a bundle by its account, by programs, and by what ev tells of a panel.
// What was missing in the report of the cycle before stays so until it is found.
func (x *Exam) Judge(ev *Evidence, before *Report) *Judgement {
	j := x.begin(ev)
	j.settleItems(&ev.Panel)
	if before != nil {
		j.carry(before.Swarm.Items)
	}
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		switch {
		case v.Kind == AskItems:
			x.delivered(j, v)
		case v.Kind == AskWritten && (v.Outcome == Unread || v.Outcome == Undecided):
			x.settle(j, v, &ev.Panel)
		}
		if v.Outcome == Failed && v.Kind != AskItems {
			v.Message = x.message(j, v)
		}
	}
	x.failEmpty(j)
	return j
}

// settleItems puts what a panel decided in the place of the commander's account.
func (j *Judgement) settleItems(p *PanelVotes) {
	if len(p.Judges) == 0 {
		return
	}
	for i := range j.Items {
		v := &j.Items[i]
		if v.State == ItemMissing {
			continue
		}
		*v = ItemVerdict{Item: v.Item, State: ItemUndecided}
		var o Outcome
		o, v.By, v.Quote, v.Why = p.decision(v.Name)
		switch o {
		case Passed:
			v.State = ItemFound
		case Failed:
			v.State = ItemMissing
		}
		if at, ok := j.content.Find(v.Quote); ok {
			v.Line = at.Line
		}
	}
}

// carry keeps what judges found missing before until a judge finds it, or there is no
// majority: silence delivers nothing. A program can look again.
func (j *Judgement) carry(before []ItemVerdict) {
	for i := range j.Items {
		v := &j.Items[i]
		at := slices.IndexFunc(before, func(o ItemVerdict) bool { return o.Name == v.Name })
		if at < 0 {
			continue
		}
		was, keep := &before[at], false
		switch was.State {
		case ItemMissing:
			keep = was.By != Program && v.State != ItemFound && v.State != ItemMissing && v.State != ItemUndecided
		case ItemDeclared, ItemUnaccounted:
			keep = v.State == ItemUnread
		}
		if keep {
			v.State, v.By, v.Why, v.Line, v.Quote = was.State, was.By, was.Why, 0, ""
		}
	}
}

// delivered judges by a criterion of items: it fails for each item that is
// missing.
func (x *Exam) delivered(j *Judgement, v *Verdict) {
	var judges, expected, actual, told []string
	found := 0 // the line of the first item that was found
	for i := range j.Items {
		it := &j.Items[i]
		if !slices.Contains(v.Items, it.Name) {
			continue
		}
		it.Criterion = v.ID
		if it.By != "" {
			judges = appendNew(judges, it.By)
		}
		switch it.State {
		case ItemFound:
			if found == 0 {
				found = it.Line
			}
			continue
		case ItemMissing:
			it.Message = x.itemMessage(j, v, it)
			told = append(told, it.Message)
		case ItemUndecided:
		case ItemDeclared, ItemUnaccounted:
			it.Message = x.itemMessage(j, v, it)
			continue
		default:
			continue
		}
		expected = append(expected, oneLine(it.Text))
		actual = append(actual, it.Name+": "+it.Why)
		if v.Line == 0 {
			v.Line = it.Line
		}
	}
	if v.Outcome = delivery(j.Items, v.ID); v.Outcome == Passed {
		v.Line = found
	}
	v.By, v.Expected, v.Actual, v.Message = strings.Join(judges, ", "), list(expected, maxActual), list(actual, maxActual), list(told, maxMessage)
}

// delivery is the outcome of a criterion of items, of which the one that is worst
// decides.
func delivery(items []ItemVerdict, id string) Outcome {
	outcome := Passed
	for i := range items {
		it := &items[i]
		switch {
		case it.Criterion != id || it.State == ItemFound:
		case it.State == ItemMissing:
			return Failed
		case it.State == ItemUndecided:
			outcome = Undecided
		case outcome == Passed:
			outcome = Unread
		}
	}
	return outcome
}

// settle puts what a panel decided in the place of what no check has.
func (x *Exam) settle(j *Judgement, v *Verdict, p *PanelVotes) {
	if len(p.Judges) == 0 {
		return
	}
	var quote string
	v.Outcome, v.By, quote, v.Actual = p.decision(v.ID)
	if at, ok := j.content.Find(quote); ok {
		v.Line = at.Line
	}
	if v.Expected = ""; v.Outcome != Passed {
		v.Expected = v.Material.Expected
	}
}

// nothingDelivered: of the work none is found, and most is known to be missing.
func nothingDelivered(items []ItemVerdict) bool {
	work, missing := 0, 0
	for i := range items {
		switch it := &items[i]; {
		case !it.Kind.work():
		case it.State == ItemFound:
			return false
		case it.State == ItemMissing:
			work, missing = work+1, missing+1
		default:
			work++
		}
	}
	return missing*2 > work
}

// whyEmpty is why a criterion fails that nobody found to fail.
const whyEmpty = "most of the work is missing, and none of it was found"

// failEmpty fails everything in a bundle with nothing that the rest could hold of.
func (x *Exam) failEmpty(j *Judgement) {
	if !nothingDelivered(j.Items) {
		return
	}
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.Outcome != Failed {
			v.Outcome, v.Expected, v.Actual, v.Message = Failed, v.Material.Expected, whyEmpty, ""
		}
	}
}
