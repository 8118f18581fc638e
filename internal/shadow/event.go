package shadow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Names of the events. The CloudEvents type of an event is [Type] of its
// name, and the first token of its NATS subject (behind the prefix) is the
// name itself.
const (
	DecompositionDone = "decomposition-done"
	BundleComplete    = "bundle-complete"
	FixSubmitted      = "fix-submitted"
	ReportReviewed    = "report-reviewed"

	EnvelopeSealed    = "envelope-sealed"
	GapReport         = "gap-report"
	HardeningRequest  = "hardening-request"
	BundleQuarantined = "bundle-quarantined"
	DomainSettled     = "domain-settled"
	RunScored         = "run-scored"
	RunReviewed       = "run-reviewed"
	EventRejected     = "event-rejected"

	EnvelopeOpened = "envelope-opened"

	// Tick is what shadowd stores in IN behind a deadline.
	Tick = "tick"
)

// Type is the CloudEvents type of the event called name.
func Type(name string) string { return "dev.swarmspeed." + name + ".v1" }

// Decomposition is the data of decomposition-done: a task, split into domains
// of which each is given to one commander.
type Decomposition struct {
	RunID         string `json:"run_id" is:"id"`
	Scale         string `json:"scale,omitempty" is:"scale"`
	Task          string `json:"task" is:"text,max=65536"`
	Specification string `json:"specification,omitempty" is:"max=1048576"`
	// SpecificationTruncated says that Specification is not the whole text.
	// Criteria written from a part make every score of the run advisory.
	SpecificationTruncated bool          `json:"specification_truncated,omitempty"`
	Requirements           []Requirement `json:"requirements,omitempty" is:"max=2000"`
	Specifier              *Model        `json:"specifier,omitempty"`
	Domains                Domains       `json:"domains" is:"min=1,max=500"`
}

// Requirement is one numbered requirement of a decomposition.
type Requirement struct {
	ID   string `json:"id" is:"text,max=128"`
	Text string `json:"text" is:"text,max=65536"`
}

// Model names a language model and the family of models that it belongs to.
type Model struct {
	Model  string `json:"model,omitempty" is:"max=200"`
	Family string `json:"family,omitempty" is:"max=200"`
}

// Domain is one commander's share of a decomposition.
type Domain struct {
	Domain       string   `json:"domain" is:"id"`
	CommanderID  string   `json:"commander_id" is:"id"`
	TaskBrief    string   `json:"task_brief,omitempty" is:"max=65536"`
	SubTasks     []string `json:"sub_tasks,omitempty" is:"max=1000;max=16384"`
	Deliverables []string `json:"deliverables,omitempty" is:"max=1000;max=16384"`
	Constraints  []string `json:"constraints,omitempty" is:"max=1000;max=16384"`
	Implementer  *Model   `json:"implementer,omitempty"`
}

// Domains are those of a decomposition.
type Domains []Domain

// Find returns the domain called name, or nil.
func (ds Domains) Find(name string) *Domain {
	return find(ds, func(d *Domain) bool { return d.Domain == name })
}

// Submission is the data of bundle-complete (cycle 0) or of fix-submitted.
type Submission struct {
	RunID  string
	Cycle  int
	Bundle Bundle
}

// bundleComplete is the data of bundle-complete: run and bundle in one object.
type bundleComplete struct {
	RunID string `json:"run_id" is:"id"`
	Bundle
}

