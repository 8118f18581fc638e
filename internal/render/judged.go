package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Item is an item of an assignment that was not found, in words that are fit to
// be shown.
type Item struct {
	Verdict reading.Verdict
	Text    string // "sub-task 2: Plan the retention of events"
	Where   string // "line 12, by rules, asked by sc-03"; may be empty
}

// Failed tells whether somebody is sure that the item was not delivered.
func (i Item) Failed() bool { return i.Verdict != reading.Unread }

// String is the item in one line, without its verdict.
func (i Item) String() string {
	if i.Where == "" {
		return i.Text
	}
	return i.Text + " (" + i.Where + ")"
}

// maxUnread is how many unread items are told with their texts: the others are
// only named.
const maxUnread = 5

// Items lists the items of a bundle that were not found: first all that are
// missing or declined, then the first ones that are unread. The last one names
// the rest of what is unread, such as "constraints 2 to 5".
func (s *Subject) Items() []Item { return s.items(whereText) }

func (s *Subject) items(where func(*shadow.ItemVerdict) string) (list []Item) {
	var unread []Item
	for i := range s.swarm().Items {
		v := &s.Swarm.Items[i]
		text := inert(shadow.Printable(v.ItemRef.String()) + ": " + clip.To(shadow.Printable(v.Text), maxQuoted))
		switch it := (Item{v.Verdict, text, where(v)}); v.Verdict {
		case reading.Found:
		case reading.Unread:
			unread = append(unread, it)
		default:
			list = append(list, it)
		}
	}
	if len(unread) > maxUnread+1 {
		unread = append(unread[:maxUnread], Item{reading.Unread, names(s.unreadRefs()[maxUnread:]), ""})
	}
	return append(list, unread...)
}

// unreadNames names all items that nobody read, such as "sub-tasks 1 to 3, 5;
// deliverable 2"; empty if all are read.
func (s *Subject) unreadNames() string { return names(s.unreadRefs()) }

// unreadOf says how many of a criterion's items are unread: "2 of 3 items unread".
func (s *Subject) unreadOf(id string) string {
	items, unread := 0, 0
	for i := range s.swarm().Items {
		if v := &s.Swarm.Items[i]; slices.Contains(v.Criteria, id) {
			if items++; v.Verdict == reading.Unread {
				unread++
			}
		}
	}
	return fmt.Sprintf("%d of %s unread", unread, shadow.Count(items, "item"))
}

func (s *Subject) unreadRefs() (refs []shadow.ItemRef) {
	for i := range s.swarm().Items {
		if v := &s.Swarm.Items[i]; v.Verdict == reading.Unread {
			refs = append(refs, v.ItemRef)
		}
	}
	return refs
}

// names joins the names of items, which are in their order: "sub-tasks 1 to 3,
// 5; deliverable 2".
func names(refs []shadow.ItemRef) string {
	var kinds []string
	for len(refs) > 0 {
		n := 1
		for n < len(refs) && refs[n].Kind == refs[0].Kind {
			n++
		}
		kind, _, _ := strings.Cut(refs[0].String(), " ")
		if n > 1 {
			kind += "s"
		}
		kinds = append(kinds, shadow.Printable(kind)+" "+numbers(refs[:n]))
		refs = refs[n:]
	}
	return strings.Join(kinds, "; ")
}

// numbers joins the numbers of items of one kind: "1 to 3, 5".
func numbers(refs []shadow.ItemRef) string {
	var out []string
	for len(refs) > 0 {
		n := 1
		for n < len(refs) && refs[n].Index == refs[0].Index+n {
			n++
		}
		if n < 3 {
			n = 1
		}
		text := fmt.Sprint(refs[0].Index + 1)
		if n > 1 {
			text += fmt.Sprintf(" to %d", refs[n-1].Index+1)
		}
		out, refs = append(out, text), refs[n:]
	}
	return strings.Join(out, ", ")
}

