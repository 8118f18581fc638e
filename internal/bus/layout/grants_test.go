package layout

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// everyRole is a user of each role beyond the wall.
func everyRole(t testing.TB) []User {
	return bustest.EveryRole(t, func(name, role, commander, key string) User {
		return User{Name: name, Role: Role(role), Commander: commander, NKey: key}
	})
}

// Nobody but an auditor may read what tells of the criteria of others' work.
func TestGrants(t *testing.T) {
	l := Subjects{}
	for _, u := range append(everyRole(t), User{Name: "anonymous", Role: RoleAnonymous}) {
		g := l.Grant(u)
		may := func(list []string, subject string) bool { return bustest.Matches(list, subject) }
		reads := u.Role == RoleConsensus || u.Role == RoleReviewer || u.Role == RoleAuditor || u.Role == RoleAnonymous
		if may(g.Out, l.GapReport("r", "d", 0)) != reads {
			t.Errorf("%s reads gap reports: %v", u.Name, !reads)
		}
		for _, c := range []string{"cmd-1", "cmd-2", "cmd-3"} {
			own := u.Role == RoleCommander && u.Commander == c || u.Role == RoleAuditor || u.Role == RoleAnonymous
			if may(g.Out, l.HardeningRequest(c, "r", "d", 1)) != own || may(g.Out, l.Rejected(c, 1)) != own || may(g.Out, l.Settled(c, "r")) != own {
				t.Errorf("%s reads what is said to %s: %v", u.Name, c, !own)
			}
			hands := u.Role == RoleCommander && u.Commander == c || u.Role == RoleAnonymous
			if may(g.Publish, l.Bundle("r", c)) != hands || may(g.Publish, l.Fix("r", c)) != hands {
				t.Errorf("%s publishes as %s: %v", u.Name, c, !hands)
			}
		}
		if may(g.Publish, l.Review("r", "d", "reader")) != (u.Role == RoleReviewer || u.Role == RoleAnonymous) || may(g.Publish, l.Review("r", "d", "other")) != (u.Role == RoleAnonymous) {
			t.Errorf("%s publishes reviews: %q", u.Name, g.Publish)
		}
		for _, s := range append(l.out(StorageConfig{}).Subjects, l.Commitment("r"), l.TickAt(time.UnixMilli(1)), "$KV."+BucketEnvelopes+".r", "$KV."+BucketLease+".x", "$JS.API.>") {
			if may(g.Publish, s) {
				t.Errorf("%s may publish %s", u.Name, s)
			}
		}
		if bundles := may(g.In, l.Bundle("r", "cmd-1")); bundles != (u.Role == RoleAuditor) {
			t.Errorf("%s reads bundles: %v", u.Name, bundles)
		}
	}
}

func TestCheckUsers(t *testing.T) {
	k := bustest.UserKey(t)
	for _, c := range []struct {
		users []User
		want  string
	}{
		{[]User{{Name: "a b", Role: RoleNexus, NKey: k}}, "the name is no id"},
		{[]User{{Name: "a", Role: "admin", NKey: k}}, `role "admin" is none`},
		{[]User{{Name: "a", Role: RoleCommander, NKey: k}}, `commander "" is no id`},
		{[]User{{Name: "a", Role: RoleCommander, Commander: "*", NKey: k}}, `commander "*" is no id`},
		{[]User{{Name: "a", Role: RoleCommander, Commander: "x.y", NKey: k}}, `commander "x.y" is no id`},
		{[]User{{Name: "a", Role: RoleCommander, Commander: "nexus", NKey: k}}, "name of another author"},
		{[]User{{Name: "a", Role: RoleNexus, Commander: "c", NKey: k}}, "role nexus has no commander"},
		{[]User{{Name: "a", Role: RoleNexus}}, "neither an nkey nor a password"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k, PasswordHash: "$2a$x"}}, "an nkey and a password"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: "SUAK"}}, "no public key of a user"},
		{[]User{{Name: "a", Role: RoleNexus, PasswordHash: "secret"}}, "not hashed"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k}, {Name: "a", Role: RoleConsensus, NKey: bustest.UserKey(t)}}, "a is there twice"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k}, {Name: "b", Role: RoleConsensus, NKey: k}}, "the nkey of another one"},
		{[]User{{Name: "a", Role: RoleConsensus, NKey: k}, {Name: "consensus-a", Role: RoleConsensus, NKey: bustest.UserKey(t)}}, "consumer of another one, consensus-a"},
		{[]User{{Name: "a", Role: RoleCommander, Commander: "c", NKey: k}, {Name: "reviewer-c", Role: RoleReviewer, NKey: bustest.UserKey(t)}}, "has the name of a commander, c"},
		{[]User{{Name: "reviewer-unknown", Role: RoleReviewer, NKey: k}}, "reviewer unknown has the name of another author"},
		{[]User{{Name: "reviewer-operator", Role: RoleReviewer, NKey: k}}, "reviewer operator has the name of another author"},
		{[]User{{Name: "reviewer-", Role: RoleReviewer, NKey: k}}, "a reviewer needs a name"},
		{[]User{{Name: "a", Role: RoleAnonymous, NKey: k}, {Name: "b", Role: RoleConsensus, NKey: bustest.UserKey(t)}}, "whoever gives no credentials"},
	} {
		err := CheckUsers(c.users)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.users, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "SUAK") {
			t.Errorf("a seed is shown: %v", err)
		}
	}
	if err := CheckUsers(everyRole(t)); err != nil {
		t.Error(err)
	}
}

// Live copies keep their tokens, whatever the prefix.
func TestLive(t *testing.T) {
	for _, l := range []Subjects{{}, {"acme.x"}} {
		if got := l.Live(l.RunScored("r")); got != "live.run-scored.r" {
			t.Errorf("prefix %s: %s", l.prefix(), got)
		}
	}
}

// Streams from before the wall get their live copies, one that copies the
// bucket to listeners is ended, and a reader's durable is for what its user
// may read now.
func TestEnsureMendsTheWall(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	c := StorageConfig{Users: everyRole(t)}
	before := StorageConfig{}.withDefaults()
	in, envelopes := Subjects{}.in(before), before.envelopes()
	in.RePublish = nil
	envelopes.RePublish = &jetstream.RePublish{Source: ">", Destination: "spy.>"}
	for _, cfg := range []jetstream.StreamConfig{in, envelopes, Subjects{}.out(before)} {
		bustest.Must(js.CreateStream(t.Context(), cfg))
	}
	bustest.Must(js.CreateConsumer(t.Context(), StreamOut, jetstream.ConsumerConfig{Durable: "commander-cmd-1", FilterSubject: "swarm.>", AckPolicy: jetstream.AckExplicitPolicy}))
	ensured(t, js, c)
	for name, want := range map[string]string{StreamIn: "live.envelope-sealed.>", StreamOut: "live.>", "KV_" + BucketEnvelopes: ""} {
		s := bustest.Must(js.Stream(t.Context(), name))
		got := ""
		if r := s.CachedInfo().Config.RePublish; r != nil {
			got = r.Destination
		}
		if got != want {
			t.Errorf("%s is copied to %q, want %q", name, got, want)
		}
	}
	consumer := bustest.Must(js.Consumer(t.Context(), StreamOut, "commander-cmd-1"))
	if got := slices.Sorted(slices.Values(consumer.CachedInfo().Config.FilterSubjects)); !slices.Equal(got, []string{"swarm.domain-settled.cmd-1.*", "swarm.event-rejected.cmd-1.*", "swarm.hardening-request.cmd-1.*.*.*"}) {
		t.Errorf("the durable delivers %v", got)
	}
}
