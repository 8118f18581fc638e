package shadow

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Envelope is a run's sealed criteria with all that is needed to judge by
// them. It is stored encrypted and read by shadowd and its operator only.
type Envelope struct {
	Version     int       `json:"version"`
	GeneratedAt time.Time `json:"generated_at"`
	Commitment            // what the log is told of it
	// Salt is 32 random bytes in hexadecimal, so that the commitment confirms no
	// guess. Control questions are drawn from it.
	Salt string `json:"salt"`
	// Authors are those who wrote at least one of the criteria.
	Authors []AuthorRef `json:"authors"`
	// Families are those of the day on which the run was sealed.
	Families Families `json:"families,omitempty"`
	// Ambiguity is nil where it cannot be told.
	Ambiguity *Ambiguity `json:"ambiguity,omitempty"`
	// Notes tell the operator what was out of the ordinary. They quote no criterion.
	Notes          []string      `json:"notes,omitempty"`
	Specifier      *Model        `json:"specifier,omitempty"`
	Task           string        `json:"task"`
	SpecTruncated  bool          `json:"specification_truncated,omitempty"`
	CheckerVersion string        `json:"checker_version"`
	Criteria       []Criterion   `json:"criteria"`
	Decoy          Decoy         `json:"decoy"`
	Domains        Domains       `json:"domains"`
	Requirements   []Requirement `json:"requirements,omitempty"`
}

// AuthorRef names an author of an envelope, or a judge.
type AuthorRef struct {
	Name string `json:"name" is:"min=1"`
	Model
	// Prompt is the SHA-256 of the prompt of a model, as Digest writes it;
	// empty where there are none, or none that are known.
	Prompt string `json:"prompt,omitempty" is:"digest"`
}

// Program names shadowd itself where it wrote a criterion or decided.
const Program = "shadowd"

// programRef is the author of what shadowd composes from the assignment.
var programRef = AuthorRef{Name: Program, Model: Model{Family: "rules"}}

// decoyPrefix begins a decoy's token; random hexadecimal digits follow.
const decoyPrefix = "zq-"

// Decoy is a criterion that no honest bundle meets: it asks for a random token.
// The author of a bundle with the token has read the envelope.
type Decoy struct {
	Assertion string `json:"assertion"`
	Token     string `json:"token"`
}

// Items lists what a domain was asked for; see [Decomposition.Items].
func (e *Envelope) Items(dom *Domain) []Item { return itemsOf(dom, e.Task, e.Requirements) }

// asked lists the criteria of a domain, in the order of their ids.
func (e *Envelope) asked(domain string) []Asked {
	var list []Asked
	for i := range e.Criteria {
		if m, ok := e.Criteria[i].Material[domain]; ok {
			list = append(list, Asked{e.Criteria[i].ID, &m})
		}
	}
	return list
}

// Counts is how many criteria each domain is asked, in the order of Domains.
func (e *Envelope) Counts() []int {
	counts := make([]int, len(e.Domains))
	for i := range e.Domains {
		counts[i] = len(e.asked(e.Domains[i].Domain))
	}
	return counts
}

// Commitment is the data of envelope-sealed: what binds shadowd to an
// envelope without showing a word of it.
type Commitment struct {
	RunID string `json:"run_id" is:"id"`
	// TaskHash recognises the same task in another run; see [Decomposition.TaskHash].
	TaskHash string `json:"task_hash" is:"digest"`
	// DecompositionDigest is the Digest of the very event that was sealed.
	DecompositionDigest string `json:"decomposition_digest" is:"digest"`
	// SealedHash is the SHA-256 of the RFC 8785 canonical JSON of all other fields
	// of the envelope.
	SealedHash string `json:"sealed_hash,omitzero" is:"required,digest"`
	// CriteriaByDomain is how many criteria each domain is asked, in the order
	// of the decomposition.
	CriteriaByDomain []int  `json:"criteria_by_domain" is:"min=1,max=500;min=1,max=50"`
	Policy           Policy `json:"policy"`
	// Unassigned are the ids of the requirements that nobody is asked for.
	Unassigned []string `json:"unassigned_requirements,omitempty" is:";min=1"`
	// Notices tell the publisher of the decomposition what nobody reads of it.
	Notices []string `json:"notices,omitempty"`
}

// Most is the largest number of criteria that a domain is asked.
func (c *Commitment) Most() int { return slices.Max(append([]int{0}, c.CriteriaByDomain...)) }

// Criteria is how many criteria a domain is asked, of those that the run has: the
// most that any is asked where that is not known.
func (c *Commitment) Criteria(domains Domains, name string) int {
	for i := range min(len(domains), len(c.CriteriaByDomain)) {
		if domains[i].Domain == name {
			return c.CriteriaByDomain[i]
		}
	}
	return c.Most()
}

// Verify holds the envelope against the commitment that stands in the log.
// A mismatch is ErrSealBroken.
func (e *Envelope) Verify(c *Commitment) error {
	hash, err := e.Hash()
	if err != nil {
		return err
	}
	switch {
	case hash != e.SealedHash:
		return fmt.Errorf("%w: the envelope hashes to %s but names %s", ErrSealBroken, hash, e.SealedHash)
	case hash != c.SealedHash:
		return fmt.Errorf("%w: the envelope hashes to %s but the commitment is %s", ErrSealBroken, hash, c.SealedHash)
	case !reflect.DeepEqual(e.Commitment, *c):
		return fmt.Errorf("%w: the commitment of %s does not describe the envelope", ErrSealBroken, hash)
	}
	return nil
}
