package broker

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// CheckURLs says what is wrong with the URLs of a bus, with commas between;
// nothing if they are right or empty. It never shows one: it may hold a password.
func CheckURLs(s string) string {
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
		if !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
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

// Redact hides what server URLs say before an "@": a password, or a token,
// which takes the place of the user. What it returns are URLs again.
func Redact(urls string) string {
	all := strings.Split(urls, ",")
	for i, u := range all {
		u = strings.TrimSpace(u)
		if at := strings.LastIndex(u, "@"); at >= 0 {
			scheme, _, found := strings.Cut(u[:at], "://")
			if !found {
				scheme = "nats"
			}
			u = scheme + "://***" + u[at:]
		}
		all[i] = u
	}
	return strings.Join(all, ",")
}
