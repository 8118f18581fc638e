// Package layout is what shadowd has on a NATS server: the subjects, streams,
// buckets and durables, and which user may do what with them. It creates what is
// absent and checks what is there; it reads and writes no events.
package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Names on the bus. Everything that shadowd stores or reads is listed here;
// nothing else in the program spells a stream, a bucket, a durable or the
// first token of a subject.
const (
	// DefaultPrefix is the first token of every subject, unless the
	// configuration says otherwise.
	DefaultPrefix = "swarm"

	// StreamIn keeps what the swarm says, and shadowd's commitments among
	// it, in one order.
	StreamIn = "IN"
	// StreamOut keeps what shadowd says.
	StreamOut = "OUT"
	// BucketEnvelopes keeps the sealed envelopes, encrypted. Its keys are
	// run ids.
	BucketEnvelopes = "SHADOW_ENVELOPES"
	// BucketLease says which daemon is active, by prefix. It is kept in memory: a
	// lease is worth nothing after a few seconds.
	BucketLease = "SHADOW_LEASE"

	// AuthorNexus is the author of decompositions, whose subjects name no
	// author.
	AuthorNexus = "nexus"
	// authorUnknown is the author of an event whose subject has none that
	// could be a commander.
	authorUnknown = "unknown"
)

// shapes are the tokens that follow each name in a subject, such as
// swarm.bundle-complete.<run>.<commander>.
var shapes = map[string][]token{
	// In IN.
	shadow.DecompositionDone: {run},
	shadow.EnvelopeSealed:    {run},
	shadow.BundleComplete:    {run, commander},
	shadow.FixSubmitted:      {run, commander},
	shadow.ReportReviewed:    {run, domain, reviewer},
	shadow.Tick:              {opening},
	// In OUT.
	shadow.GapReport:         {run, domain, cycle},
	shadow.HardeningRequest:  {commander, run, domain, cycle},
	shadow.BundleQuarantined: {run, domain},
	shadow.DomainSettled:     {commander, run},
	shadow.RunScored:         {run},
	shadow.RunReviewed:       {run, domain, sequence},
	shadow.EventRejected:     {author, sequence},
	shadow.EnvelopeOpened:    {run, opening},
}

type token string

const (
	run       token = "run"
	commander token = "commander"
	domain    token = "domain"
	cycle     token = "cycle"
	author    token = "author"
	reviewer  token = "reviewer"
	sequence  token = "sequence"
	opening   token = "number"
)

// Subjects builds and reads the subjects behind one prefix. The zero value
// uses [DefaultPrefix].
type Subjects struct {
	// Prefix is one or more tokens of letters, digits, "-" and "_",
	// separated by dots, such as "swarm" or "acme.swarm".
	Prefix string
}

// Decomposition is the subject of a run's decomposition-done.
func (l Subjects) Decomposition(run string) string { return l.Subject(shadow.DecompositionDone, run) }

// Commitment is the subject of a run's envelope-sealed.
func (l Subjects) Commitment(run string) string { return l.Subject(shadow.EnvelopeSealed, run) }

// Bundle is the subject of a commander's bundle-complete.
func (l Subjects) Bundle(run, commander string) string {
	return l.Subject(shadow.BundleComplete, run, commander)
}

// Fix is the subject of a commander's fix-submitted.
func (l Subjects) Fix(run, commander string) string {
	return l.Subject(shadow.FixSubmitted, run, commander)
}

// GapReport is the subject of the one report on a domain in a cycle.
func (l Subjects) GapReport(run, domain string, cycle int) string {
	return l.Subject(shadow.GapReport, run, domain, strconv.Itoa(cycle))
}

// HardeningRequest is the subject of what a commander is asked to fix in a
// cycle. The commander comes first, so that one permission covers its own.
func (l Subjects) HardeningRequest(commander, run, domain string, cycle int) string {
	return l.Subject(shadow.HardeningRequest, commander, run, domain, strconv.Itoa(cycle))
}

// Quarantined is the subject of a domain's bundle-quarantined.
func (l Subjects) Quarantined(run, domain string) string {
	return l.Subject(shadow.BundleQuarantined, run, domain)
}

// Settled is the subject by which a commander learns that a run has ended.
func (l Subjects) Settled(commander, run string) string {
	return l.Subject(shadow.DomainSettled, commander, run)
}

// Review is the subject on which a reviewer says what a final report is worth.
func (l Subjects) Review(run, domain, reviewer string) string {
	return l.Subject(shadow.ReportReviewed, run, domain, reviewer)
}

// Reviewed is the subject of what follows from the review at a sequence of IN.
func (l Subjects) Reviewed(run, domain string, seq uint64) string {
	return l.Subject(shadow.RunReviewed, run, domain, strconv.FormatUint(seq, 10))
}

// RunScored is the subject of a run's run-scored.
func (l Subjects) RunScored(run string) string { return l.Subject(shadow.RunScored, run) }

// Rejected is the subject of the event-rejected for the event at a sequence
// of IN. An author that is not an id becomes [authorUnknown]: the server lets
// clients publish to subjects with wildcards in them, and such a token must
// not reach a subject of ours.
func (l Subjects) Rejected(author string, seq uint64) string {
	if !ValidID(author) {
		author = authorUnknown
	}
	return l.Subject(shadow.EventRejected, author, strconv.FormatUint(seq, 10))
}

// Opened is the subject of the n-th opening of a run's envelope.
func (l Subjects) Opened(run string, n int) string {
	return l.Subject(shadow.EnvelopeOpened, run, strconv.Itoa(n))
}

