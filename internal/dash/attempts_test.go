package dash

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlowed: after ten wrong tokens an address is slowed, by whichever way they came, and then not even the right
// one is looked at. Who is elsewhere, or has a cookie, is let in all the while.
func TestSlowed(t *testing.T) {
	o := options(Access{Token: token}, func() []string { return nil })
	h := Handler(o)
	from := func(address string, change func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/status", nil)
		r.RemoteAddr = address
		change(r)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	login := func(token string) func(*http.Request) {
		return func(r *http.Request) {
			form := httptest.NewRequest("POST", "/login", strings.NewReader(url.Values{"token": {token}}.Encode()))
			form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			form.RemoteAddr = r.RemoteAddr
			*r = *form
		}
	}
	in := from("192.0.2.1:1", login(token))
	if in.Code != http.StatusSeeOther {
		t.Fatal(in.Code)
	}
	for i := range freeWrong {
		way := bearer
		if i%2 == 0 {
			way = login
		}
		if w := from(fmt.Sprintf("192.0.2.1:%d", i), way(fmt.Sprint("wrong", i))); w.Code != http.StatusUnauthorized {
			t.Fatalf("wrong token %d: %d", i, w.Code)
		}
	}
	for _, c := range []struct {
		what, address string
		change        func(*http.Request)
		want          int
	}{
		{"a further wrong token", "192.0.2.1:1", bearer("wrong"), 429},
		{"the right token", "192.0.2.1:1", bearer(token), 429},
		{"the right token in the form", "192.0.2.1:1", login(token), 429},
		{"a cookie", "192.0.2.1:1", func(r *http.Request) { r.AddCookie(in.Result().Cookies()[0]) }, 200},
		{"no token", "192.0.2.1:1", func(*http.Request) {}, 401},
		{"the right token from elsewhere", "192.0.2.2:1", bearer(token), 200},
	} {
		w := from(c.address, c.change)
		if w.Code != c.want || (w.Header().Get("Retry-After") != "") != (c.want == 429) {
			t.Errorf("%s: %d %v, want %d", c.what, w.Code, w.Header(), c.want)
		}
	}
}

// TestAttempts: wrong tokens are bounded for an address, also for requests at the same time, and time gives new ones.
func TestAttempts(t *testing.T) {
	a, now := newAttempts(), time.Now()
	a.now = func() time.Time { return now }
	looked := func(address string, right bool) bool {
		slowed, _ := a.try(address, func() bool { return right })
		return !slowed
	}
	var wrong atomic.Int32
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			if looked(fmt.Sprintf("[2001:db8::%x]:1", i), false) { // one network
				wrong.Add(1)
			}
		})
	}
	if all.Wait(); wrong.Load() != freeWrong {
		t.Errorf("%d wrong tokens of one network were looked at, want %d", wrong.Load(), freeWrong)
	}
	if now = now.Add(wrongEvery); !looked("[2001:db8::1]:1", false) || looked("[2001:db8::1]:1", false) {
		t.Error("after a while there is not one more")
	}
}
