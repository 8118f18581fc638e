package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Criterion is what became of one sealed criterion, without sealed text. Its words are untrusted.
type Criterion struct {
	*shadow.CriterionVerdict
	Who string // who decided; empty if nobody did
}

// Where says on which line it was decided, and by whom.
func (c Criterion) Where() string { return place(c.Line, c.Who) }

// String is what the criterion is about, and where it was decided, fit to be shown.
func (c Criterion) String() string { return inert(shadow.Printable(inBrackets(c.About, c.Where()))) }

// Criteria are those of a bundle, in the order of their ids; none where the seal is broken, since nothing was judged.
func (s *Subject) Criteria() (list []Criterion) {
	w := s.swarm()
	for i := range w.Criteria {
		c := Criterion{&w.Criteria[i], w.Criteria[i].By}
		if c.Outcome == shadow.Undecided {
			c.Who = ""
		}
		list = append(list, c)
	}
	return list
}

// FailedAs is the outcome of the test of a failure.
func (s *Subject) FailedAs(f shadow.Failure) shadow.Outcome {
	if c := s.swarm().Criterion(f.TestName); c != nil {
		return c.Outcome
	}
	return shadow.Failed
}

// Failures are those of which it is shown what was expected and found. Of a criterion of items its items say both.
func (s *Subject) Failures() (list []shadow.Failure) {
	for _, f := range s.Score.Failures {
		if c := s.swarm().Criterion(f.TestName); c == nil || c.Kind != shadow.AskItems || !s.explained(c.ID) {
			list = append(list, f)
		}
	}
	return list
}

// explained tells whether an item says why a criterion was not passed.
func (s *Subject) explained(id string) bool {
	return slices.ContainsFunc(s.Swarm.Items, func(v shadow.ItemVerdict) bool {
		return v.Criterion == id && (v.State == shadow.ItemMissing || v.State == shadow.ItemUndecided)
	})
}

// Item is an item of an assignment that was not found, in words that are fit to be shown.
type Item struct {
	State shadow.ItemState
	Text  string // "sub-task 2: Plan the retention of events"
	Where string // "line 12, by gpt, asked by sc-03"; may be empty
	Why   string // what is missing, or what the commander declares; may be empty
	No    int    // its place among the items of the report, from 1; 0 for several
}

// Failed tells whether the item is missing.
func (i Item) Failed() bool { return i.State == shadow.ItemMissing }

// String is the item in one line, without its state.
func (i Item) String() string {
	text := inBrackets(i.Text, i.Where)
	if i.Why != "" {
		text += ": " + i.Why
	}
	return text
}

// states are those of items that were not found, in the order in which they are listed.
var states = []shadow.ItemState{shadow.ItemMissing, shadow.ItemDeclared, shadow.ItemUnaccounted, shadow.ItemUndecided, shadow.ItemClaimed, shadow.ItemUnread}

// maxSame is how many items of one state, other than missing, are listed with their texts: the others are only named.
const maxSame = 5

// Items lists the items of a bundle that were not found, by their states.
func (s *Subject) Items() (list []Item) {
	for _, state := range states {
		var rest []string
		n := 0
		for i := range s.swarm().Items {
			v := &s.Swarm.Items[i]
			if stateOf(v) != state {
				continue
			}
			if n++; n > maxSame && state != shadow.ItemMissing {
				rest = append(rest, shadow.Printable(v.Name))
				continue
			}
			it := itemOf(v)
			it.No = i + 1
			list = append(list, it)
		}
		if len(rest) > 0 {
			list = append(list, Item{State: state, Text: clip.List(rest, 10, ", ")})
		}
	}
	return list
}

// stateOf is the state of an item: one that is not known is unread.
func stateOf(v *shadow.ItemVerdict) shadow.ItemState {
	if v.State == shadow.ItemFound || slices.Contains(states, v.State) {
		return v.State
	}
	return shadow.ItemUnread
}

