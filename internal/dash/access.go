package dash

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// The areas of what is served, as http.open names them.
const (
	Health = "health"
	Metric = "metrics"
	Pages  = "page"
)

// Access says who is let in.
type Access struct {
	// Token is asked for, unless it is empty.
	Token string
	// Open are the areas that need no token.
	Open []string
	// Local: the server listens on loopback. Then only names of loopback are
	// answered to, so that no website can have a browser ask in its own name.
	Local bool
}

// cookie holds what stands for the token in a browser. It ends with the
// browser's session.
const cookie = "shadowd"

// ticket is the value of the cookie. It is not the token itself.
func (a Access) ticket() string {
	mac := hmac.New(sha256.New, []byte(a.Token))
	mac.Write([]byte("shadowd page"))
	return hex.EncodeToString(mac.Sum(nil))
}

// allows tells whether a request may see an area.
func (a Access) allows(r *http.Request, area string) bool {
	if a.Token == "" || slices.Contains(a.Open, area) {
		return true
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(token, a.Token)
	}
	c, err := r.Cookie(cookie)
	return err == nil && same(c.Value, a.ticket())
}

// same compares in a time that tells nothing of either text.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// guard serves an area to those who may see it. Others are asked for the token
// by form where they are people.
func (a Access) guard(area string, form func(w http.ResponseWriter, wrong bool), h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.allows(r, area) {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="shadowd"`)
		if area == Pages && strings.Contains(r.Header.Get("Accept"), "text/html") {
			form(w, false)
			return
		}
		say(w, http.StatusUnauthorized, "the token of http.token_file is needed, as Authorization: Bearer TOKEN")
	})
}

// maxLogin bounds the form with the token, in bytes.
const maxLogin = 8 << 10

// login takes the token from the form and gives the cookie for it.
func (a Access) login(form func(w http.ResponseWriter, wrong bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
		if a.Token == "" || !same(strings.TrimSpace(r.PostFormValue("token")), a.Token) {
			form(w, true)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: a.ticket(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
}

// answersTo refuses a Host that is no name of loopback where the server listens
// there, and tells browsers to be careful with what they get.
func (a Access) answersTo(policy string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		if a.Local && !IsLocal(r.Host) {
			say(w, http.StatusMisdirectedRequest, "this server answers to localhost and to addresses of loopback only")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// IsLocal tells whether a host, with a port or without, is loopback.
func IsLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
