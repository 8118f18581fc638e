package bus

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// key is a public user key for tables.
func key(t testing.TB) string {
	t.Helper()
	_, public, err := newUserKey()
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// everyRole is a user of each role beyond the wall, and a second commander and
// judge.
func everyRole(t testing.TB) []User {
	t.Helper()
	return []User{
		{Name: "nexus", Role: RoleNexus, NKey: key(t)},
		{Name: "alpha", Role: RoleCommander, Commander: "cmd-1", NKey: key(t)},
		{Name: "beta", Role: RoleCommander, Commander: "cmd-2", NKey: key(t)},
		{Name: "judge", Role: RoleConsensus, NKey: key(t)},
		{Name: "auditor", Role: RoleAuditor, NKey: key(t)},
		{Name: "judge-strict", Role: RoleJudge, NKey: key(t)},
		{Name: "judge-kind", Role: RoleJudge, NKey: key(t)},
		{Name: "author-legal", Role: RoleAuthor, NKey: key(t)},
	}
}

// Nobody but an auditor may read what tells of the criteria of others' work.
func TestGrants(t *testing.T) {
	l := Layout{}
	for _, u := range append(everyRole(t), User{Name: "anonymous", Role: RoleAnonymous}) {
		g := l.Grant(u)
		may := func(list []string, subject string) bool { return matches(list, subject) }
		reads := u.Role == RoleConsensus || u.Role == RoleAuditor || u.Role == RoleAnonymous
		if may(g.Out, l.GapReport("r", "d", 0)) != reads {
			t.Errorf("%s reads gap reports: %v", u.Name, !reads)
		}
		for _, c := range []string{"cmd-1", "cmd-2", "cmd-3"} {
			own := u.Role == RoleCommander && u.Commander == c || u.Role == RoleAuditor || u.Role == RoleAnonymous
			if may(g.Out, l.HardeningRequest(c, "r", "d", 1)) != own || may(g.Out, l.Rejected(c, 1)) != own {
				t.Errorf("%s reads what is said to %s: %v", u.Name, c, !own)
			}
			hands := u.Role == RoleCommander && u.Commander == c || u.Role == RoleAnonymous
			if may(g.Publish, l.Bundle("r", c)) != hands || may(g.Publish, l.Fix("r", c)) != hands {
				t.Errorf("%s publishes as %s: %v", u.Name, c, !hands)
			}
		}
		for _, s := range append(l.out(StorageConfig{}).Subjects, l.Commitment("r"), "$KV."+BucketEnvelopes+".r", "$JS.API.>") {
			if may(g.Publish, s) {
				t.Errorf("%s may publish %s", u.Name, s)
			}
		}
		if bundles := may(g.In, l.Bundle("r", "cmd-1")); bundles != (u.Role == RoleAuditor) {
			t.Errorf("%s reads bundles: %v", u.Name, bundles)
		}
		if serves := may(g.Serve, ServiceSubject(RoleJudge, "strict")); serves != (u.Name == "judge-strict") {
			t.Errorf("%s answers as the judge strict: %v", u.Name, serves)
		}
		if slices.ContainsFunc(l.liveSubjects(g), func(s string) bool { return strings.Contains(s, Clock) }) {
			t.Errorf("%s hears timers", u.Name)
		}
	}
}

// The server takes the text as it is meant, whatever the prefix is.
func TestAccountsConfig(t *testing.T) {
	for _, l := range []Layout{{}, {"acme.swarm-1"}} {
		users := append(everyRole(t), User{Name: "shadowd", Role: RoleShadowd, NKey: key(t)},
			User{Name: "alpha-2", Role: RoleCommander, Commander: "cmd-1", PasswordHash: "$2a$04$abcdefghijklmnopqrstuv"})
		if err := CheckUsers(users); err != nil {
			t.Fatal(err)
		}
		var o server.Options
		text := ServerConfig(ServerOptions{DataDir: "/data", Layout: l, Users: users})
		if err := o.ProcessConfigString(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		accounts := map[string]bool{}
		for _, a := range o.Accounts {
			accounts[a.Name] = true
		}
		for _, name := range []string{"SYS", "SHADOW", "NEXUS", "SWARM_cmd-1", "SWARM_cmd-2", "CONSENSUS_judge", "AUDIT_auditor", "JUDGE_strict", "JUDGE_kind", "AUTHOR_legal"} {
			if !accounts[name] {
				t.Errorf("no account %s in\n%s", name, text)
			}
		}
		if len(o.Accounts) != 10 || len(o.Nkeys) != 9 || len(o.Users) != 1 || o.NoAuthUser != "" || o.SystemAccount != "SYS" {
			t.Errorf("%d accounts, %d nkeys, %d users, no_auth_user %q", len(o.Accounts), len(o.Nkeys), len(o.Users), o.NoAuthUser)
		}
		for _, u := range append(o.Users, &server.User{}) {
			if u.Username != "" && u.Password != "$2a$04$abcdefghijklmnopqrstuv" {
				t.Errorf("password %q", u.Password)
			}
		}
		for _, u := range o.Nkeys {
			if inside := u.Account.Name == accountShadow; inside != (u.Permissions == nil) {
				t.Errorf("permissions of a user of %s: %+v", u.Account.Name, u.Permissions)
			}
		}
		if !strings.Contains(text, l.Bundle("*", "cmd-2")) || strings.Contains(text, "$KV") {
			t.Errorf("the doors are\n%s", text)
		}
	}
}

func TestCheckUsers(t *testing.T) {
	k := key(t)
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
		{[]User{{Name: "a", Role: RoleNexus}}, "no nkey and no password"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k, PasswordHash: "$2a$x"}}, "or both"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: "SUAK"}}, "no public key of a user"},
		{[]User{{Name: "a", Role: RoleNexus, PasswordHash: "secret"}}, "not hashed"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k}, {Name: "a", Role: RoleConsensus, NKey: key(t)}}, "a is there twice"},
		{[]User{{Name: "a", Role: RoleNexus, NKey: k}, {Name: "b", Role: RoleConsensus, NKey: k}}, "the nkey of another one"},
		{[]User{{Name: "a", Role: RoleConsensus, NKey: k}, {Name: "consensus-a", Role: RoleConsensus, NKey: key(t)}}, "consumer of another one, consensus-a"},
		{[]User{{Name: "a", Role: RoleJudge, NKey: k}, {Name: "judge-a", Role: RoleJudge, NKey: key(t)}}, "answer as another one, on shadow.judge.a"},
		{[]User{{Name: "a", Role: RoleJudge, Commander: "c", NKey: k}}, "role judge has no commander"},
		{[]User{{Name: "a", Role: RoleAnonymous, NKey: k}, {Name: "b", Role: RoleJudge, NKey: key(t)}}, "whoever gives no credentials"},
		{[]User{{Name: "a", Role: RoleAnonymous, NKey: k}, {Name: "b", Role: RoleConsensus, NKey: key(t)}}, "whoever gives no credentials"},
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
	for _, l := range []Layout{{}, {"acme.x"}} {
		if got := l.live(l.RunScored("r")); got != "live.run-scored.r" {
			t.Errorf("prefix %s: %s", l.prefix(), got)
		}
		if got := numbered(l.wildcards(shadow.GapReport)[0]); got != l.prefix()+".gap-report.$1.$2.$3" {
			t.Errorf("prefix %s: %s", l.prefix(), got)
		}
	}
}