func itemOf(v *shadow.ItemVerdict) Item {
	by := v.By
	if v.State == shadow.ItemUndecided {
		by = "" // nobody decided
	}
	where := place(v.Line, by)
	if v.Criterion != "" {
		where = strings.TrimPrefix(where+", asked by "+shadow.Printable(v.Criterion), ", ")
	}
	return Item{State: stateOf(v), Text: inert(shadow.Printable(v.Name) + ": " + clip.To(shadow.Printable(v.Text), maxQuoted)), Where: where, Why: passage(v.Why)}
}

// place says on which line something was decided, and by whom.
func place(line int, by string) string {
	var parts []string
	if line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", line))
	}
	if by != "" {
		parts = append(parts, "by "+shadow.Printable(by))
	}
	return strings.Join(parts, ", ")
}

func inBrackets(text, where string) string {
	if where == "" {
		return text
	}
	return text + " (" + where + ")"
}

// Ballot is what a panel of judges said to one criterion or one item, in words that are fit to be shown.
type Ballot struct {
	About     string // "sc-01", or "sub-task 2 (Plan the retention of events)"
	Agreement string // "passed, 2 of 3 judges agree, 3 cast a vote"
	Votes     []Said // one a judge that was asked
}

// Head is what the ballot is about, and its outcome.
func (b Ballot) Head() string { return inert(b.About + ": " + b.Agreement) }

// Said is what a judge answered. Why is what is amiss, or why there is no vote.
type Said struct {
	Judge, Outcome, Why, Quote string
}

// Ballots are those of a panel, where one was asked.
func (s *Subject) Ballots() (all []Ballot) {
	for i := range s.swarm().Ballots {
		all = append(all, *s.ballotOf(&s.Swarm.Ballots[i]))
	}
	return all
}

// Disputed are the ballots by which something failed or stayed undecided, and those on which judges do not agree.
func (s *Subject) Disputed() (all []Ballot) {
	for i := range s.swarm().Ballots {
		if b := &s.Swarm.Ballots[i]; b.Outcome != shadow.Passed || b.Agreed < len(b.Votes) {
			all = append(all, *s.ballotOf(b))
		}
	}
	return all
}

func (s *Subject) ballotOf(b *shadow.Ballot) *Ballot {
	it := s.swarm().Item(b.About)
	about := b.About
	if it != nil {
		about += " (" + clip.To(it.Text, maxQuoted) + ")"
	}
	shown := &Ballot{About: shadow.Printable(about), Agreement: agreement(b, it != nil)}
	for _, v := range b.Votes {
		said := Said{shadow.Printable(v.Judge), outcomeText(v.Outcome, it != nil), shadow.Line(v.Actual), shadow.Line(v.Quote)}
		if v.Outcome != shadow.Passed && v.Outcome != shadow.Failed {
			said.Outcome, said.Why, said.Quote = "no vote", shadow.Line(v.Why), ""
		}
		shown.Votes = append(shown.Votes, said)
	}
	return shown
}

// String is what the judge says in a line, cut where it quotes.
func (s Said) String() string {
	if s.Outcome != "no vote" {
		s.Why = clip.To(s.Why, maxQuoted)
	}
	s.Quote = clip.To(s.Quote, maxQuoted)
	return s.Whole()
}

// Whole is what the judge says in a line.
func (s Said) Whole() string {
	text := s.Judge + ": " + s.Outcome
	if s.Why != "" {
		text += ": " + s.Why
	}
	if s.Quote != "" {
		text += fmt.Sprintf(" (it says %q)", s.Quote)
	}
	return inert(text)
}

// outcomeText says what a ballot or a vote says: an item is found or missing, where a criterion is passed or failed.
func outcomeText(o shadow.Outcome, item bool) string {
	switch {
	case !item:
	case o == shadow.Passed:
		return string(shadow.ItemFound)
	case o == shadow.Failed:
		return string(shadow.ItemMissing)
	}
	return shadow.Printable(string(o))
}