// fixSubmitted is the data of fix-submitted. It names the bundle twice; both must agree.
type fixSubmitted struct {
	RunID       string `json:"run_id" is:"id"`
	BundleID    string `json:"bundle_id" is:"id"`
	Domain      string `json:"domain" is:"id"`
	CommanderID string `json:"commander_id" is:"id"`
	Cycle       int    `json:"cycle" is:"min=1,max=1000000"`
	Bundle      Bundle `json:"bundle" must:"an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle"`
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

// Decode turns the JSON data of an event into its type: a *Decomposition, a
// *Submission or a *Review for an input, a pointer to what an output holds. It says
// which fields of an input nobody reads. The rules stand in the tags of the types, and
// schemas/NAME.json has the same for others. Its error is ErrUnknownType for an event
// that is none of the protocol's, else it tells the author what is wrong.
func Decode(name string, data []byte) (payload any, ignored []string, err error) {
	input := func(v any, validate func() error) error {
		if ignored, err = strict.Decode(strict.Input, data, v); err == nil {
			err = validate()
		}
		return err
	}
	switch name {
	case DecompositionDone:
		d := &Decomposition{}
		err = input(d, d.validate)
		return d, ignored, err
	case BundleComplete:
		var b bundleComplete
		err = input(&b, func() error { return b.checkDelivery("") })
		return &Submission{RunID: b.RunID, Bundle: b.Bundle}, ignored, err
	case FixSubmitted:
		var f fixSubmitted
		err = input(&f, f.validate)
		return &Submission{RunID: f.RunID, Cycle: f.Cycle, Bundle: f.Bundle}, ignored, err
	case ReportReviewed:
		v := &Review{}
		err = input(v, v.validate)
		return v, ignored, err
	}
	output, ok := outputs[name]
	if !ok {
		return nil, nil, fmt.Errorf("%w: %q", ErrUnknownType, name)
	}
	payload = output()
	_, err = strict.Decode(strict.Output, data, payload)
	return payload, nil, err
}

// Validate is [Decode] for those who ask for its error alone.
func Validate(name string, data []byte) error {
	_, _, err := Decode(name, data)
	return err
}

// outputs make what the data of an output are decoded into.
var outputs = map[string]func() any{
	EnvelopeSealed:    empty[Commitment],
	GapReport:         empty[Report],
	HardeningRequest:  empty[HardeningData],
	BundleQuarantined: empty[QuarantineData],
	RunScored:         empty[RunData],
	RunReviewed:       empty[ReviewedData],
	EventRejected:     empty[Rejection],
	DomainSettled:     empty[SettledData],
	Tick:              empty[TickData],
	EnvelopeOpened:    empty[OpeningData],
}

func empty[T any]() any { return new(T) }

// The forms of the texts in events.
var _ = strict.Forms(map[string]strict.Form{
	"id":        {Pattern: `^[A-Za-z0-9_-]{1,64}$`, Words: "a name of A-Z, a-z, 0-9, _ and -, at most 64"},
	"scale":     {Pattern: `^([Ss][Ss]-(50|100|250))?$`, Words: "one of ss-50, ss-100 and ss-250"},
	"digest":    {Pattern: `^sha256:[0-9a-f]{64}$`},
	"criterion": {Pattern: `^sc-[0-9]{2,}$`},
	"asking":    {Pattern: `^(sc-[0-9]{2,})?$`},
	"report":    {Pattern: `^[A-Za-z0-9_-]{1,64}/[A-Za-z0-9_-]{1,64}/[0-9]+$`},
	"level":     {Pattern: `^level [1-3]: .`},
	"currency":  {Pattern: `^[A-Z]{3}$`, Words: "the three letters of a currency"},
	"hardening": {Pattern: "^SHADOW HARDENING — Fix these issues:\n"},
})

// wordRule is the rule of a type that has some words.
func wordRule[S ~string](all ...S) string {
	list := make([]string, len(all))
	for i, w := range all {
		list[i] = string(w)
	}
	return "of=" + strings.Join(list, "|")
}

// validate holds the ids outside of the bundle against those in it.
func (f *fixSubmitted) validate() error {
	for _, p := range []struct{ field, outer, inner string }{
		{"bundle_id", f.BundleID, f.Bundle.BundleID},
		{"domain", f.Domain, f.Bundle.Domain},
		{"commander_id", f.CommanderID, f.Bundle.CommanderID},
	} {
		if p.outer != p.inner {
			return fmt.Errorf("/%s: is %q, but in bundle it is %q: send the same id in both", p.field, p.outer, p.inner)
		}
	}
	return f.Bundle.checkDelivery("/bundle")
}

// validate holds that every domain has a name of its own, and so has every
// requirement.
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

// Address is what the subject of a message says.
type Address struct {
	Name                   string // of the event
	Run, Commander, Domain string // as far as the subject has them
	Cycle                  int
	// Author is who may have written the event, from its subject: its commander or
	// reviewer, the Nexus for a decomposition, else unknown. In the subject of an
	// event-rejected it is the token.
	Author string
	// Sequence is that of the rejected event or of the review, in IN, or the number
	// of an opening or of a tick.
	Sequence uint64
}

// Source is whose events an event is one of.
func (a *Address) Source() Source {
	if a.Name == DecompositionDone {
		return Source{}
	}
	return Source{a.Commander, a.Name == FixSubmitted}
}

// SettledData is the data of domain-settled: a commander's run has ended. It has no
// verdict, and comes when the whole run ends: sooner it would say who passed.
type SettledData struct {
	RunID       string    `json:"run_id" is:"id"`
	CommanderID string    `json:"commander_id" is:"id"`
	Domains     []string  `json:"domains" is:"min=1;id"` // those of the commander
	EndedAt     time.Time `json:"ended_at"`
}

// TickData is the data of a tick: a moment of shadowd's clock, at which a deadline
// seemed due. What counts is when the tick was stored.
type TickData struct {
	Due time.Time `json:"due"`
}

// OpeningData is the data of envelope-opened: the operator is about to look into a
// sealed envelope. It is stored before that, so that no look goes without a trace.
type OpeningData struct {
	RunID string `json:"run_id" is:"id"`
	// Opening counts those of the run from 1: a gap shows that one was removed.
	Opening    int       `json:"opening" is:"min=1"`
	OpenedAt   time.Time `json:"opened_at"`
	By         string    `json:"by" is:"min=1,max=200"` // who, as the machine knows them; nobody vouches for it
	Finished   bool      `json:"finished"`              // the run was scored by then
	Forced     bool      `json:"forced"`                // it was opened although the run was not
	Reason     string    `json:"reason,omitempty" is:"max=1024"`
	SealedHash string    `json:"sealed_hash" is:"digest"` // that of the commitment
}
