package shadow

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
)

// Review is the data of report-reviewed: what a person says who has read the
// bundle that a final report is about. The report stays as it is; the review
// stands beside it, and of several the last one in the log counts.
type Review struct {
	RunID  string `json:"run_id" is:"id"`
	Domain string `json:"domain" is:"id"`
	By     string `json:"by" is:"id"` // the reviewer, as the subject has it
	// Cycle and ReportDigest, the [Digest] of the data of its event, name the report.
	Cycle        int           `json:"cycle" is:"max=10"`
	ReportDigest string        `json:"report_digest" is:"digest"`
	Verdict      ReviewVerdict `json:"verdict"`
	Found        []Reviewed    `json:"found,omitempty" is:"max=5050"`
	Because      string        `json:"because,omitempty" is:"max=4000"` // a verdict for the whole must have it
}

// Reviewed is what a person found of one item, or of one criterion that asks for
// no items.
type Reviewed struct {
	About   string    `json:"about" is:"min=1,max=200"` // the name of the item or the id of the criterion
	State   ItemState `json:"state" is:"of=found|missing"`
	Line    int       `json:"line,omitempty" is:"max=1048577"` // of the content that decides, from 1; 0: none
	Because string    `json:"because,omitempty" is:"max=4000"`
}

// ReviewVerdict is what a review says of a bundle.
type ReviewVerdict string

// The verdicts: the bundle is accepted or rejected as a whole, or the gate follows
// from what was found of its items.
const (
	ReviewAccept ReviewVerdict = "accept"
	ReviewReject ReviewVerdict = "reject"
	ReviewItems  ReviewVerdict = "items"
)

// ReviewVerdicts are all of them.
func ReviewVerdicts() []ReviewVerdict {
	return []ReviewVerdict{ReviewAccept, ReviewReject, ReviewItems}
}

// Rule lists the words, for the decoder.
func (ReviewVerdict) Rule() string { return wordRule(ReviewVerdicts()...) }

// validate holds the parts of a review against each other.
func (v *Review) validate() error {
	switch {
	case v.Verdict == ReviewItems && len(v.Found) == 0:
		return errors.New("/found: it is empty: name an item or a criterion, or give a verdict for the whole")
	case v.Verdict != ReviewItems && len(v.Found) > 0:
		return fmt.Errorf("/found: the verdict %s is for the whole: leave found out, or make the verdict %s", v.Verdict, ReviewItems)
	case v.Verdict != ReviewItems && strings.TrimSpace(v.Because) == "":
		return fmt.Errorf("/because: say why, in a sentence: a verdict for the whole needs a reason")
	}
	seen := map[string]bool{}
	for i, f := range v.Found {
		if seen[f.About] {
			return fmt.Errorf("/found/%d/about: %.80q is there twice: give each one verdict", i, f.About)
		}
		seen[f.About] = true
	}
	return nil
}

// ReviewedData is the data of run-reviewed: a review that shadowd has taken, and
// what the gate says with it.
type ReviewedData struct {
	RunID       string `json:"run_id" is:"id"`
	Domain      string `json:"domain" is:"id"`
	BundleID    string `json:"bundle_id" is:"id"`
	CommanderID string `json:"commander_id" is:"id"`
	Review      Review `json:"review"` // the event's data
	In          Place  `json:"in"`     // and its place
	// SignedBy is the public nkey of its signature, which it needs where there is a wall.
	SignedBy string   `json:"signed_by,omitempty"`
	Before   Standing `json:"before"` // what the report says
	After    Standing `json:"after"`  // what holds with the review
}

// Standing is where a bundle stands in the end.
type Standing struct {
	Gate        Action      `json:"gate" is:"of=proceed|warn|quarantine|reject"`
	Reason      string      `json:"reason" is:"min=1"`
	Enforced    bool        `json:"enforced"`
	ShadowScore json.Number `json:"shadow_score" is:"max=100"`
	Score       Score       `json:"score"`
	Verdict     Word        `json:"verdict"`
	Counts      ItemCounts  `json:"counts"`
}

func (s *Swarm) standing() Standing {
	return Standing{s.Gate.Action, s.Gate.Reason, s.Gate.Enforced, s.Score.Percent(), s.Score, s.Verdict, s.Counts}
}

// ReviewLine is a review in the line of its domain: who, what, and the gate that
// holds with it.
type ReviewLine struct {
	By       string        `json:"by" is:"id"`
	Verdict  ReviewVerdict `json:"verdict"`
	Gate     Action        `json:"gate" is:"of=proceed|warn|quarantine|reject"`
	Sequence uint64        `json:"sequence" is:"min=1"` // of the review in IN
}

// Line is the review in a few words.
func (d *ReviewedData) Line() ReviewLine {
	return ReviewLine{d.Review.By, d.Review.Verdict, d.After.Gate, d.In.Sequence}
}

// NoReport refuses a review of a report that is not there.
func NoReport(run string, v *Review) *Refusal {
	return Refuse(ReportUnknown, "run %q has no report of cycle %d of domain %q", run, v.Cycle, v.Domain)
}

// NotReviewer refuses a review that is signed by none of the keys of its reviewer, or is
// nil. Without keys they are not known.
func NotReviewer(d *ReviewedData, keys []string) *Refusal {
	if len(keys) == 0 || slices.Contains(keys, d.SignedBy) {
		return nil
	}
	return Refuse(NotSigned, "it is signed by %q, and the nkey of %s is %s", d.SignedBy, d.Review.By, strings.Join(keys, " or "))
}

