package broker

import (
	_ "embed"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

//go:embed nats.conf.tmpl
var configText string

// All that is no id or address goes through quote.
var configTemplate = template.Must(template.New("nats.conf").Funcs(template.FuncMap{
	"quote": quote, "quoted": quoted, "freePort": freePort,
}).Parse(configText))

// Config is the configuration of a nats-server for shadowd, in that
// server's own language.
func Config(o Options) string { return write("config", serverConfig{Options: o}) }

// Heading says in comments who is who on a server of these options, and
// what shadowd's own configuration is for it. The seeds of the users are in
// the directory nkeys, as NAME.nk.
func Heading(o Options, nkeys string) string { return write("heading", serverConfig{o, nkeys}) }

func write(part string, c serverConfig) string {
	var b strings.Builder
	if err := configTemplate.ExecuteTemplate(&b, part, c); err != nil {
		panic(err) // the template is part of the program
	}
	return b.String()
}

// serverConfig is what the templates see.
type serverConfig struct {
	Options
	nkeys string
}

// routesUser is the name by which the servers of a cluster log in to each
// other. Whoever does so may speak for every account.
const routesUser = "routes"

// The names that the program has for things of the configuration.
func (serverConfig) RoutesUser() string { return routesUser }
func (serverConfig) APIPrefix() string  { return layout.APIPrefix }

// SyncInterval is how often the server syncs, in its own language.
func (c serverConfig) SyncInterval() string {
	if c.Sync == 0 {
		return "always"
	}
	return quote(c.Sync.String())
}

// Accounts are those of the users, SHADOW first.
func (c serverConfig) Accounts() []*account { return accounts(c.Subjects, c.Users) }

// RouteURLs are the URLs of the cluster's servers, with the login.
func (c serverConfig) RouteURLs() (urls []string) {
	for _, r := range c.Routes {
		scheme, host, _ := strings.Cut(r, "://")
		urls = append(urls, fmt.Sprintf("%s://%s:%s@%s", scheme, routesUser, url.PathEscape(c.RoutesPassword), host))
	}
	return urls
}

// Reachable is where shadowd finds the server, if it is on the same machine.
func (c serverConfig) Reachable() string {
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return "HOST:PORT"
	}
	return c.Listen
}

// Seed is the file of a user's seed.
func (c serverConfig) Seed(name string) string {
	return filepath.ToSlash(filepath.Join(c.nkeys, name+".nk"))
}

// HasSeed says whether that file is there.
func (c serverConfig) HasSeed(name string) bool {
	_, err := os.Stat(c.Seed(name))
	return err == nil
}

// freePort turns port 0, which the server reads as its default port, into
// what it calls a free port.
func freePort(listen string) string {
	if host, port, err := net.SplitHostPort(listen); err == nil && port == "0" {
		return net.JoinHostPort(host, "-1")
	}
	return listen
}

// quote writes s as a string of the server's configuration language, whatever
// bytes it has.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoted(all []string) string {
	var q []string
	for _, s := range all {
		q = append(q, quote(s))
	}
	return strings.Join(q, ", ")
}

// account is an account of the server. Its exports and imports are in the words of the
// server's configuration.
type account struct {
	Name             string
	Users            []layout.User
	Exports, Imports []string
	// Publish and Subscribe are the subjects of its users, if it is beyond the
	// wall: what their imports say, once more.
	Publish, Subscribe []string
}

// Inside tells the account that everything secret is in.
func (a *account) Inside() bool { return a.Name == layout.AccountShadow }

// wall is the account wall: the account SHADOW with the streams and the bucket, an
// account for each of the others, and between them named exports only.
//
//   - Inputs are services, since a stream export has no way back for the
//     acknowledgement.
//   - Durables are read through single API subjects, under [layout.APIPrefix].
//     What a stream is, shadowd answers ([Describe]).
//   - Live copies of outputs, which the streams republish as live.…, are
//     imported under the names of the outputs themselves.
//
// Each account imports what its grant says and no more, so the wall alone
// holds.
type wall struct {
	layout  layout.Subjects
	exports map[string][]string // that SHADOW exports, with the accounts that import them
}

// accounts are those of users, SHADOW first.
func accounts(l layout.Subjects, users []layout.User) []*account {
	w := wall{l, map[string][]string{}}
	shadow := &account{Name: layout.AccountShadow}
	byName := map[string]*account{shadow.Name: shadow}
	for _, u := range users {
		if byName[u.Account()] == nil {
			byName[u.Account()] = &account{Name: u.Account()}
		}
		a := byName[u.Account()]
		a.Users = append(a.Users, u)
	}
	all := []*account{shadow}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if a := byName[name]; !a.Inside() {
			w.reader(a)
			all = append(all, a)
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(w.exports)) {
		shadow.Exports = append(shadow.Exports, fmt.Sprintf("%s, accounts: [%s]", subject, strings.Join(w.exports[subject], ", ")))
	}
	return all
}

// export opens a subject of SHADOW to an account, where it has the name local.
func (w *wall) export(a *account, kind, subject, local string) {
	export := kind + ": " + quote(subject)
	if strings.Contains(subject, "CONSUMER.MSG.NEXT.") { // which answers with as many messages as are asked for
		export += ", response_type: stream"
	}
	w.exports[export] = append(w.exports[export], a.Name)
	grant := fmt.Sprintf("%s: { account: %s, subject: %s }", kind, layout.AccountShadow, quote(subject))
	if local != subject {
		grant += ", to: " + quote(local)
	}
	a.Imports = append(a.Imports, grant)
}

// reader adds the exports for an account that publishes, or reads.
func (w *wall) reader(a *account) {
	grant, durable := w.layout.Grant(a.Users[0]), a.Users[0].Durable()
	service := func(subject, local string) {
		w.export(a, "service", subject, local)
		a.Publish = append(a.Publish, local)
	}
	api := func(request string) { service("$JS.API."+request, layout.APIPrefix+"."+request) }
	for _, s := range grant.Publish {
		service(s, s)
	}
	for _, of := range []struct {
		stream    string
		reads     []string
		publishes bool
	}{{layout.StreamIn, grant.In, len(grant.Publish) > 0}, {layout.StreamOut, grant.Out, false}} {
		switch {
		case slices.Contains(grant.Lookup, of.stream):
			api("STREAM.INFO." + of.stream)
			api("STREAM.MSG.GET." + of.stream)
		case len(of.reads) > 0 || of.publishes:
			service(layout.Described(of.stream), layout.APIPrefix+".STREAM.INFO."+of.stream)
		}
		if len(of.reads) > 0 {
			where := of.stream + "." + durable
			api("CONSUMER.INFO." + where)
			api("CONSUMER.MSG.NEXT." + where)
			ack := "$JS.ACK." + where + ".>" // the client takes it from the message
			service(ack, ack)
		}
	}
	a.Subscribe = w.layout.LiveSubjects(grant)
	for _, s := range a.Subscribe {
		w.export(a, "stream", w.layout.Live(s), numbered(s))
	}
}

// numbered puts $1, $2 … in the place of wildcards, as where an import maps to
// names the tokens of the subject it comes from.
func numbered(subject string) string {
	tokens, n := strings.Split(subject, "."), 0
	for i, t := range tokens {
		if t == "*" {
			n++
			tokens[i] = fmt.Sprintf("$%d", n)
		}
	}
	return strings.Join(tokens, ".")
}
