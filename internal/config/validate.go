package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// parse is a file and the environment that goes before it.
type parse struct {
	*strict.File
	env map[string]string // path → variable
}

// fail notes what is wrong at a path, wherever its value is from. An empty problem
// is none.
func (p *parse) fail(path, problem string) {
	switch variable := p.env[path]; {
	case problem == "":
	case variable != "":
		p.FailOutside(variable, path, problem)
	default:
		p.Fail(path, "%s", problem)
	}
}

// each notes what is wrong with the elements of a list, but for those that were
// refused already.
func (p *parse) each(path string, n int, problem func(i int) string) {
	for i := range n {
		if here := fmt.Sprintf("%s[%d]", path, i); !p.Failed(here) {
			p.fail(here, problem(i))
		}
	}
}

// check notes what the type and range of a field cannot say.
func (p *parse) check(c *Config) {
	p.checkModels(c.Models)
	p.checkParticipants(c, "seal.authors", c.Seal.Authors)
	p.checkParticipants(c, "judging.panel", c.Judging.Panel)
	p.checkUsers(c)
	p.each("families", len(c.Families), func(i int) string {
		if err := c.Families[i].Check(); err != nil {
			return err.Error() + ": allowed are model, a pattern of names such as \"name-*\", and family"
		}
		return ""
	})
	reviewers := map[string]bool{}
	p.each("http.reviewers", len(c.HTTP.Reviewers), func(i int) string {
		name := c.HTTP.Reviewers[i].Name
		if reviewers[name] {
			return quote(name) + " is there twice: allowed is one token for each reviewer"
		}
		reviewers[name] = true
		return ""
	})
	walled := c.Bus.TLS.Cert != "" && slices.ContainsFunc(c.Bus.Users, func(u User) bool { return !u.BusUser().Inside() })
	p.fail("bus.listen", addressProblem(c.Bus.Listen, walled || c.Bus.Insecure, "connect and listen in: for that set bus.users and bus.tls, or bus.insecure"))
	if h := &c.HTTP; h.Listen != "" {
		p.fail("http.listen", addressProblem(h.Listen, h.TokenFile != "" || len(h.Open) == 3, "read how bundles are judged: for that set http.token_file"))
	}
	p.fail("bus.url", broker.CheckURLs(c.Bus.URL))
	if err := layout.CheckPrefix(c.Bus.Prefix); err != nil {
		p.fail("bus.prefix", err.Error())
	}
	if d, err := strict.ParseDuration(c.Bus.Sync); c.Bus.Sync != syncAlways && (err != nil || d < 100*time.Millisecond || d > time.Hour) {
		p.fail("bus.sync", quote(c.Bus.Sync)+" is no interval of syncing: allowed are always and 100ms to 1h")
	}
	if u, err := url.Parse(c.Notify.URL); c.Notify.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		p.fail("notify.url", "this is no address: allowed are http:// and https:// URLs, such as https://ops.example/shadowd") // not shown: that of a chat holds a secret
	}
	for _, o := range overrides {
		// Not shown: it may be a URL with a password, or the key itself.
		switch value := *o.field(c); {
		case strings.ContainsFunc(value, unicode.IsControl):
			p.fail(o.path, "there is a control character in it")
		case seedPattern.MatchString(value):
			p.fail(o.path, "this is a key itself: allowed is the name of a file that holds it")
		}
	}
	// What follows compares fields. A field that is wrong still has its
	// default here, and comparing that would accuse an innocent one.
	if p.Err() == nil {
		p.checkTogether(c)
	}
}

// seedPattern is what the seeds of nkeys look like.
var seedPattern = regexp.MustCompile(`\A\s*S[A-Z2-7]{40,}\s*\z`)

// quote shows text of the file, and never more than 40 characters of it.
func quote(s string) string {
	return strconv.Quote(clip.To(s, 41))
}

