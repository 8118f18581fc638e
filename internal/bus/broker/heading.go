package broker

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Heading says in comments who is who on a server of these options, and
// what shadowd's own configuration is for it. The seeds of the users are in
// the directory nkeys, as NAME.nk.
func Heading(o Options, nkeys string) string {
	var b strings.Builder
	b.WriteString(`# The account wall of shadowd, for nats-server 2.12 or later, as printed by
# shadowd bus config. Don't change it by hand: print it anew.
#
# Clients connect with their nkey and an inbox prefix of their own. Readers use
# the JetStream API under the prefix ` + layout.APIPrefix + `.
#
`)
	fmt.Fprintf(&b, "#   %-24s %-10s %-26s %s\n", "user", "role", "inbox prefix", "durable on OUT")
	for _, u := range o.Users {
		inbox, durable := u.InboxPrefix(), u.Durable()
		if u.Inside() {
			inbox, durable = "any", "any"
		}
		if u.Service() != "" {
			durable = "none; it answers on " + layout.ServiceSubject(u.Role, u.Service())
		}
		fmt.Fprintf(&b, "#   %-24s %-10s %-26s %s\n", u.Name, u.Role, inbox, durable)
	}
	b.WriteString("#\n# The configuration of shadowd for this server:\n#\n#   bus:\n")
	scheme := "nats"
	if o.TLSCert != "" {
		scheme = "tls"
	}
	fmt.Fprintf(&b, "#     url: %s://%s\n#     nkey: %q\n#     prefix: %q\n", scheme, reachable(o.Listen), seedFile(nkeys, "shadowd"), o.Subjects.Prefix)
	if len(o.Routes) >= 3 {
		b.WriteString("#     replicas: 3\n")
	}
	b.WriteString("#     users:\n")
	for _, u := range o.Users {
		if u.Inside() {
			continue
		}
		commander := ""
		if u.Commander != "" {
			commander = ", commander: " + u.Commander
		}
		key := "nkey: " + u.NKey
		if _, err := os.Stat(seedFile(nkeys, u.Name)); err == nil {
			key = fmt.Sprintf("nkey_file: %q", seedFile(nkeys, u.Name))
		}
		fmt.Fprintf(&b, "#       - {name: %s, role: %s%s, %s}\n", u.Name, u.Role, commander, key)
	}
	b.WriteString(`#
# With the seed of each user (nkey_file) shadowd tries at its start what the
# user must not be able to do, and reports claim what holds. Where it has only
# a public key (nkey: U…) they claim conformance level 1.

`)
	return b.String()
}

// reachable is where shadowd finds the server, if it is on the same machine.
func reachable(listen string) string {
	if host, _, err := net.SplitHostPort(listen); err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return "HOST:PORT"
	}
	return listen
}

// seedFile is the file of a user's seed.
func seedFile(nkeys, name string) string {
	return filepath.ToSlash(filepath.Join(nkeys, name+".nk"))
}
