package shadow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// Names of the events. The CloudEvents type of an event is [Type] of its
// name, and the first token of its NATS subject (behind the prefix) is the
// name itself.
const (
	DecompositionDone = "decomposition-done"
	BundleComplete    = "bundle-complete"
	FixSubmitted      = "fix-submitted"

	EnvelopeSealed    = "envelope-sealed"
	GapReport         = "gap-report"
	HardeningRequest  = "hardening-request"
	BundleQuarantined = "bundle-quarantined"
	RunScored         = "run-scored"
	EventRejected     = "event-rejected"
	Attestation       = "attestation"

	EnvelopeOpened = "envelope-opened"
)

// Type is the CloudEvents type of the event called name.
func Type(name string) string { return "dev.swarmspeed." + name + ".v1" }

// Decomposition is the data of decomposition-done: a task, split into domains
// of which each is given to one commander.
type Decomposition struct {
	RunID string `json:"run_id"`
	// Scale is ss-50, ss-100 or ss-250 in any case; empty means the
	// configured default.
	Scale         string `json:"scale,omitempty"`
	Task          string `json:"task"`
	Specification string `json:"specification,omitempty"`
	// SpecificationTruncated says that Specification is not the whole text.
	// Criteria written from a part make every score of the run advisory.
	SpecificationTruncated bool          `json:"specification_truncated,omitempty"`
	Requirements           []Requirement `json:"requirements,omitempty"`
	Specifier              *Model        `json:"specifier,omitempty"`
	Domains                Domains       `json:"domains"`
}

// Requirement is one numbered requirement of a decomposition.
type Requirement struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Model names a language model and the family of models that it belongs to.
type Model struct {
	Model  string `json:"model,omitempty"`
	Family string `json:"family,omitempty"`
}

// Domain is one commander's share of a decomposition.
type Domain struct {
	Domain       string   `json:"domain"`
	CommanderID  string   `json:"commander_id"`
	TaskBrief    string   `json:"task_brief,omitempty"`
	SubTasks     []string `json:"sub_tasks,omitempty"`
	Deliverables []string `json:"deliverables,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Implementer  *Model   `json:"implementer,omitempty"`
}

// Domains are those of a decomposition.
type Domains []Domain

// Find returns the domain called name, or nil.
func (ds Domains) Find(name string) *Domain {
	for i := range ds {
		if ds[i].Domain == name {
			return &ds[i]
		}
	}
	return nil
}

// Submission is a bundle on its way to be judged: the data of
// bundle-complete (cycle 0) or of fix-submitted (cycle 1 and up).
type Submission struct {
	RunID  string
	Cycle  int
	Bundle Bundle
}

// bundleComplete is the data of bundle-complete: the run and the swarm's
// bundle, side by side in one object.
type bundleComplete struct {
	RunID string `json:"run_id"`
	Bundle
}

// fixSubmitted is the data of fix-submitted. It names the bundle twice,
// outside and in; the two must agree.
type fixSubmitted struct {
	RunID       string `json:"run_id"`
	BundleID    string `json:"bundle_id"`
	Domain      string `json:"domain"`
	CommanderID string `json:"commander_id"`
	Cycle       int    `json:"cycle"`
	Bundle      Bundle `json:"bundle"`
}

// Encode is the JSON of an event's data, as shadowd writes it. Letters like <
// stay readable: nobody embeds the bytes in HTML without escaping them.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding an event's data: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode turns the JSON data of an input event into a *Decomposition or a
// *Submission. The data must have passed the event's schema; Decode adds what
// a schema cannot say. Its error is ErrUnknownType for an event that is not
// an input, and otherwise says what is wrong with the data.
func Decode(name string, data []byte) (any, error) {
	switch name {
	case DecompositionDone:
		var d Decomposition
		if err := jsonv2.Unmarshal(data, &d); err != nil {
			return nil, err
		}
		return &d, d.validate()
	case BundleComplete:
		var b bundleComplete
		if err := jsonv2.Unmarshal(data, &b); err != nil {
			return nil, err
		}
		return &Submission{RunID: b.RunID, Bundle: b.Bundle}, b.checkDelivery()
	case FixSubmitted:
		var f fixSubmitted
		if err := jsonv2.Unmarshal(data, &f); err != nil {
			return nil, err
		}
		s := &Submission{RunID: f.RunID, Cycle: f.Cycle, Bundle: f.Bundle}
		for _, p := range []struct{ field, outer, inner string }{
			{"bundle_id", f.BundleID, f.Bundle.BundleID},
			{"domain", f.Domain, f.Bundle.Domain},
			{"commander_id", f.CommanderID, f.Bundle.CommanderID},
		} {
			if p.outer != p.inner {
				return nil, fmt.Errorf("%s is %q but bundle.%s is %q: send the same id in both", p.field, p.outer, p.field, p.inner)
			}
		}
		return s, f.Bundle.checkDelivery()
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownType, name)
}

// validate holds what the schema cannot: every domain has a name of its own,
// and so has every requirement.
func (d *Decomposition) validate() error {
	seen := map[string]bool{}
	for i, dom := range d.Domains {
		if seen[dom.Domain] {
			return fmt.Errorf("/domains/%d/domain: %q is there twice: each domain has one commander", i, dom.Domain)
		}
		seen[dom.Domain] = true
	}
	ids := map[string]bool{}
	for i, r := range d.Requirements {
		if ids[r.ID] {
			return fmt.Errorf("/requirements/%d/id: %q is there twice", i, r.ID)
		}
		ids[r.ID] = true
	}
	return nil
}

// Clock is the name of timers where events have their event name.
const Clock = "clock"

// Address is what the subject of a message says.
type Address struct {
	// Name is the event's name, or [Clock].
	Name string
	// The tokens, as far as the subject has them.
	Run, Commander, Domain string
	Cycle                  int
	// Author is who may have written the event, from its subject: its commander,
	// the Nexus for a decomposition, else unknown. In the subject of an
	// event-rejected it is the token.
	Author string
	// Sequence is that of the rejected event, in IN, or the number of an
	// opening.
	Sequence uint64
	// Fired tells a timer that has fired from one that waits.
	Fired bool
}

// Source is whose events an event is one of.
func (a *Address) Source() Source {
	if a.Name == DecompositionDone {
		return Source{}
	}
	return Source{a.Commander, a.Name == FixSubmitted}
}

// OpeningData is the data of envelope-opened: the operator is about to look
// into a sealed envelope. It is stored before the envelope is opened, so that
// no look goes without a trace.
type OpeningData struct {
	RunID string `json:"run_id"`
	// Opening counts the openings of the run from 1: a gap shows that one was
	// removed.
	Opening  int       `json:"opening"`
	OpenedAt time.Time `json:"opened_at"`
	// By is who, as the machine that opened it knows them. Nobody vouches for
	// it.
	By string `json:"by"`
	// Finished: the run was scored by then. Forced: it was opened although
	// the run was not.
	Finished   bool   `json:"finished"`
	Forced     bool   `json:"forced"`
	Reason     string `json:"reason,omitempty"`
	SealedHash string `json:"sealed_hash"` // that of the commitment
}
