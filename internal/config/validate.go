package config

import (
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
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// check notes what the type and range of a field cannot say.
func (p *parse) check(c *Config) {
	p.checkModels(c.Models)
	p.checkParticipants(c, "seal.authors", c.Seal.Authors)
	p.checkParticipants(c, "judging.panel", c.Judging.Panel)
	p.checkUsers(c)
	p.checkFamilies(c.Families)
	p.checkReviewers(c.HTTP.Reviewers)
	for _, f := range []struct{ path, problem string }{
		{"bus.url", broker.CheckURLs(c.Bus.URL)},
		{"bus.listen", checkListen(c)},
		{"http.listen", checkHTTPListen(&c.HTTP)},
		{"notify.url", checkNotifyURL(c.Notify.URL)},
	} {
		if f.problem != "" {
			p.fail(f.path, "%s", f.problem)
		}
	}
	if d, err := strict.ParseDuration(c.Bus.Sync); c.Bus.Sync != syncAlways && (err != nil || d < 100*time.Millisecond || d > time.Hour) {
		p.fail("bus.sync", "%s is no interval of syncing: allowed are always and 100ms to 1h", quote(c.Bus.Sync))
	}
	if err := layout.CheckPrefix(c.Bus.Prefix); err != nil {
		p.fail("bus.prefix", "%v", err)
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
	for name, scale := range map[string]shadow.Scale{"ss-50": c.Scales.SS50, "ss-100": c.Scales.SS100, "ss-250": c.Scales.SS250} {
		if path, most := "scales."+name+".criteria", c.ShadowScoring.SealedCriteriaCount; p.Has(path) && scale.Criteria > most {
			p.fail(path, "%d is more than shadow_scoring.sealed_criteria_count: allowed is at most that, which is %d", scale.Criteria, most)
		}
	}
	h := &c.ShadowScoring.Hardening
	for _, f := range []struct {
		wrong   bool
		paths   []string
		problem string
	}{
		{c.Bus.Credentials != "" && c.Bus.NKey != "", []string{"bus.nkey", "bus.credentials"},
			"bus.credentials and bus.nkey are both set: allowed is one of them"},
		{c.Bus.URL == "" && c.Bus.Credentials != "", []string{"bus.credentials"},
			"it is how to log in at bus.url, which is empty: set bus.url too, or leave it out, as shadowd needs no login at the server inside it"},
		{c.Bus.URL == "" && c.Bus.NKey != "", []string{"bus.nkey"},
			"it is how to log in at bus.url, which is empty: set bus.url too, or leave it out, as shadowd needs no login at the server inside it"},
		{c.Bus.URL == "" && c.Bus.Replicas > 1, []string{"bus.replicas"},
			"replicas need a cluster: allowed without bus.url is 1, as the embedded server is a single one"},
		{c.Bus.URL == "" && c.HTTP.Listen == c.Bus.Listen && !strings.HasSuffix(c.HTTP.Listen, ":0"), []string{"http.listen", "bus.listen"},
			"the embedded server listens there: allowed for http.listen is another address than bus.listen"},
		{(c.Bus.TLS.Cert == "") != (c.Bus.TLS.Key == ""), []string{"bus.tls.cert", "bus.tls.key"},
			"half of TLS: allowed are bus.tls.cert and bus.tls.key together, or neither"},
		{(c.HTTP.CertFile == "") != (c.HTTP.KeyFile == ""), []string{"http.cert_file", "http.key_file"},
			"half of TLS: allowed are http.cert_file and http.key_file together, or neither"},
		{len(c.HTTP.Reviewers) > 0 && (c.HTTP.TokenFile == "" || slices.Contains(c.HTTP.Open, "page")), []string{"http.reviewers"},
			"the page asks nobody for a token, so it knows no reviewer: allowed only with http.token_file, and without page in http.open"},
		{c.Notify.URL != "" && c.Notify.Format == NotifyJSON && c.Notify.SecretFile == "", []string{"notify.url"},
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
		if !f.wrong {
			continue
		}
		for _, path := range f.paths {
			if p.set(path) {
				p.fail(path, "%s", f.problem)
				break
			}
		}
	}
}

func (p *parse) checkFamilies(rules shadow.Families) {
	for i, r := range rules {
		here := "families[" + strconv.Itoa(i) + "]"
		if p.Failed(here) {
			continue
		}
		if err := r.Check(); err != nil {
			p.fail(here, "%v: allowed are model, a pattern of names such as \"name-*\", and family", err)
		}
	}
}

func (p *parse) checkReviewers(reviewers []PageReviewer) {
	names := map[string]bool{}
	for i, r := range reviewers {
		here := "http.reviewers[" + strconv.Itoa(i) + "]"
		switch {
		case p.Failed(here):
		case !layout.ValidID(r.Name):
			p.fail(here, "%s is no name: allowed are 1 to 64 letters, digits, - and _", quote(r.Name))
		case names[r.Name]:
			p.fail(here, "%s is there twice: allowed is one token for each reviewer", quote(r.Name))
		}
		names[r.Name] = true
	}
}

// checkListen refuses all but loopback unless the embedded server asks everybody
// for credentials, over TLS, or the operator says that it need not.
func checkListen(c *Config) string {
	walled := slices.ContainsFunc(c.BusUsers(), func(u layout.User) bool { return !u.Inside() })
	return checkAddress(c.Bus.Listen, c.Bus.Insecure || walled && c.Bus.TLS.Cert != "", "where other machines can connect and listen in: for that set bus.users and bus.tls, or bus.insecure")
}

// checkHTTPListen refuses all but loopback unless a token is asked for, or the
// operator says of each part that it is for everybody.
func checkHTTPListen(h *HTTP) string {
	if h.Listen == "" {
		return ""
	}
	all := slices.Contains(h.Open, "health") && slices.Contains(h.Open, "metrics") && slices.Contains(h.Open, "page")
	return checkAddress(h.Listen, h.TokenFile != "" || all, "where other machines could read how bundles are judged: for that set http.token_file")
}

// checkNotifyURL says what is wrong with it. It is not shown, since that of a chat
// holds a secret.
func checkNotifyURL(s string) string {
	if s == "" {
		return ""
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "this is no address: allowed are http:// and https:// URLs, such as https://ops.example/shadowd"
	}
	return ""
}

// checkAddress says what is wrong with an address to listen on. Unless it may
// be open it is on loopback; remote says why, and what to do.
func checkAddress(s string, open bool, remote string) string {
	const allowed = ": allowed are HOST:PORT with 127.0.0.1, ::1 or localhost and a port from 0 to 65535"
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return quote(s) + " is not HOST:PORT" + allowed
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return quote(port) + " is not a port" + allowed
	}
	if host == "localhost" {
		return ""
	}
	switch ip, err := netip.ParseAddr(host); {
	case err == nil && ip.Zone() == "" && (open || ip.IsLoopback()), open && host == "":
	case open:
		return quote(host) + " is not an IP address: allowed are HOST:PORT with one, with localhost or with nothing for all of this machine's, and a port from 0 to 65535"
	default:
		return quote(s) + " is not on loopback, " + remote + allowed
	}
	return ""
}
