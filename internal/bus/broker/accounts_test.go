package broker

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// everyRole is a user of each role beyond the wall.
func everyRole(t testing.TB) []layout.User {
	return bustest.EveryRole(t, func(name, role, commander, key string) layout.User {
		return layout.User{Name: name, Role: layout.Role(role), Commander: commander, NKey: key}
	})
}

// The server takes the text as it is meant, whatever the prefix is.
func TestAccountsConfig(t *testing.T) {
	for _, l := range []layout.Subjects{{}, {Prefix: "acme.swarm-1"}} {
		users := append(everyRole(t), layout.User{Name: "shadowd", Role: layout.RoleShadowd, NKey: bustest.UserKey(t)},
			layout.User{Name: "alpha-2", Role: layout.RoleCommander, Commander: "cmd-1", PasswordHash: "$2a$04$abcdefghijklmnopqrstuv"})
		bustest.OK(t, layout.CheckUsers(users))
		var o server.Options
		text := Config(Options{DataDir: "/data", Subjects: l, Users: users})
		if err := o.ProcessConfigString(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		accounts := map[string]bool{}
		for _, a := range o.Accounts {
			accounts[a.Name] = true
		}
		for _, name := range []string{"SYS", "SHADOW", "NEXUS", "SWARM_cmd-1", "SWARM_cmd-2", "CONSENSUS_judge", "REVIEW_reader", "AUDIT_auditor"} {
			if !accounts[name] {
				t.Errorf("no account %s in\n%s", name, text)
			}
		}
		if len(o.Accounts) != 8 || len(o.Nkeys) != 7 || len(o.Users) != 1 || o.NoAuthUser != "" || o.SystemAccount != "SYS" {
			t.Errorf("%d accounts, %d nkeys, %d users, no_auth_user %q", len(o.Accounts), len(o.Nkeys), len(o.Users), o.NoAuthUser)
		}
		for _, u := range append(o.Users, &server.User{}) {
			if u.Username != "" && u.Password != "$2a$04$abcdefghijklmnopqrstuv" {
				t.Errorf("password %q", u.Password)
			}
		}
		for _, u := range o.Nkeys {
			if inside := u.Account.Name == layout.AccountShadow; inside != (u.Permissions == nil) {
				t.Errorf("permissions of a user of %s: %+v", u.Account.Name, u.Permissions)
			}
		}
		if !strings.Contains(text, l.Bundle("*", "cmd-2")) || strings.Contains(text, "$KV") {
			t.Errorf("the doors are\n%s", text)
		}
	}
}

// One server of several says where the others are, and has a name of its own.
func TestClusterConfig(t *testing.T) {
	var o server.Options
	text := Config(Options{DataDir: "/data", Name: "n2", Cluster: "swarm", RoutesListen: "10.0.0.2:6222", RoutesPassword: "p/w", Routes: []string{"nats://n1:6222", "nats://n2:6222"}, Users: everyRole(t)})
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
	options := Options{DataDir: "unused", Name: "n1", Cluster: "swarm", RoutesListen: "127.0.0.1:0", RoutesPassword: "secret", Users: everyRole(t)}
	broker := bustest.ServerWith(t, Config(options), func(o *server.Options) { o.JetStream = false })
	at := "nats://" + broker.Server().ClusterAddr().String()
	for login, want := range map[string]string{`"user":"routes","pass":"guessed"`: "", `"pass":""`: "", `"user":"routes","pass":"secret"`: "PONG"} {
		lines := `CONNECT {"verbose":false,"tls_required":false,"name":"n2","cluster":"swarm",` + login + "}\r\n"
		if got := bustest.SendRaw(at, lines); got != want {
			t.Errorf("with %s: %q, want %s", login, got, want)
		}
	}
}

func TestNumbered(t *testing.T) {
	if got := numbered("acme.swarm.gap-report.*.*.*"); got != "acme.swarm.gap-report.$1.$2.$3" {
		t.Error(got)
	}
}
