package broker

import (
	_ "embed"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
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
