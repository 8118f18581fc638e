package shadow

// Outcome is a verdict's word.
type Outcome string

// The outcomes. Undecided counts as not passed and makes the report advisory.
// NotApplicable counts as passed: the bundle's domain was asked for nothing
// that the criterion is about.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"
	NotApplicable Outcome = "not_applicable"
	Undecided     Outcome = "undecided"
)

// Verdict is the judgement of one bundle by one criterion.
type Verdict struct {
	Criterion *Criterion
	Outcome   Outcome
	Expected  string // of a fail: what was asked for
	Actual    string // what was found instead; empty for a pass
	Message   string // what the commander is told; empty unless failed
	// Unread: it passed, but nobody read all items whose delivery it asks for.
	Unread bool
}

// Judgement is the judgement of one bundle by a whole envelope.
type Judgement struct {
	Verdicts []Verdict
	// Items are what was made of each item of the domain's assignment.
	Items []ItemVerdict
	// Ballots are those of a panel that count: first those on criteria, in the
	// order of Verdicts, then those on items, in the order of Items.
	Ballots []Ballot
	// Split and Unvoted are how many items a panel was asked about in vain: its
	// judges did not agree, or too few of them had a vote.
	Split, Unvoted int
	// SealBroken is the reason why the seal counts as broken, or empty.
	SealBroken string
}

// Score counts what was not passed. With a broken seal nothing was passed.
func (j *Judgement) Score() Score {
	s := Score{Total: len(j.Verdicts)}
	for i := range j.Verdicts {
		if o := j.Verdicts[i].Outcome; j.SealBroken != "" || o == Failed || o == Undecided {
			s.Failed++
		}
	}
	return s
}