// Review is what follows from a review of the report, whose data have the digest,
// or why it cannot be reviewed so.
func (r *Report) Review(p *Policy, digest string, v *Review, at Place, signedBy string) (*ReviewedData, *Refusal) {
	s := &r.Swarm
	switch {
	case v.ReportDigest != digest:
		return nil, Refuse(ReportUnknown, "the report of cycle %d of domain %q has digest %s, and the review names %s", v.Cycle, v.Domain, digest, v.ReportDigest)
	case !s.Final:
		return nil, Refuse(ReportNotFinal, "the report of cycle %d of domain %q is not final: a fix is awaited", v.Cycle, v.Domain)
	case signedBy == "" && p.WorkspaceIsolation == IsolationStrict:
		return nil, Refuse(NotSigned, "it has no signature, and the bus of this run has a wall")
	}
	after := *s
	if refused := after.review(p, v, r.Failures); refused != nil {
		return nil, refused
	}
	after.observe(p)
	return &ReviewedData{RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID,
		Review: *v, In: at, SignedBy: signedBy, Before: s.standing(), After: after.standing()}, nil
}

// review puts a review in the place of what the report says. The refusal is for what
// it names that the report does not have.
func (s *Swarm) review(p *Policy, v *Review, failures []Failure) *Refusal {
	switch {
	case v.Verdict == ReviewAccept:
		s.Gate = Gate{Action: Proceed, Reason: "accepted by " + v.By, Enforced: true}
		return nil
	case v.Verdict == ReviewReject:
		s.Gate = Gate{Action: Reject, Reason: "rejected by " + v.By, Enforced: true}
		return nil
	case s.SealBroken != "":
		return Refuse(ItemUnknown, "the seal is broken: nothing of the report counts, so give a verdict for the whole")
	}
	s.Items, s.Criteria = slices.Clone(s.Items), slices.Clone(s.Criteria)
	for _, f := range v.Found {
		if refused := s.put(f); refused != nil {
			return refused
		}
	}
	s.recount(failures)
	s.Gate, s.Verdict = s.gate(p), s.word()
	s.Gate.Reason += "; reviewed by " + v.By
	return nil
}

// put puts what a person found in the place of what was there.
func (s *Swarm) put(f Reviewed) *Refusal {
	if v := s.Item(f.About); v != nil {
		v.State = f.State
		return nil
	}
	switch c := s.Criterion(f.About); {
	case c == nil:
		return Refuse(ItemUnknown, "the report has no item and no criterion %.80q", f.About)
	case c.Kind == AskItems:
		return Refuse(ItemUnknown, "criterion %s asks for items: give the verdict on %s", f.About, c.About)
	case f.State == ItemFound:
		c.Outcome = Passed
	default:
		c.Outcome = Failed
	}
	return nil
}

// recount derives outcomes, counts and score from the items, as a judgement does.
func (s *Swarm) recount(failures []Failure) {
	empty := nothingDelivered(s.Items)
	s.Score.Failed, s.Score.Undecided = 0, 0
	for i := range s.Criteria {
		c := &s.Criteria[i]
		switch {
		case empty:
			c.Outcome = Failed
		case c.Kind == AskItems:
			c.Outcome = delivery(s.Items, c.ID)
		case c.Outcome == Failed && slices.ContainsFunc(failures, func(f Failure) bool { return f.TestName == c.ID && f.Actual == whyEmpty }):
			c.Outcome = s.unemptied(c)
		}
		switch c.Outcome {
		case Failed:
			s.Score.Failed++
		case Undecided:
			s.Score.Failed, s.Score.Undecided = s.Score.Failed+1, s.Score.Undecided+1
		}
	}
	s.Counts = CountItems(s.Items)
}

// unemptied is the outcome of a criterion that failed only for there was nothing, where
// a person has found something.
func (s *Swarm) unemptied(c *CriterionVerdict) Outcome {
	if b := BallotOn(s.Ballots, c.ID); b != nil && s.AcceptedCycle == s.Cycle {
		return b.Outcome
	} else if c.By == Program {
		return Passed
	}
	return Unread
}

// signatureVersion is that of what a reviewer signs: the data of the event.
const signatureVersion = "v1"

// SignReview signs the data of a review with the nkey of its reviewer. It returns
// what the event carries: the version, the public key and the signature in base64.
func SignReview(data []byte, key nkeys.KeyPair) (string, error) {
	public, err := key.PublicKey()
	if err != nil {
		return "", fmt.Errorf("signing a review: %w", err)
	}
	sig, err := key.Sign(data)
	if err != nil {
		return "", fmt.Errorf("signing a review: %w", err)
	}
	return signatureVersion + " " + public + " " + base64.StdEncoding.EncodeToString(sig), nil
}

// ReviewSigner is the public nkey that signed the data of a review, or empty where
// there is no signature. A signature that does not hold is a [*Refusal].
func ReviewSigner(data []byte, signature string) (string, error) {
	if signature == "" {
		return "", nil
	}
	part := strings.Split(signature, " ")
	if len(part) != 3 || part[0] != signatureVersion || !nkeys.IsValidPublicUserKey(part[1]) {
		return "", Refuse(NotSigned, "its signature is not \"v1\", a public nkey of a user and a signature in base64")
	}
	sig, err := base64.StdEncoding.DecodeString(part[2])
	if err == nil {
		var key nkeys.KeyPair
		if key, err = nkeys.FromPublicKey(part[1]); err == nil {
			err = key.Verify(data, sig)
		}
	}
	if err != nil {
		return "", Refuse(NotSigned, "its signature does not fit its data and the key %s", part[1])
	}
	return part[1], nil
}
