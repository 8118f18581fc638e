package dash

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const policy = "default-src 'none'"

// options are those of a server whose page is a text.
func options(a Access, missing func() []string) Options {
	text := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, text) })
	}
	pages := http.NewServeMux()
	pages.Handle("GET /{$}", text("runs"))
	pages.HandleFunc("POST /runs/{run}/work/{domain}", func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, Reviewer(r.Context())) })
	return Options{Metrics: newMetrics(), Missing: missing, Warnings: func() []string { return nil }, Access: a, Log: quiet, Policy: policy, Pages: pages, Assets: text("style"),
		Status: func(context.Context) Status { return Status{Version: "v1"} },
		Login:  func(w http.ResponseWriter, wrong bool) { say(w, http.StatusUnauthorized, "the form") }}
}

const token = "0123456789abcdefghij"

func serverWith(t *testing.T, a Access) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(Handler(options(a, func() []string { return nil })))
	t.Cleanup(s.Close)
	return s
}

// ask returns the status and the body of an answer.
func ask(t *testing.T, s *httptest.Server, path string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest("GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	res, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header
}

// TestToken: what is not open needs the token, and nothing but the token will do.
func TestToken(t *testing.T) {
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	withCookie := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookie, Value: value}) }
	}
	access := Access{Token: token, Open: []string{Health}}
	for _, path := range []string{"/", "/metrics", "/status", "/nothing"} {
		s := serverWith(t, access) // of each, since wrong tokens are slowed
		for name, change := range map[string]func(*http.Request){
			"nothing": nil, "an empty token": bearer(""), "another one": bearer(token + "x"), "a part": bearer(token[1:]),
			"the token as a cookie": withCookie(token), "an empty cookie": withCookie(""),
		} {
			code, body, head := ask(t, s, path, change)
			if code != http.StatusUnauthorized || !strings.Contains(body, "token") || !strings.HasPrefix(head.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s with %s: %d %s", path, name, code, body)
			}
		}
		if code, body, _ := ask(t, s, path, bearer(token)); code == http.StatusUnauthorized {
			t.Errorf("%s with the token: %d %s", path, code, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/assets/page.css"} {
		if code, body, _ := ask(t, serverWith(t, access), path, nil); code != http.StatusOK {
			t.Errorf("%s is open, and answers %d %s", path, code, body)
		}
	}
}

// TestLogin: people get a form, and for the token a cookie that stands for it.
func TestLogin(t *testing.T) {
	s := serverWith(t, Access{Token: token})
	if code, body, _ := ask(t, s, "/", func(r *http.Request) { r.Header.Set("Accept", "text/html,*/*") }); code != http.StatusUnauthorized || body != "the form\n" {
		t.Errorf("%d %s", code, body)
	}
	post := func(form url.Values) *http.Response {
		req, err := http.NewRequest("POST", s.URL+"/login", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	for _, wrong := range []url.Values{{}, {"token": {""}}, {"token": {"wrong"}}, {"token": {strings.Repeat("x", 1<<20)}}} {
		if res := post(wrong); res.StatusCode != http.StatusUnauthorized || len(res.Cookies()) > 0 {
			t.Errorf("%d with %v", res.StatusCode, res.Cookies())
		}
	}
	res := post(url.Values{"token": {" " + token + "\n"}})
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
		t.Fatalf("%d with %v", res.StatusCode, res.Cookies())
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, token) {
		t.Errorf("the cookie is %v", c)
	}
	if code, body, _ := ask(t, s, "/", func(r *http.Request) { r.AddCookie(c) }); code != http.StatusOK {
		t.Errorf("with the cookie: %d %s", code, body)
	}
	open := serverWith(t, Access{})
	if code, body, _ := ask(t, open, "/", nil); code != http.StatusOK {
		t.Errorf("without a token in the configuration: %d %s", code, body)
	}
}

// TestHost: on loopback only names of loopback are answered to, and every
// answer has the headers that make browsers careful.
func TestHost(t *testing.T) {
	local, remote := serverWith(t, Access{Local: true}), serverWith(t, Access{Token: token, Open: []string{Health, Metric, Pages}})
	for host, want := range map[string]int{
		"127.0.0.1:9470": 200, "127.0.0.2": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:9470": 200, "[::1]": 200,
		"evil.example": 421, "localhost.evil.example:9470": 421, "127.0.0.1.evil.example": 421, "10.0.0.1:9470": 421, "": 421,
	} {
		as := func(r *http.Request) {
			if r.Host = host; host == "" {
				r.Host = "-"
			}
		}
		code, _, head := ask(t, local, "/healthz", as)
		if code != want {
			t.Errorf("Host %q: %d, want %d", host, code, want)
		}
		if head.Get("Content-Security-Policy") != policy || head.Get("X-Content-Type-Options") != "nosniff" || head.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("headers %v", head)
		}
		if code, _, _ := ask(t, remote, "/healthz", as); code != 200 {
			t.Errorf("off loopback, Host %q: %d", host, code)
		}
	}
}

// TestReviewers: only who has a reviewer's token may post a review, in the name of the
// token, and only from the page itself.
func TestReviewers(t *testing.T) {
	access := Access{Token: token, Reviewers: map[string]string{token + "-anna": "anna", token + "-bob": "bob"}}
	with := func(token string, head ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			for i := 0; i < len(head); i += 2 {
				r.Header.Set(head[i], head[i+1])
			}
		}
	}
	anna := token + "-anna"
	for name, c := range map[string]struct {
		access Access
		change func(*http.Request)
		want   int
		body   string
	}{
		"anna":                   {access, with(anna), 200, "anna"},
		"bob":                    {access, with(token + "-bob"), 200, "bob"},
		"a reader":               {access, with(token), 403, "reviewer is needed"},
		"nobody":                 {access, nil, 401, "token"},
		"no tokens at all":       {Access{}, with(anna), 403, "reviewer is needed"},
		"from the page":          {access, with(anna, "Sec-Fetch-Site", "same-origin"), 200, "anna"},
		"from an old browser":    {access, with(anna, "Origin", "http://page"), 200, "anna"},
		"another website":        {access, with(anna, "Sec-Fetch-Site", "cross-site"), 403, "another website"},
		"another port":           {access, with(anna, "Sec-Fetch-Site", "same-site"), 403, "another website"},
		"another website, old":   {access, with(anna, "Origin", "http://evil.example"), 403, "another website"},
		"a website with no name": {access, with(anna, "Origin", "null"), 403, "another website"},
		"a reviewer reads":       {access, func(r *http.Request) { with(anna)(r); r.Method, r.URL.Path = "GET", "/" }, 200, "runs"},
	} {
		code, body, _ := ask(t, serverWith(t, c.access), "/runs/r/work/d", func(r *http.Request) {
			if r.Method, r.Host = "POST", "page"; c.change != nil {
				c.change(r)
			}
		})
		if code != c.want || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %s", name, code, body)
		}
	}
}

