package broker

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Config is the configuration of a nats-server for shadowd, in that
// server's own language.
func Config(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: %s\n", quote(cmp.Or(o.Name, "shadowd")))
	if o.Listen != "" {
		fmt.Fprintf(&b, "listen: %s\n", quote(freePort(o.Listen)))
	}
	// Ids have at most 64 characters. A longer subject is nobody's, and each
	// that is stored stays in the server's memory.
	b.WriteString("max_control_line: 1024\n")
	if o.MaxPayload != 0 {
		fmt.Fprintf(&b, "max_payload: %d\n", o.MaxPayload)
	}
	if o.TLSCert != "" {
		fmt.Fprintf(&b, "tls {\n  cert_file: %s\n  key_file: %s\n}\n", quote(o.TLSCert), quote(o.TLSKey))
	}
	fmt.Fprintf(&b, "jetstream {\n  store_dir: %s\n}\n", quote(o.DataDir))
	if o.Cluster != "" {
		clusterConfig(&b, o)
	}
	b.WriteString(accountsConfig(o.Subjects, o.Users))
	return b.String()
}

// routesUser is the name by which the servers of a cluster log in to each
// other. Whoever does so may speak for every account.
const routesUser = "routes"

func clusterConfig(b *strings.Builder, o Options) {
	fmt.Fprintf(b, "cluster {\n  name: %s\n  listen: %s\n  authorization { user: %s, password: %s }\n", quote(o.Cluster), quote(freePort(o.RoutesListen)), routesUser, quote(o.RoutesPassword))
	if o.RoutesCA != "" {
		fmt.Fprintf(b, "  tls {\n    cert_file: %s\n    key_file: %s\n    ca_file: %s\n    verify: true\n  }\n", quote(o.TLSCert), quote(o.TLSKey), quote(o.RoutesCA))
	}
	var routes []string
	for _, r := range o.Routes {
		scheme, host, _ := strings.Cut(r, "://")
		routes = append(routes, fmt.Sprintf("%s://%s:%s@%s", scheme, routesUser, url.PathEscape(o.RoutesPassword), host))
	}
	fmt.Fprintf(b, "  routes: [%s]\n}\n", quoted(routes))
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