// whereText says on which line an item was decided, by whom, and which criteria
// ask for it.
func whereText(v *shadow.ItemVerdict) string {
	decided := decidedText(v)
	switch {
	case v.Verdict == reading.Unread || v.Verdict == reading.Found:
		return decided
	case len(v.Criteria) == 0:
		return decided + ", no criterion asks for it"
	}
	return decided + ", asked by " + joined(v.Criteria, ", ")
}

// decidedText says on which line an item was decided, and by whom.
func decidedText(v *shadow.ItemVerdict) string {
	var parts []string
	if v.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", v.Line))
	}
	switch by := shadow.Printable(v.By); {
	case v.Verdict != reading.Unread:
		parts = append(parts, "by "+by)
	case by != "rules":
		parts = append(parts, by+" could not settle it")
	}
	return strings.Join(parts, ", ")
}

// Ballot is what a panel of judges said to one criterion or one item, in words
// that are fit to be shown.
type Ballot struct {
	Head  string   // "sc-01: passed, 2 of 3 judges agree, 3 cast a vote"
	Votes []string // one a judge that was asked
}

// Ballots are those of a panel, where one was asked.
func (s *Subject) Ballots() (out []Ballot) {
	for i := range s.swarm().Ballots {
		b := &s.Swarm.Ballots[i]
		text := Ballot{Head: inert(s.about(b) + ": " + agreement(b))}
		for j := range b.Votes {
			text.Votes = append(text.Votes, inert(voteText(b, &b.Votes[j], maxQuoted)))
		}
		out = append(out, text)
	}
	return out
}

// about names what a ballot is about: a criterion, or an item with its text.
func (s *Subject) about(b *shadow.Ballot) string {
	if b.Item == nil {
		return shadow.Printable(b.TestName)
	}
	for i := range s.Swarm.Items {
		if it := &s.Swarm.Items[i]; it.ItemRef == *b.Item {
			return shadow.Printable(it.ItemRef.String() + " (" + clip.To(it.Text, maxQuoted) + ")")
		}
	}
	return shadow.Printable(b.Item.String())
}

// outcomeText says what a ballot or a vote says: an item is found or missing,
// where a criterion is passed or failed.
func outcomeText(b *shadow.Ballot, o shadow.Outcome) string {
	switch {
	case b.Item == nil:
	case o == shadow.Passed:
		return "found"
	case o == shadow.Failed:
		return "missing"
	}
	return shadow.Printable(string(o))
}

// agreement says in words how a ballot was decided.
func agreement(b *shadow.Ballot) string {
	switch {
	case b.Outcome == shadow.Undecided && b.Cast == 0:
		return "undecided: no judge had a vote"
	case b.Outcome == shadow.Undecided:
		return fmt.Sprintf("undecided, no majority of %s: %d cast a vote, %d agree", shadow.Count(b.Configured, "judge"), b.Cast, b.Agreed)
	}
	return fmt.Sprintf("%s, %d of %s agree, %d cast a vote", outcomeText(b, b.Outcome), b.Agreed, shadow.Count(b.Configured, "judge"), b.Cast)
}

// voteText says in one line what a judge says and why. What it quotes and finds
// is cut to so many characters; why there is no vote is whole.
func voteText(b *shadow.Ballot, v *shadow.Vote, limit int) string {
	cut := func(s string) string { return clip.To(s, limit) }
	what := outcomeText(b, v.Outcome)
	quote := cut(shadow.Printable(v.Quote))
	switch v.Outcome {
	case shadow.Passed:
		what += fmt.Sprintf(", for it says %q", quote)
	case shadow.Failed:
		what += ": " + cut(shadow.Printable(v.Actual))
		if quote != "" {
			what += fmt.Sprintf(" (it says %q)", quote)
		}
	case shadow.NotApplicable:
		what = "not applicable: " + cut(shadow.Printable(v.Why))
	default:
		what = "no vote: " + shadow.Printable(v.Why)
	}
	if v.Cached {
		what += " (known from before)"
	}
	return shadow.Printable(v.Judge) + ": " + what
}

