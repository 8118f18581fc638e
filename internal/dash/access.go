package dash

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
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
	// Reviewers are the names of those who may review, by tokens of their own.
	Reviewers map[string]string
	// Open are the areas that need no token.
	Open []string
	// Local: the server listens on loopback, and answers to its names only, so that no website can have a browser ask.
	Local bool
}

// Asks tells whether a token is asked for in an area.
func (a *Access) Asks(area string) bool { return a.Token != "" && !slices.Contains(a.Open, area) }

// cookie holds what stands for the token in a browser. It ends with the browser's session, or with this process.
const cookie = "shadowd"

// door lets in who may come in by an [Access].
type door struct {
	Access
	attempts *attempts
	visitors []visitor
	// form asks people for the token.
	form func(w http.ResponseWriter, wrong bool)
	log  *slog.Logger
	// warn bounds how often it is logged that tokens are guessed.
	warn rate.Sometimes
}

// visitor is whoever has a token.
type visitor struct {
	token string
	// ticket is the value of the cookie, drawn and not made of the token, which cannot be guessed by way of it.
	ticket string
	// reviewer is the name of one who may review, and empty for others.
	reviewer string
}

func newDoor(o Options) *door {
	d := &door{Access: o.Access, attempts: newAttempts(), form: o.Login, log: o.Log, warn: rate.Sometimes{Interval: time.Minute}}
	if o.Access.Token != "" {
		d.visitors = append(d.visitors, visitor{o.Access.Token, rand.Text(), ""})
	}
	for token, name := range o.Access.Reviewers {
		d.visitors = append(d.visitors, visitor{token, rand.Text(), name})
	}
	return d
}

// allows tells who asks, if they may see an area.
func (d *door) allows(r *http.Request, area string) (v *visitor, slowed bool) {
	if !d.Asks(area) {
		return &visitor{}, false
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return d.opens(r, token)
	}
	if c, err := r.Cookie(cookie); err == nil {
		v = d.find(func(v *visitor) bool { return same(c.Value, v.ticket) })
	}
	return v, false
}

// find is the visitor of whom something holds, or nil. All are looked at, so that the time tells nothing.
func (d *door) find(is func(*visitor) bool) (found *visitor) {
	for i := range d.visitors {
		if is(&d.visitors[i]) {
			found = &d.visitors[i]
		}
	}
	return found
}

// opens is whose token it is, or nil. Slowed: it was not looked at.
func (d *door) opens(r *http.Request, token string) (v *visitor, slowed bool) {
	slowed, last := d.attempts.try(r.RemoteAddr, func() bool {
		v = d.find(func(v *visitor) bool { return same(token, v.token) })
		return v != nil
	})
	if last {
		d.warn.Do(func() {
			d.log.Warn("too many wrong tokens for the page came from an address, which is slowed down", "address", clientOf(r.RemoteAddr))
		})
	}
	return v, slowed
}

// saySlowed refuses a token that was not looked at.
func saySlowed(w http.ResponseWriter) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wrongEvery/time.Second)))
	say(w, http.StatusTooManyRequests, "too many wrong tokens came from your address: wait a minute and try again")
}

// same compares in a time that tells nothing of either text.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// guard serves an area to those who may see it. Others are asked for the token by form where they are people.
func (d *door) guard(area string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch v, slowed := d.allows(r, area); {
		case v != nil:
			h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asReviewer{}, v.reviewer)))
			return
		case slowed:
			saySlowed(w)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="shadowd"`)
		if area == Pages && strings.Contains(r.Header.Get("Accept"), "text/html") {
			d.form(w, false)
			return
		}
		say(w, http.StatusUnauthorized, "the token of http.token_file is needed, as Authorization: Bearer TOKEN")
	})
}

// asReviewer is the key of the reviewer's name in the context of a request.
type asReviewer struct{}

// Reviewer is the name of the reviewer who asks, or empty.
func Reviewer(ctx context.Context) string {
	name, _ := ctx.Value(asReviewer{}).(string)
	return name
}

// forReviewers refuses who is no reviewer.
func forReviewers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Reviewer(r.Context()) == "" {
			say(w, http.StatusForbidden, "to review, the token of a reviewer is needed: http.reviewers names them")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// maxLogin bounds the form with the token, in bytes.
const maxLogin = 8 << 10

// login takes the token from the form and gives the cookie for it.
func (d *door) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	token := strings.TrimSpace(r.PostFormValue("token")) // read first: it may take long
	v, slowed := d.opens(r, token)
	switch {
	case slowed:
		saySlowed(w)
		return
	case v == nil:
		d.form(w, true)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: v.ticket, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// answersTo refuses a Host that is no name of loopback where the server listens
// there, and tells browsers to be careful with what they get.
func (a Access) answersTo(policy string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		// Not no-referrer: then a form would name no origin to the server.
		head.Set("Referrer-Policy", "same-origin")
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

// A wrong token may be sent freeWrong times at once by each address of a client, and then one every wrongEvery.
const (
	freeWrong  = 10
	wrongEvery = 6 * time.Second
	// maxAddresses is how many addresses are known that sent a wrong token.
	maxAddresses = 4096
)

// attempts slows down who guesses tokens. Other addresses are never slowed.
type attempts struct {
	mu  sync.Mutex
	of  *lru.Cache[string, *rate.Limiter]
	now func() time.Time
}

func newAttempts() *attempts {
	of, err := lru.New[string, *rate.Limiter](maxAddresses)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &attempts{of: of, now: time.Now}
}

// try compares a token by right, unless too many wrong ones came. last: this was the last one that its address had for
// now. The lock is held meanwhile, so that requests at the same time are no way around.
func (a *attempts) try(remote string, right func() bool) (slowed, last bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	address, now := clientOf(remote), a.now()
	of, known := a.of.Get(address)
	if known && of.TokensAt(now) < 1 {
		return true, false
	}
	if right() {
		return false, false
	}
	if !known {
		of = rate.NewLimiter(rate.Every(wrongEvery), freeWrong)
		a.of.Add(address, of)
	}
	of.AllowN(now, 1)
	return false, of.TokensAt(now) < 1
}

// clientOf is a client's address without its port; of IPv6 the network of 64 bits, in which it has all addresses.
func clientOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is6() {
		network, _ := ip.Prefix(64) // 64 is a length that IPv6 has
		return network.String()
	}
	return ip.String()
}
