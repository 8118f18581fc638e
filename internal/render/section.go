package render

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// section is a subject on a page.
type section struct {
	*Subject
	No    int // from 1; anchors are numbered, since names are untrusted
	Title string
	run   *Run // nil where no run is shown
}

// Withheld tells whether sealed text is left out, since the run is under way.
func (s section) Withheld() bool { return s.run != nil && s.run.Withheld }

func (s section) Level() string                 { return s.level() }
func (s section) ScoreText() string             { return s.score() }
func (s section) Read() string                  { return s.read() }
func (s section) Share() string                 { return s.share() }
func (s section) Todo() string                  { return sentence(capital(s.todo())) }
func (s section) Spared() string                { return sentence(s.spared()) }
func (s section) Gate() string                  { return s.gate() }
func (s section) Cycle() string                 { return sentence(capital("cycle " + cycleText(s.Subject))) }
func (s section) Provenance() []Fact            { return Provenance(s.Subject) }
func (s section) Kept(c shadow.Cycle) string    { return keptText(s.Swarm, c) }
func (s section) Categories() []shadow.Category { return Categories(s.Score.Coverage) }
func (s section) IsUnread() bool                { return s.unread() }

// Stated says whose word the numbers of open tests are.
func (s section) Stated() string { return s.stated() }

// Before is the score of the first submission, where there was another one.
func (s section) Before() string {
	if !s.Hardened() {
		return ""
	}
	return s.Swarm.Cycles[0].Score.Percent().String()
}

// PercentRead is the share of the items that was read, in percent.
func (s section) PercentRead() int {
	if s.Swarm == nil || s.Swarm.Read.Items == 0 {
		return 0
	}
	return s.Swarm.Read.Read * 100 / s.Swarm.Read.Items
}

// Tampering tells where the bundle addresses its judge.
func (s section) Tampering() string { return sentence(capital(s.tampering())) }

// Items are those of the assignment that were not found, and Others
// what else is unread.
func (s section) Items() []Item {
	list, _ := s.items()
	return list
}

// Others names the unread items that are not listed.
func (s section) Others() string {
	_, others := s.items()
	return others
}

// Ballots are what judges said, and Judges who they are.
func (s section) Ballots() []Ballot { return s.ballots() }
func (s section) Judges() string    { return sentence(s.judgesTitle()) }

// Found is what a failure found.
func (s section) Found(f shadow.Failure) string { return strings.Join(found(&f), "\n") }

// ShowsHardening tells whether there is anything to say about fixes.
func (s section) ShowsHardening() bool { return s.hardened() }

// HardenedText says what the fixes brought.
func (s section) HardenedText() string { return sentence(capital(hardenedText(s.Score.Hardening))) }

// Hardened tells whether there were fixes to compare.
func (s section) Hardened() bool {
	return s.Swarm != nil && s.Score.Hardening != nil && s.Score.Hardening.CyclesCompleted > 0
}

// Told are the hardening requests that the commander got.
func (s section) Told() (list []*shadow.HardeningData) {
	for _, a := range s.Attempts {
		if a.Told != nil {
			list = append(list, a.Told)
		}
	}
	return list
}

// JudgeLine is what one judge did for a report.
type JudgeLine struct {
	Name, Model          string
	Passed, Failed, None int
	Calls                int
	Tokens, Millis       int64
}

// JudgeLines are the judges of a panel, with what they said and cost.
func (s section) JudgeLines() []JudgeLine {
	if s.Swarm == nil || len(s.Swarm.Judges) < 2 || len(s.Swarm.Ballots) == 0 {
		return nil
	}
	var lines []JudgeLine
	for _, j := range s.Swarm.Judges[1:] {
		l := JudgeLine{Name: j.Name, Model: j.Model.Model}
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

func (l *JudgeLine) add(v *shadow.Vote) {
	switch v.Outcome {
	case shadow.Passed:
		l.Passed++
	case shadow.Failed:
		l.Failed++
	default:
		l.None++
	}
	l.Calls += v.Calls
	l.Tokens += v.Tokens
	l.Millis += v.Millis
}

// Seconds is how long the judge took, in seconds.
func (l JudgeLine) Seconds() float64 { return float64(l.Millis) / 1000 }