// panel are the judges beside the rules, which stand first.
func (s *Subject) panel() []shadow.AuthorRef { return s.Swarm.Judges[min(1, len(s.Swarm.Judges)):] }

// JudgesTitle heads the ballots: who voted, and what that cost.
func (s *Subject) JudgesTitle() string {
	var names []string
	for _, j := range s.panel() {
		names = append(names, judgeText(&j))
	}
	did := " had no vote on"
	if slices.ContainsFunc(s.Swarm.Ballots, func(b shadow.Ballot) bool { return b.Cast > 0 }) {
		did = " read"
	}
	text := strings.Join(names, ", ") + did + " what the rules leave open"
	if c := s.Swarm.Cost; c != nil {
		text += ", at a cost of " + costText(c)
	}
	return text
}

// judgeText names a judge or an author with its model and family, none of them
// twice.
func judgeText(j *shadow.AuthorRef) string {
	of := slices.DeleteFunc([]string{j.Model.Model, j.Family}, func(s string) bool { return s == "" || s == j.Name })
	if len(of) == 0 {
		return shadow.Printable(j.Name)
	}
	return shadow.Printable(j.Name) + " (" + joined(of, ", ") + ")"
}

// costText says what votes took, such as "4 calls and 1740 tokens".
func costText(c *shadow.Cost) string {
	text := fmt.Sprintf("%s and %s", shadow.Count(c.Calls, "call"), shadow.Count(int(c.Tokens), "token"))
	if c.Cached > 0 {
		text += fmt.Sprintf(", with %s known from before", shadow.Count(c.Cached, "vote"))
	}
	return text
}

// Silent says of each judge that had no vote on a question how often, and for
// which reason mostly: "gpt had no vote on 3 of 8 questions: timeout".
func Silent(ballots []shadow.Ballot) (lines []string) {
	var judges []string
	asked, none, why := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for i := range ballots {
		for _, v := range ballots[i].Votes {
			if asked[v.Judge]++; asked[v.Judge] == 1 {
				judges, why[v.Judge] = append(judges, v.Judge), map[string]int{}
			}
			if v.Outcome == shadow.Undecided {
				none[v.Judge]++
				why[v.Judge][v.Why]++
			}
		}
	}
	for _, j := range judges {
		if none[j] == 0 {
			continue
		}
		reasons := slices.SortedFunc(maps.Keys(why[j]), func(a, b string) int { return cmp.Or(why[j][b]-why[j][a], strings.Compare(a, b)) })
		line := fmt.Sprintf("%s had no vote on %d of %s: %s", j, none[j], shadow.Count(asked[j], "question"), reasons[0])
		if more := len(reasons) - 1; more > 0 {
			line += fmt.Sprintf(" (and %s)", shadow.Count(more, "other reason"))
		}
		lines = append(lines, shadow.Printable(line))
	}
	return lines
}

// judgeLine is what one judge did for a report.
type judgeLine struct {
	Name, Model                         string
	Passed, Failed, NotApplicable, None int
	Calls                               int
	Tokens, Millis                      int64
}

// JudgeLines are the judges of a panel, with what they said and cost.
func (s *Subject) JudgeLines() (lines []judgeLine) {
	for _, j := range s.panel() {
		l := judgeLine{Name: j.Name, Model: j.Model.Model}
		for i := range s.Swarm.Ballots {
			for _, v := range s.Swarm.Ballots[i].Votes {
				if v.Judge == j.Name {
					l.add(&v)
				}
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func (l *judgeLine) add(v *shadow.Vote) {
	switch v.Outcome {
	case shadow.Passed:
		l.Passed++
	case shadow.Failed:
		l.Failed++
	case shadow.NotApplicable:
		l.NotApplicable++
	default:
		l.None++
	}
	l.Calls += v.Calls
	l.Tokens += v.Tokens
	l.Millis += v.Millis
}

// Seconds is how long the judge took, in seconds.
func (l judgeLine) Seconds() float64 { return float64(l.Millis) / 1000 }