// TestReadOnly: nothing but the form of the token can be posted.
func TestReadOnly(t *testing.T) {
	s := serverWith(t, Access{})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		for _, path := range []string{"/", "/metrics", "/status", "/healthz", "/runs/x"} {
			code, _, _ := ask(t, s, path, func(r *http.Request) { r.Method = method })
			if code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, code)
			}
		}
	}
}

// TestOpenMetrics: who asks for OpenMetrics gets it.
func TestOpenMetrics(t *testing.T) {
	s := serverWith(t, Access{})
	code, body, head := ask(t, s, "/metrics", func(r *http.Request) { r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0") })
	if code != 200 || !strings.HasPrefix(head.Get("Content-Type"), "application/openmetrics-text") || !strings.HasSuffix(body, "# EOF\n") {
		t.Errorf("%d %s …%s", code, head.Get("Content-Type"), body[max(0, len(body)-40):])
	}
}

// TestLastError: the last warning or error is known, whatever part of the program said it.
func TestLastError(t *testing.T) {
	l := NewLastError(slog.NewTextHandler(io.Discard, nil))
	log := slog.New(l)
	log.Info("all is well")
	if l.Get() != nil {
		t.Errorf("%+v", l.Get())
	}
	log.With("run", "r").WithGroup("g").Warn("the bus is gone", "error", "refused", "other", 1)
	if got := l.Get(); got == nil || got.Message != "the bus is gone: refused" || got.Level != slog.LevelWarn || got.Time.IsZero() {
		t.Errorf("%+v", got)
	}
	if log.Warn("sealing", "note", "an author failed"); l.Get().Message != "sealing: an author failed" {
		t.Errorf("%+v", l.Get())
	}
	log.Warn("event rejected", "subject", "swarm.bundle-complete.my-run.cmd", "sequence", 7, "reason", "slot_taken", "why", "it has its bundle")
	if want := "event rejected: swarm.bundle-complete.my-run.cmd: slot_taken: it has its bundle"; l.Get().Message != want {
		t.Errorf("%+v", l.Get())
	}
	if l.Forget(); l.Get() != nil {
		t.Errorf("%+v", l.Get())
	}
}