// agreement says in words how a ballot was decided.
func agreement(b *shadow.Ballot, item bool) string {
	switch {
	case b.Outcome == shadow.Undecided && b.Cast == 0:
		return "undecided: no judge had a vote"
	case b.Outcome == shadow.Undecided:
		return fmt.Sprintf("undecided, no majority of %s: %d cast a vote, %d agree", shadow.Count(b.Configured, "judge"), b.Cast, b.Agreed)
	}
	return fmt.Sprintf("%s, %d of %s agree, %d cast a vote", outcomeText(b.Outcome, item), b.Agreed, shadow.Count(b.Configured, "judge"), b.Cast)
}

// JudgesText says who was asked, and what that cost; empty where nothing was judged.
func (s *Subject) JudgesText() string {
	w := s.swarm()
	switch {
	case w.SealBroken != "" || s.Swarm == nil:
		return ""
	case len(w.Judges) == 0:
		return "none is configured, so nobody reads the items"
	}
	var names []string
	for i := range w.Judges {
		names = append(names, judgeText(&w.Judges[i].AuthorRef))
	}
	text := strings.Join(names, ", ")
	if len(w.Ballots) > 0 && !slices.ContainsFunc(w.Ballots, func(b shadow.Ballot) bool { return b.Cast > 0 }) {
		text += " had no vote"
	}
	if w.Cost != nil {
		text += ", at a cost of " + costText(w.Cost)
	}
	if n := w.Controls.Calls; n > 0 {
		text += fmt.Sprintf(", of which control questions took %s", shadow.Count(n, "call"))
	}
	return text
}

// JudgeNotes say of each judge what is to be known before one believes it.
func (s *Subject) JudgeNotes() (notes []string) {
	w := s.swarm()
	live := slices.ContainsFunc(w.Judges, func(j shadow.JudgeRef) bool { return !j.Recorded })
	for i := range w.Judges {
		j := &w.Judges[i]
		add := func(text string) { notes = append(notes, inert(shadow.Printable(j.Name+": "+text))) }
		if j.Excluded != "" {
			add("no vote on this bundle, for " + j.Excluded)
		}
		if j.Doubt != "" {
			add("in doubt, though its votes count: " + j.Doubt)
		}
		if j.Recorded && live {
			add("its answers are read from a file")
		}
	}
	return notes
}

// judgeText names a judge or an author with its model and family, none of them twice.
func judgeText(j *shadow.AuthorRef) string {
	of := slices.DeleteFunc([]string{j.Model.Model, j.Family}, func(s string) bool { return s == "" || s == j.Name })
	if len(of) == 0 {
		return shadow.Printable(j.Name)
	}
	return shadow.Printable(j.Name) + " (" + joined(of, ", ") + ")"
}

// CostText says what the votes of all reports of a run took; empty where nobody was asked.
func (r *Run) CostText() string {
	var all shadow.Cost
	asked := false
	for _, reports := range r.Reports {
		for _, rep := range reports {
			// What a deadline made has the cost of the report before it.
			if c := rep.Swarm.Cost; c != nil && !rep.Swarm.Hardening.TimedOut {
				all.Sum(c)
				asked = true
			}
		}
	}
	if !asked {
		return ""
	}
	return costText(&all)
}

// costText says what votes took, such as "4 calls and 1740 tokens".
func costText(c *shadow.Cost) string {
	text := fmt.Sprintf("%s and %s", shadow.Count(c.Calls, "call"), shadow.Count(int(c.Tokens), "token"))
	if money := c.Money(); money != "" {
		text += ", " + money
	}
	return text
}

// Silent says of each judge that had no vote on a question how often, and why the last
// time: "gpt had no vote on 3 of 8 questions: timeout".
func Silent(ballots []shadow.Ballot) (lines []string) {
	asked, none, why := map[string]int{}, map[string]int{}, map[string]string{}
	for i := range ballots {
		for _, v := range ballots[i].Votes {
			if asked[v.Judge]++; v.Outcome == shadow.Undecided {
				none[v.Judge]++
				why[v.Judge] = v.Why
			}
		}
	}
	for _, judge := range slices.Sorted(maps.Keys(none)) {
		lines = append(lines, shadow.Printable(fmt.Sprintf("%s had no vote on %d of %s: %s", judge, none[judge], shadow.Count(asked[judge], "question"), why[judge])))
	}
	return lines
}
