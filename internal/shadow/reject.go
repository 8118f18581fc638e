package shadow

import (
	"fmt"
	"maps"
	"slices"
)

// Reason says why an event was rejected.
type Reason string

// The reasons of event-rejected.
const (
	NotAnEvent     Reason = "not_a_cloudevent"    // nor one that shadowd takes in
	InvalidData    Reason = "invalid_data"        // the data breaks its schema
	IDMismatch     Reason = "id_mismatch"         // the subject names other ids than the data
	TooLarge       Reason = "too_large"           //
	OtherContent   Reason = "run_already_sealed"  // a second decomposition with other content
	CannotSeal     Reason = "cannot_seal"         // no envelope can be written for the decomposition
	RunUnknown     Reason = "run_unknown"         // no decomposition came in time
	RunRejected    Reason = "run_rejected"        // the run's decomposition was rejected
	NotYourDomain  Reason = "not_your_domain"     // the decomposition gives it to another commander, or to none
	SlotTaken      Reason = "slot_taken"          // another bundle of the domain was accepted before
	FixNotAsked    Reason = "fix_not_asked"       // no hardening request asks for it
	FixTaken       Reason = "fix_taken"           // another fix of this cycle was accepted before
	FixOtherBundle Reason = "fix_of_other_bundle" // its bundle_id is not the one that was judged
	Late           Reason = "late"                // stored after its deadline
	ReportUnknown  Reason = "report_unknown"      // a review of a report that is not there, or is another
	ReportNotFinal Reason = "report_not_final"    // a review of a report after which a fix may come
	ItemUnknown    Reason = "item_unknown"        // a review of what the report does not have
	NotSigned      Reason = "not_signed"          // a review without the signature that it needs, or with a wrong one
	CannotProcess  Reason = "cannot_process"      // shadowd fails on it, again and again
	TooManyWaiting Reason = "too_many_waiting"    // the run's limit of waiting events is reached
)

// hints say what the author can do about a reason.
var hints = map[Reason]string{
	NotAnEvent:     "publish a CloudEvent 1.0 of a type in the schemas folder, structured or binary, with JSON data",
	InvalidData:    "correct the data and publish the event again",
	IDMismatch:     "publish on the subject of the ids in the data: they must be equal, and have 1 to 64 letters, digits, - and _",
	TooLarge:       "shorten the bundle's content and publish the event again",
	OtherContent:   "a run is sealed once: start a new run with another run_id",
	CannotSeal:     "correct the decomposition and publish it again, then the bundles",
	RunUnknown:     "publish the run's decomposition first, then this event again",
	RunRejected:    "once a corrected decomposition is sealed, publish this event again",
	NotYourDomain:  "submit only domains that the run's decomposition gives to this commander",
	SlotTaken:      "a domain is judged once: answer its hardening request with fix-submitted, if there is one",
	FixNotAsked:    "send a fix only in answer to a hardening request, with its cycle",
	FixTaken:       "one fix per cycle: wait for the next hardening request, if there is one",
	FixOtherBundle: "repeat the bundle_id of the bundle that the hardening request names",
	Late:           "nothing to do: the deadline has passed and what stood before it counts",
	ReportUnknown:  "read the domain's last report again, and review that one",
	ReportNotFinal: "review the domain's final report, once it is there",
	ItemUnknown:    "name items and criteria as the report has them, or give a verdict for the whole",
	NotSigned:      "publish the review with shadowd review, which signs it with the nkey of its reviewer",
	CannotProcess:  "nothing: it is a defect of shadowd, whose log has more; the operator should know",
	TooManyWaiting: "publish it again once the run is sealed",
}

// Refusal is why an event is rejected. Any step can end with it as its error.
type Refusal struct {
	Reason  Reason
	Message string
	Limit   int // that was reached, in its unit; 0 for other reasons
}

func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Message }

// Refuse makes a refusal.
func Refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Rejection is the data of event-rejected.
type Rejection struct {
	Reason  Reason `json:"reason"`
	Message string `json:"message" is:"min=1"`
	// Limit is the number that the event went beyond: bytes or events.
	Limit    int    `json:"limit,omitempty"`
	Resubmit string `json:"resubmit" is:"min=1"` // what the author can do
	// Subject, Stream and In are the place of the original.
	Subject string `json:"subject" is:"min=1"`
	Stream  string `json:"stream" is:"min=1"`
	In      Place  `json:"in"`
	EventID string `json:"event_id,omitempty"` // the CloudEvents id of the original
	RunID   string `json:"run_id,omitempty" is:"id"`
}

// Hint says what the author of a rejected event can do.
func (r Reason) Hint() string { return hints[r] }

// Rule lists the words, for the decoder.
func (Reason) Rule() string { return wordRule(Reasons()...) }

// Reasons lists all reasons, in alphabetical order.
func Reasons() []Reason { return slices.Sorted(maps.Keys(hints)) }