// Openings matches every opening of a run's envelope.
func (l Subjects) Openings(run string) string { return l.Subject(shadow.EnvelopeOpened, run, "*") }

// TickAt is the subject of a tick for what seemed due at a moment.
func (l Subjects) TickAt(due time.Time) string {
	return l.Subject(shadow.Tick, strconv.FormatInt(due.UnixMilli(), 10))
}

// RunOutputs are the wildcards that match all that OUT holds about a run,
// except its rejections and the traces of the operator.
func (l Subjects) RunOutputs(run string) (all []string) {
	for _, name := range []string{shadow.GapReport, shadow.HardeningRequest, shadow.BundleQuarantined, shadow.DomainSettled, shadow.RunScored, shadow.RunReviewed} {
		all = append(all, l.RunWildcard(name, run))
	}
	return all
}

func (l Subjects) prefix() string {
	if l.Prefix == "" {
		return DefaultPrefix
	}
	return l.Prefix
}

// Subject is the subject of these tokens behind the prefix.
func (l Subjects) Subject(tokens ...string) string {
	return l.prefix() + "." + strings.Join(tokens, ".")
}

// EventID is the id of the event on a subject: the subject without the prefix.
func (l Subjects) EventID(subject string) string { return strings.TrimPrefix(subject, l.prefix()+".") }

// RunWildcard matches the events of a name that are about one run, or about
// any where of is empty.
func (l Subjects) RunWildcard(name, of string) string {
	tokens := []string{name}
	for _, t := range shapes[name] {
		if t == run && of != "" {
			tokens = append(tokens, of)
		} else {
			tokens = append(tokens, "*")
		}
	}
	return l.Subject(tokens...)
}

// maxPrefix leaves room in a subject for the ids behind the prefix.
const maxPrefix = 64

// CheckPrefix refuses a prefix that would make subjects which the server or a
// permission reads differently than meant, or which others own: the replies of
// NATS clients begin with "_", and live copies with [LiveRoot].
func CheckPrefix(prefix string) error {
	tokens := strings.Split(prefix, ".")
	if slices.ContainsFunc(tokens, func(t string) bool { return !ValidID(t) || t[0] == '_' }) || tokens[0] == LiveRoot || len(prefix) > maxPrefix {
		return fmt.Errorf("%.40q is not a subject prefix: allowed are tokens of A-Z, a-z, 0-9, _ and - joined by dots, none beginning with _, the first not %s, together at most %d characters", prefix, LiveRoot, maxPrefix)
	}
	return nil
}

// ErrNotOurs is in the error of [Subjects.Parse] for a subject that is none of
// the protocol's.
var ErrNotOurs = errors.New("not a subject of the protocol")

// Parse reads a subject. Its error wraps [ErrNotOurs] and says which token is
// wrong; the address then holds what could be read, and always an Author.
func (l Subjects) Parse(subject string) (shadow.Address, error) {
	a := shadow.Address{Author: authorUnknown}
	rest, ok := strings.CutPrefix(subject, l.prefix()+".")
	if !ok {
		return a, fmt.Errorf("%w: %.60q does not begin with %q", ErrNotOurs, subject, l.prefix())
	}
	tokens := strings.Split(rest, ".")
	name, tokens := tokens[0], tokens[1:]
	shape, ok := shapes[name]
	if !ok {
		return a, fmt.Errorf("%w: %.60q is no event", ErrNotOurs, name)
	}
	a.Name = name
	if name == shadow.DecompositionDone {
		a.Author = AuthorNexus
	}
	if len(tokens) != len(shape) {
		return a, fmt.Errorf("%w: %s has %d tokens after its name, not %d", ErrNotOurs, name, len(shape), len(tokens))
	}
	var err error
	for i, kind := range shape {
		if !set(&a, kind, tokens[i]) && err == nil {
			err = fmt.Errorf("%w: %.60q cannot be the %s of %s: it has %d characters; %s", ErrNotOurs, tokens[i], kind, name, utf8.RuneCountInString(tokens[i]), kind.allowed())
		}
	}
	return a, err
}

// maxID is how long an id may be, and idForm says what may be one.
const (
	maxID  = 64
	idForm = "1 to 64 letters, digits, - and _"
)

// ErrRunName: what cannot be the name of a run.
var ErrRunName = hint.Usage(errors.New("names of runs are "+idForm), "shadowd runs lists the runs on the bus")

// allowed says what a token may be.
func (k token) allowed() string {
	switch k {
	case cycle, sequence, opening:
		return "it must be a number as shadowd writes it"
	}
	return "use " + idForm
}

// CheckRun returns ErrRunName unless name can be the name of a run.
func (l Subjects) CheckRun(name string) error {
	if _, err := l.Parse(l.RunScored(name)); err != nil {
		return fmt.Errorf("%.80q cannot be the name of a run: %w", name, ErrRunName)
	}
	return nil
}

// set takes in one token and says whether it is what kind asks for.
func set(a *shadow.Address, kind token, s string) (ok bool) {
	switch kind {
	case cycle:
		a.Cycle, ok = number(s)
	case sequence, opening:
		n, isNumber := number(s)
		a.Sequence, ok = uint64(n), isNumber
	default:
		if ok = ValidID(s); !ok {
			return false
		}
		switch kind {
		case run:
			a.Run = s
		case domain:
			a.Domain = s
		case commander:
			a.Commander, a.Author = s, s
		case author, reviewer:
			a.Author = s
		}
	}
	return ok
}

// number reads a decimal number the one way that shadowd writes it.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}

// ValidID says whether s is one to 64 letters, digits, "-" and "_".
func ValidID(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
