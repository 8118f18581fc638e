package layout

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Role says what a user of the bus is for, and so what it may do.
type Role string

// The roles. Each but the first two gets an account of its own, without
// JetStream, into which exactly the subjects of its grant are imported.
const (
	// RoleShadowd is shadowd itself: everything within the account SHADOW.
	RoleShadowd Role = "shadowd"
	// RoleOperator is whoever runs shadowd; it is trusted with the same.
	RoleOperator Role = "operator"
	// RoleNexus decomposes, and hears of seals, quarantines and scores.
	RoleNexus Role = "nexus"
	// RoleCommander hands in bundles and fixes under one commander id, and
	// reads what is said to that commander.
	RoleCommander Role = "commander"
	// RoleConsensus reads reports.
	RoleConsensus Role = "consensus"
	// RoleReviewer reads what consensus reads and, message by message, all of IN and
	// OUT, and says under its own name what final reports are worth.
	RoleReviewer Role = "reviewer"
	// RoleAuditor reads all of IN and OUT.
	RoleAuditor Role = "auditor"
	// RoleAnonymous is whoever connects without credentials in development
	// mode: every input, every output, nothing else.
	RoleAnonymous Role = "anonymous"
)

// The account that everything secret lives in, and what its API is called
// where parts of it are imported: in every account $JS.API is taken.
const (
	AccountShadow = "SHADOW"
	// APIPrefix is the prefix that a client beyond the wall gives to
	// jetstream.NewWithAPIPrefix.
	APIPrefix = "SHADOW.API"
	// LiveRoot begins the subjects of live copies within SHADOW.
	LiveRoot = "live"
)

// Described is the subject within SHADOW on which shadowd says what a stream is to
// those who may not ask the server.
func Described(stream string) string { return "shadowd.stream." + stream }

// User is somebody who may connect.
type User struct {
	// Name is an id.
	Name string
	Role Role
	// Commander is the commander id of a commander, and empty for others.
	Commander string
	// NKey is the public key (U…) of a user with an nkey; PasswordHash the
	// bcrypt hash of the password of one without.
	NKey, PasswordHash string
}

// InboxPrefix is what the user's client takes in place of _INBOX. Anonymous
// clients leave it at that.
func (u User) InboxPrefix() string {
	if u.Role == RoleAnonymous {
		return "_INBOX"
	}
	return "_INBOX_" + u.Name
}

// roles say what the users of each role have: an account of all of them or, with
// own, one each by the name or the commander.
var roles = map[Role]struct {
	account string
	own     bool
}{
	RoleShadowd:   {account: AccountShadow},
	RoleOperator:  {account: AccountShadow},
	RoleNexus:     {account: "NEXUS"},
	RoleCommander: {account: "SWARM", own: true},
	RoleConsensus: {account: "CONSENSUS", own: true},
	RoleReviewer:  {account: "REVIEW", own: true},
	RoleAuditor:   {account: "AUDIT", own: true},
	RoleAnonymous: {account: "DEVELOPMENT"},
}

// Inside tells the users of the account SHADOW from those beyond the wall.
func (u User) Inside() bool { return u.Account() == AccountShadow }

// Account is the account of the user. Users of one commander share one, as the
// users of the Nexus do; nobody else shares. A publisher chooses the subject
// of the reply to it, so whoever shares an account could be sent something in
// shadowd's name.
func (u User) Account() string { return u.named(roles[u.Role].account, "_") }

// named puts what a user has of its own behind the name of what its role has.
func (u User) named(name, between string) string {
	if roles[u.Role].own {
		name += between + u.own()
	}
	return name
}

// Durable is the name of the consumers that a user beyond the wall reads with.
// It is empty for those inside.
func (u User) Durable() string {
	if u.Inside() {
		return ""
	}
	return u.named(string(u.Role), "-")
}

// own is the user's commander, or its name without the role, if it begins with
// that.
func (u User) own() string {
	return cmp.Or(u.Commander, strings.TrimPrefix(u.Name, string(u.Role)+"-"))
}

// Reviewer is the name under which a reviewer publishes, empty for others.
func (u User) Reviewer() string {
	if u.Role != RoleReviewer {
		return ""
	}
	return u.own()
}

