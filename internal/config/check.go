package config

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// check notes what the type and range of a field cannot say.
func (p *parse) check(c *Config) {
	p.checkCategories(c.ShadowScoring.Categories)
	p.checkModels(c.Models)
	p.checkAuthors(c)
	p.checkPanel(c)
	p.checkUsers(c.Bus.Users)
	p.checkFamilies(c.Families)
	for _, f := range []struct{ path, problem string }{
		{"bus.url", CheckURL(c.Bus.URL)},
		{"bus.listen", checkListen(c.Bus.Listen, c.Bus.Insecure || len(c.Bus.Users) > 0 && c.Bus.TLS.Cert != "")},
		{"http.listen", checkHTTPListen(c.HTTP.Listen)},
		{"bus.prefix", CheckPrefix(c.Bus.Prefix)},
		{"bus.data_dir", checkDataDir(c.Bus.DataDir)},
	} {
		if f.problem != "" {
			p.failAt(f.path, "%s", f.problem)
		}
	}
	for _, o := range overrides {
		if strings.ContainsFunc(*o.field(c), unicode.IsControl) {
			p.failAt(o.path, "%s: allowed is text", controlCharacter)
		}
	}
	// What follows compares fields. A field that is wrong still has its
	// default here, and comparing that would accuse an innocent one.
	if len(p.problems) == 0 {
		p.checkTogether(c)
	}
}

// checkTogether notes fields that do not go together, at the one that is set.
func (p *parse) checkTogether(c *Config) {
	for _, f := range []struct {
		wrong   bool
		paths   []string
		problem string
	}{
		{c.Bus.Credentials != "" && c.Bus.NKey != "", []string{"bus.nkey", "bus.credentials"},
			"bus.credentials and bus.nkey are both set: allowed is one of them"},
		{c.Bus.URL == "" && c.Bus.Credentials != "", []string{"bus.credentials"},
			"credentials for no server: allowed only with bus.url, as the embedded server takes none"},
		{c.Bus.URL == "" && c.Bus.NKey != "", []string{"bus.nkey"},
			"an nkey for no server: allowed only with bus.url, as the embedded server takes none"},
		{c.Bus.URL == "" && c.Bus.Replicas > 1, []string{"bus.replicas"},
			"replicas need a cluster: allowed without bus.url is 1, as the embedded server is a single one"},
		{c.Bus.URL == "" && c.HTTP.Listen == c.Bus.Listen && !strings.HasSuffix(c.HTTP.Listen, ":0"), []string{"http.listen", "bus.listen"},
			"the embedded server listens there: allowed for http.listen is another address than bus.listen"},
		{(c.Bus.TLS.Cert == "") != (c.Bus.TLS.Key == ""), []string{"bus.tls.cert", "bus.tls.key"},
			"half of TLS: allowed are bus.tls.cert and bus.tls.key together, or neither"},
		{c.Bus.URL != "" && c.Bus.TLS.Cert != "", []string{"bus.tls.cert"},
			"a certificate for no server: allowed only without bus.url, as it is the embedded server's"},
		{c.Bus.MaxAge != 0 && c.Bus.MaxAge <= c.Run.Timeout, []string{"bus.max_age", "run.timeout"},
			"events would be gone before their run ends: allowed for bus.max_age are 0s and what is longer than run.timeout"},
		{c.Limits.ContentBytes > c.Limits.EventBytes, []string{"limits.content_bytes", "limits.event_bytes"},
			"the content is part of the event: allowed for limits.content_bytes is at most limits.event_bytes"},
		{c.Bus.MaxBytes < int64(c.Limits.EventBytes), []string{"bus.max_bytes", "limits.event_bytes"},
			"not one event would fit: allowed for bus.max_bytes is at least limits.event_bytes"},
	} {
		if !f.wrong {
			continue
		}
		for _, path := range f.paths {
			if p.origin[path] != "" {
				p.failAt(path, "%s", f.problem)
				break
			}
		}
	}
}

func (p *parse) checkCategories(categories []shadow.Category) {
	if len(categories) == 0 {
		p.failAt("shadow_scoring.categories", "there is none: allowed is a list of at least one")
	}
	seen := map[shadow.Category]bool{}
	for i, category := range categories {
		// An item that was refused is empty and has its message already.
		if category != "" && seen[category] {
			p.failAt("shadow_scoring.categories["+strconv.Itoa(i)+"]", "%s is there twice: allowed is once each", category)
		}
		seen[category] = true
	}
}

