package shadow

import "time"

// Envelope is a run's sealed criteria with all that is needed to judge by
// them. It is stored encrypted and read by shadowd and its operator only.
type Envelope struct {
	Version     int       `json:"version"`
	RunID       string    `json:"run_id"`
	GeneratedAt time.Time `json:"generated_at"`
	// TaskHash recognises the same task in another run: the canonical hash
	// of the decomposition without its run_id, unsalted.
	TaskHash string `json:"task_hash"`
	// DecompositionDigest is the Digest of the very event that was sealed.
	DecompositionDigest string `json:"decomposition_digest"`
	// Salt is 32 random bytes in hexadecimal, so that a guessed criterion
	// cannot be confirmed from the commitment.
	Salt string `json:"salt"`
	// Authors are those who wrote at least one of the criteria.
	Authors []AuthorRef `json:"authors"`
	// Families say which models are of one family. They stand here so that a
	// bundle that names another model is judged by what held when the run was
	// sealed. Specifier, authors and implementers have theirs stated already.
	Families Families `json:"families,omitempty"`
	// Ambiguity is how far several authors contradict each other; nil where
	// that cannot be told.
	Ambiguity *Ambiguity `json:"ambiguity,omitempty"`
	// Notes tell the operator what was out of the ordinary when the run was
	// sealed. They quote no criterion.
	Notes []string `json:"notes,omitempty"`
	// Notices tell the publisher of the decomposition what nobody reads of it,
	// and what it gives criteria too little to ask for. They follow from the
	// decomposition, and tell nothing that its publisher could not find out.
	Notices        []string    `json:"notices,omitempty"`
	Specifier      *Model      `json:"specifier,omitempty"`
	Task           string      `json:"task"`
	SpecTruncated  bool        `json:"specification_truncated,omitempty"`
	Policy         Policy      `json:"policy"`
	CheckerVersion string      `json:"checker_version"`
	CriteriaCount  int         `json:"criteria_count"`
	Criteria       []Criterion `json:"criteria"`
	Decoy          Decoy       `json:"decoy"`
	// Domains and Requirements are what is read of the decomposition when
	// bundles are judged.
	Domains      Domains       `json:"domains"`
	Requirements []Requirement `json:"requirements,omitempty"`
	// SealedHash is the SHA-256 of the RFC 8785 canonical JSON of all other
	// fields, as "sha256:" and 64 hexadecimal digits.
	SealedHash string `json:"sealed_hash,omitempty"`
}

// AuthorRef names an author of an envelope, or a judge.
type AuthorRef struct {
	Name string `json:"name"`
	Model
	// Prompt is the SHA-256 of the prompt of a model, as Digest writes it;
	// empty where there are none, or none that are known.
	Prompt string `json:"prompt,omitempty"`
}

// decoyPrefix begins a decoy's token; random hexadecimal digits follow.
const decoyPrefix = "zq-"

// Decoy is a criterion that no honest bundle meets: it asks for a random token.
// The author of a bundle with the token has read the envelope.
type Decoy struct {
	Assertion string `json:"assertion"`
	Token     string `json:"token"`
}
