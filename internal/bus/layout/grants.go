package layout

import (
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Grant is what a user beyond the wall may do.
type Grant struct {
	// Publish are the subjects of inputs, with wildcards.
	Publish []string
	// In and Out are the subjects that its durables on IN and OUT deliver.
	In, Out []string
	// Lookup are the streams of which it may get single messages.
	Lookup []string
}

// Grant is the whole of what a user beyond the wall may do. Nobody else's
// hardening requests are in a commander's, and no gap report is in its or the
// Nexus's.
func (l Subjects) Grant(u User) Grant {
	all := l.Wildcards
	switch u.Role {
	case RoleNexus:
		return Grant{
			Publish: all(shadow.DecompositionDone),
			In:      all(shadow.EnvelopeSealed),
			Out:     append(all(shadow.BundleQuarantined, shadow.RunScored), l.Subject(shadow.EventRejected, AuthorNexus, "*")),
		}
	case RoleCommander:
		return Grant{
			Publish: []string{l.Bundle("*", u.Commander), l.Fix("*", u.Commander)},
			Out:     []string{l.Subject(shadow.HardeningRequest, u.Commander, "*", "*", "*"), l.Subject(shadow.EventRejected, u.Commander, "*")},
		}
	case RoleConsensus:
		return Grant{Out: all(shadow.GapReport, shadow.BundleQuarantined, shadow.Attestation, shadow.RunScored)}
	case RoleAuditor:
		return Grant{
			In:     l.in(StorageConfig{}).Subjects,
			Out:    l.out(StorageConfig{}).Subjects,
			Lookup: []string{StreamIn, StreamOut},
		}
	case RoleAnonymous:
		return Grant{
			Publish: all(shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted),
			In:      all(shadow.EnvelopeSealed),
			Out:     slices.DeleteFunc(l.out(StorageConfig{}).Subjects, l.isClock),
			Lookup:  []string{StreamOut},
		}
	}
	return Grant{}
}

func (l Subjects) isClock(subject string) bool {
	return strings.HasPrefix(subject, l.Subject(shadow.Clock)+".")
}

// LiveSubjects are those of a grant that are copied as they are stored: what OUT
// says and, of IN, the commitments.
func (l Subjects) LiveSubjects(g Grant) []string {
	commitments := l.Wildcards(shadow.EnvelopeSealed)[0]
	var live []string
	if slices.Contains(g.In, commitments) {
		live = []string{commitments}
	}
	return append(live, slices.DeleteFunc(slices.Clone(g.Out), l.isClock)...)
}

// Live is what a subject's live copy is called within SHADOW.
func (l Subjects) Live(subject string) string {
	return LiveRoot + strings.TrimPrefix(subject, l.prefix())
}

// readers are the durables of users on a stream.
func (l Subjects) readers(stream string, users []User) []jetstream.ConsumerConfig {
	var all []jetstream.ConsumerConfig
	seen := map[string]bool{}
	for _, u := range users {
		filters := l.Grant(u).Out
		if stream == StreamIn {
			filters = l.Grant(u).In
		}
		if u.Inside() || len(filters) == 0 || seen[u.Durable()] {
			continue
		}
		seen[u.Durable()] = true
		c := durable(u.Durable(), "for reading by "+u.Account(), filters...)
		c.MaxAckPending = readerPending
		all = append(all, c)
	}
	return all
}

// readerPending is how many messages a reader may hold before it gets no more.
const readerPending = 1000