// One server of several says where the others are, and has a name of its own.
func TestClusterConfig(t *testing.T) {
	var o server.Options
	text := ServerConfig(ServerOptions{DataDir: "/data", Name: "n2", Cluster: "swarm", RoutesListen: "10.0.0.2:6222", RoutesPassword: "p/w", Routes: []string{"nats://n1:6222", "nats://n2:6222"}, Users: everyRole(t)})
	if err := o.ProcessConfigString(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if o.ServerName != "n2" || o.Cluster.Name != "swarm" || o.Cluster.Host != "10.0.0.2" || o.Cluster.Port != 6222 || len(o.Routes) != 2 {
		t.Errorf("%s of %+v, routes %v", o.ServerName, o.Cluster, o.Routes)
	}
	if password, _ := o.Routes[0].User.Password(); o.Cluster.Username != routesUser || o.Cluster.Password != "p/w" || password != "p/w" {
		t.Errorf("who may join is %q with %q, and it joins with %q", o.Cluster.Username, o.Cluster.Password, password)
	}
}

// Whoever joins a cluster may speak for every account, so nobody joins without
// the password.
func TestStrangersDoNotJoin(t *testing.T) {
	options := ServerOptions{DataDir: "unused", Name: "n1", Cluster: "swarm", RoutesListen: "127.0.0.1:0", RoutesPassword: "secret", Users: everyRole(t)}
	broker := bustest.Of(t, ServerConfig(options), func(o *server.Options) { o.JetStream = false })
	at := "nats://" + broker.Server().ClusterAddr().String()
	for login, want := range map[string]string{`"user":"routes","pass":"guessed"`: "", `"pass":""`: "", `"user":"routes","pass":"secret"`: "PONG"} {
		lines := `CONNECT {"verbose":false,"tls_required":false,"name":"n2","cluster":"swarm",` + login + "}\r\n"
		if got := rawProtocol(at, lines); got != want {
			t.Errorf("with %s: %q, want %s", login, got, want)
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
	in, envelopes := Layout{}.in(before), before.envelopes()
	in.RePublish = nil
	envelopes.RePublish = &jetstream.RePublish{Source: ">", Destination: "spy.>"}
	for _, cfg := range []jetstream.StreamConfig{in, envelopes, Layout{}.out(before)} {
		if _, err := js.CreateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := js.CreateConsumer(t.Context(), StreamOut, jetstream.ConsumerConfig{Durable: "commander-cmd-1", FilterSubject: "swarm.>", AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	ensure(t, js, c)
	for name, want := range map[string]string{StreamIn: "live.envelope-sealed.>", StreamOut: "live.>", "KV_" + BucketEnvelopes: ""} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r := s.CachedInfo().Config.RePublish; r != nil {
			got = r.Destination
		}
		if got != want {
			t.Errorf("%s is copied to %q, want %q", name, got, want)
		}
	}
	consumer, err := js.Consumer(t.Context(), StreamOut, "commander-cmd-1")
	if err != nil {
		t.Fatal(err)
	}
	if got := filters(consumer.CachedInfo().Config); !slices.Equal(got, []string{"swarm.event-rejected.cmd-1.*", "swarm.hardening-request.cmd-1.*.*.*"}) {
		t.Errorf("the durable delivers %v", got)
	}
}