// CheckUsers refuses users that the wall could not tell apart, or that would
// be let in by mistake.
func CheckUsers(users []User) error {
	names, keys, accounts, authors := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]Role{}
	for _, u := range users {
		if err := u.check(); err != nil {
			return fmt.Errorf("user %.60q: %w", u.Name, err)
		}
		author := cmp.Or(u.Commander, u.Reviewer()) // rejections are kept by author
		switch {
		case names[u.Name]:
			return fmt.Errorf("user %s is there twice: give each its own name", u.Name)
		case u.NKey != "" && keys[u.NKey]:
			return fmt.Errorf("user %s has the nkey of another one: create a key for each", u.Name)
		case authors[author] != "" && authors[author] != u.Role:
			return fmt.Errorf("user %s has the name of a %s, %s, and would read what that one is told: choose another", u.Name, authors[author], author)
		case (u.Role == RoleConsensus || u.Role == RoleAuditor || u.Role == RoleReviewer) && accounts[u.Account()]:
			return fmt.Errorf("user %s would read with the consumer of another one, %s: choose another name", u.Name, u.Durable())
		case u.Role == RoleAnonymous && slices.ContainsFunc(users, func(o User) bool { return !o.Inside() && o.Role != RoleAnonymous }):
			return errors.New("an anonymous user beside users with roles: whoever gives no credentials would be let in")
		}
		names[u.Name], keys[u.NKey], accounts[u.Account()] = true, true, true
		if author != "" {
			authors[author] = u.Role
		}
	}
	return nil
}

func (u User) check() error {
	if !ValidID(u.Name) {
		return errors.New("the name is no id: use " + idForm)
	}
	switch _, known := roles[u.Role]; {
	case !known:
		return fmt.Errorf("role %.60q is none: use nexus, commander, consensus, reviewer, auditor or operator", u.Role)
	case u.Role != RoleCommander && u.Commander != "":
		return fmt.Errorf("role %s has no commander", u.Role)
	case u.Role == RoleCommander && !ValidID(u.Commander):
		return fmt.Errorf("commander %.60q is no id: use %s", u.Commander, idForm)
	case slices.Contains([]string{AuthorNexus, authorUnknown, string(RoleOperator)}, cmp.Or(u.Commander, u.Reviewer())): // the operator reviews too
		// Rejections are kept by author, so these would be read by others.
		return fmt.Errorf("%s %s has the name of another author: choose another", u.Role, u.own())
	case u.Role == RoleReviewer && u.Reviewer() == "":
		return errors.New("a reviewer needs a name: reviewer-NAME")
	case u.NKey == "" && u.PasswordHash == "":
		return errors.New("it has neither an nkey nor a password")
	case u.NKey != "" && u.PasswordHash != "":
		return errors.New("it has an nkey and a password: leave one of them out")
	case u.NKey != "" && !nkeys.IsValidPublicUserKey(u.NKey):
		// Not shown: it may be the seed.
		return errors.New("its nkey is no public key of a user (U…)")
	case u.PasswordHash != "" && !strings.HasPrefix(u.PasswordHash, "$2a$"):
		return errors.New("its password is not hashed with bcrypt")
	}
	return nil
}

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
			Out:     []string{l.Subject(shadow.HardeningRequest, u.Commander, "*", "*", "*"), l.Subject(shadow.EventRejected, u.Commander, "*"), l.Settled(u.Commander, "*")},
		}
	case RoleConsensus:
		return Grant{Out: all(shadow.GapReport, shadow.BundleQuarantined, shadow.RunScored, shadow.RunReviewed)}
	case RoleReviewer:
		return Grant{
			Publish: []string{l.Review("*", "*", u.Reviewer())},
			Out:     append(all(shadow.GapReport, shadow.BundleQuarantined, shadow.RunScored, shadow.RunReviewed), l.Subject(shadow.EventRejected, u.Reviewer(), "*")),
			Lookup:  []string{StreamIn, StreamOut},
		}
	case RoleAuditor:
		return Grant{
			In:     l.in(StorageConfig{}).Subjects,
			Out:    l.out(StorageConfig{}).Subjects,
			Lookup: []string{StreamIn, StreamOut},
		}
	case RoleAnonymous:
		return Grant{
			Publish: all(shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed),
			In:      all(shadow.EnvelopeSealed),
			Out:     l.out(StorageConfig{}).Subjects,
			Lookup:  []string{StreamOut},
		}
	}
	return Grant{}
}

// LiveSubjects are those of a grant that are copied as they are stored: what OUT
// says and, of IN, the commitments.
func (l Subjects) LiveSubjects(g Grant) []string {
	commitments := l.Wildcards(shadow.EnvelopeSealed)[0]
	var live []string
	if slices.Contains(g.In, commitments) {
		live = []string{commitments}
	}
	return append(live, g.Out...)
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