func (p *parse) checkFamilies(rules []FamilyRule) {
	for i, r := range rules {
		here := "families[" + strconv.Itoa(i) + "]"
		if p.failed(here) {
			continue
		}
		if err := shadow.FamilyRule(r).Check(); err != nil {
			p.failAt(here, "%v: allowed are model, a pattern of names such as \"name-*\", and family", err)
		}
	}
}

// The longest prefix leaves room in a subject for the ids behind it.
const maxPrefix = 64

var prefixPattern = regexp.MustCompile(`\A[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\z`)

// CheckPrefix keeps wildcards, spaces and empty tokens out of every subject,
// and shadowd out of the subjects that others own.
func CheckPrefix(s string) string {
	const allowed = ": allowed are tokens of A-Z, a-z, 0-9, _ and - joined by dots, together at most 64 characters"
	first, _, _ := strings.Cut(s, ".")
	switch {
	case !prefixPattern.MatchString(s):
		return shorten(s) + " is not a subject prefix" + allowed
	case len(s) > maxPrefix:
		return shorten(s) + " is too long" + allowed
	case first == "_INBOX" || first == "live":
		return first + " is taken, by the replies of NATS clients (_INBOX) or by live copies of the outputs (live)" + allowed
	}
	return ""
}

// checkURL never shows the URL: it may hold a password.
func CheckURL(s string) string {
	const allowed = ": allowed are nats://, tls://, ws:// and wss:// URLs with a host, separated by commas, or nothing for the embedded server"
	if s == "" {
		return ""
	}
	for i, part := range strings.Split(s, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		number := "server " + strconv.Itoa(i+1)
		if err != nil {
			return number + " is not a URL" + allowed
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return number + " has another scheme or none" + allowed
		}
		if u.Hostname() == "" || strings.ContainsFunc(u.Host, unicode.IsSpace) {
			return number + " has no host" + allowed
		}
		if port := u.Port(); port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return number + " has a port that is out of range" + allowed
			}
		}
	}
	return ""
}

// checkListen refuses all but loopback unless open: what the embedded server
// takes from anyone who can reach it, only people on the same machine may
// reach.
func checkListen(s string, open bool) string {
	return checkAddress(s, open, "where other machines can connect and listen in: for that set bus.users and bus.tls, or bus.insecure")
}

// checkHTTPListen refuses all but loopback: metrics are for the operator, and
// nobody is asked who they are.
func checkHTTPListen(s string) string {
	if s == "" {
		return ""
	}
	return checkAddress(s, false, "where other machines could read how bundles are judged: for these put a proxy with authentication in front")
}

// checkAddress says what is wrong with an address to listen on. Unless it may
// be open it is on loopback; remote says why, and what to do.
func checkAddress(s string, open bool, remote string) string {
	const allowed = ": allowed are HOST:PORT with 127.0.0.1, ::1 or localhost and a port from 0 to 65535"
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return shorten(s) + " is not HOST:PORT" + allowed
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return shorten(port) + " is not a port" + allowed
	}
	if host == "localhost" {
		return ""
	}
	switch ip, err := netip.ParseAddr(host); {
	case err == nil && ip.Zone() == "" && (open || ip.IsLoopback()), open && host == "":
	case open:
		return shorten(host) + " is not an IP address: allowed are HOST:PORT with one, with localhost or with nothing for all of this machine's, and a port from 0 to 65535"
	default:
		return shorten(s) + " is not on loopback, " + remote + allowed
	}
	return ""
}

func checkDataDir(s string) string {
	if s == "" {
		return "there is no value: allowed is the path of a directory"
	}
	return ""
}

// Redact blanks the passwords and tokens in a list of server URLs. What it
// returns is a valid list again.
func Redact(urls string) string {
	parts := strings.Split(urls, ",")
	for i, part := range parts {
		u, err := url.Parse(strings.TrimSpace(part))
		if err != nil {
			parts[i] = "nats://xxxxx" // never passed the check; show nothing of it
			continue
		}
		if u.User == nil {
			continue
		}
		if _, ok := u.User.Password(); ok {
			u.User = url.UserPassword(u.User.Username(), "xxxxx")
		} else {
			u.User = url.User("xxxxx") // a user alone is a token
		}
		parts[i] = u.String()
	}
	return strings.Join(parts, ",")
}