// checkTogether notes fields that do not go together, at the one that is set.
func (p *parse) checkTogether(c *Config) {
	h, most := &c.ShadowScoring.Hardening, c.ShadowScoring.SealedCriteriaCount
	const (
		noLogin  = "it is how to log in at bus.url, which is empty: set bus.url too, or leave it out, as shadowd needs no login at the server inside it"
		halfTLS  = "half of TLS: allowed are certificate and key together, or neither"
		criteria = "more than shadow_scoring.sealed_criteria_count: allowed is at most that"
	)
	for _, f := range []struct {
		wrong   bool
		paths   []string
		problem string
	}{
		{c.Bus.Credentials != "" && c.Bus.NKey != "", []string{"bus.nkey", "bus.credentials"},
			"bus.credentials and bus.nkey are both set: allowed is one of them"},
		{c.Bus.URL == "" && c.Bus.Credentials != "", []string{"bus.credentials"}, noLogin},
		{c.Bus.URL == "" && c.Bus.NKey != "", []string{"bus.nkey"}, noLogin},
		{c.Scales.SS50.Criteria > most, []string{"scales.ss-50.criteria"}, criteria},
		{c.Scales.SS100.Criteria > most, []string{"scales.ss-100.criteria"}, criteria},
		{c.Scales.SS250.Criteria > most, []string{"scales.ss-250.criteria"}, criteria},
		{c.Bus.URL == "" && c.Bus.Replicas > 1, []string{"bus.replicas"},
			"replicas need a cluster: allowed without bus.url is 1, as the embedded server is a single one"},
		{c.Bus.URL == "" && c.HTTP.Listen == c.Bus.Listen && !strings.HasSuffix(c.HTTP.Listen, ":0"), []string{"http.listen", "bus.listen"},
			"the embedded server listens there: allowed for http.listen is another address than bus.listen"},
		{(c.Bus.TLS.Cert == "") != (c.Bus.TLS.Key == ""), []string{"bus.tls.cert", "bus.tls.key"}, halfTLS},
		{(c.HTTP.CertFile == "") != (c.HTTP.KeyFile == ""), []string{"http.cert_file", "http.key_file"}, halfTLS},
		{len(c.HTTP.Reviewers) > 0 && (c.HTTP.TokenFile == "" || slices.Contains(c.HTTP.Open, "page")), []string{"http.reviewers"},
			"the page asks nobody for a token, so it knows no reviewer: allowed only with http.token_file, and without page in http.open"},
		{c.Notify.URL != "" && c.Notify.Format == "json" && c.Notify.SecretFile == "", []string{"notify.url"},
			"nobody could tell its messages from others: allowed are notify.secret_file beside it, or notify.format slack for a chat, which checks no signature"},
		{c.Bus.URL != "" && c.Bus.TLS.Cert != "", []string{"bus.tls.cert"},
			"a certificate for no server: allowed only without bus.url, as it is the embedded server's"},
		{c.Bus.MaxAge != 0 && c.Bus.MaxAge/2 < c.Run.Timeout+time.Duration(h.MaxCycles+1)*c.Judging.Wait/2, []string{"bus.max_age", "run.timeout", "judging.wait"},
			"events would be gone before their run and its last fixes end: allowed for bus.max_age are 0s and at least twice run.timeout, and judging.wait for each cycle beside"},
		{h.Enabled && time.Duration(h.MaxCycles)*h.Timeout >= c.Run.Timeout, []string{"run.timeout", "shadow_scoring.hardening.timeout", "shadow_scoring.hardening.max_cycles"},
			"runs would end before their fixes are in: allowed for run.timeout is what is longer than shadow_scoring.hardening.timeout times .max_cycles"},
		{c.Limits.ContentBytes > c.Limits.EventBytes, []string{"limits.content_bytes", "limits.event_bytes"},
			"the content is part of the event: allowed for limits.content_bytes is at most limits.event_bytes"},
		{c.Bus.MaxBytes < int64(c.Limits.EventBytes), []string{"bus.max_bytes", "limits.event_bytes"},
			"not one event would fit: allowed for bus.max_bytes is at least limits.event_bytes"},
	} {
		given := func(path string) bool { return p.env[path] != "" || p.Has(path) }
		if at := slices.IndexFunc(f.paths, given); f.wrong && at >= 0 {
			p.fail(f.paths[at], f.problem)
		}
	}
}

// addressProblem says what is wrong with an address to listen on. Unless it may be
// open it is on loopback; or else others could do what is said.
func addressProblem(s string, open bool, others string) string {
	const allowed = ": allowed are HOST:PORT with 127.0.0.1, ::1 or localhost and a port from 0 to 65535"
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return quote(s) + " is not HOST:PORT" + allowed
	}
	_, noPort := strconv.ParseUint(port, 10, 16)
	ip, noIP := netip.ParseAddr(host)
	switch {
	case noPort != nil:
		return quote(port) + " is not a port" + allowed
	case host == "localhost", noIP == nil && ip.Zone() == "" && (open || ip.IsLoopback()), open && host == "":
		return ""
	case open:
		return quote(host) + " is not an IP address: allowed are HOST:PORT with one, with localhost or with nothing for all of this machine's, and a port from 0 to 65535"
	}
	return quote(s) + " is not on loopback, where other machines could " + others + allowed
}
