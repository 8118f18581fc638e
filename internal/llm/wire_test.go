package llm

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const honest = "Expired tokens are answered with status 401."

// good is what a working server answers.
var good = llmtest.Completion("gpt-5-mini", llmtest.Verdict(honest, "", "passed"))

func answerWith(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// choice is an answer with one choice that reads so.
func choice(s string) http.HandlerFunc {
	return answerWith(200, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[`+s+`]}`)
}

func saying(content string) http.HandlerFunc {
	return answerWith(200, string(llmtest.Completion("m", content)))
}

func hijacked(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, after)
		_ = conn.Close()
	}
}

func broken(message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"x","param":null,"code":null}}`, message+" "+serverWord+" "+testKey)
}

func zipped(n int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(bytes.Repeat([]byte(" "), n))
	_ = w.Close()
	return b.String()
}

// TestFaults: whatever a server does, there is a vote or none with a reason,
// after as many requests and as much waiting as is worthwhile.
func TestFaults(t *testing.T) {
	for name, x := range map[string]struct {
		fault http.Handler
		calls int
		why   string
		waits time.Duration // at least; 0: no time passes
	}{
		"500":                     {answerWith(500, broken("oops")), 4, "answered 500 Internal Server Error, 4 times", time.Second},
		"501":                     {answerWith(501, broken("")), 1, "501", 0},
		"429 with seconds":        {answerWith(429, broken(""), "Retry-After", "7"), 4, "429", 21 * time.Second},
		"429 with a date":         {answerWith(429, broken(""), "Retry-After", "Sat, 01 Jan 2000 00:00:30 GMT"), 4, "429", 30 * time.Second},
		"429 with a fraction":     {answerWith(429, broken(""), "Retry-After", "1.5"), 4, "429", 4500 * time.Millisecond},
		"429 for too long":        {answerWith(429, broken(""), "Retry-After", "3600"), 1, "asks to wait longer than 1m0s", 0},
		"429 with nonsense":       {answerWith(429, broken(""), "Retry-After", "-1e99 soon"), 4, "429", time.Second},
		"400":                     {answerWith(400, broken("no")), 2, "answered 400 Bad Request; it says: no " + serverWord + " [key]", 0},
		"400 too long":            {answerWith(400, broken("maximum context length is 8192 tokens")), 2, "it says: maximum context length is 8192 tokens", 0},
		"401":                     {answerWith(401, broken("Incorrect API key "+testKey)), 1, "is the key right", 0},
		"404":                     {answerWith(404, broken("no such model")), 1, "is the model's name right", 0},
		"413":                     {answerWith(413, broken("")), 1, "answered 413 Request Entity Too Large", 0},
		"304":                     {answerWith(304, ""), 1, "sends elsewhere", 0},
		"redirect":                {answerWith(302, "", "Location", "https://evil.example.net/"+serverWord), 1, "sends elsewhere", 0},
		"slow":                    {slow{}, 4, "no answer within the timeout", 4 * time.Minute},
		"reset":                   {hijacked(""), 4, "broke off", time.Second},
		"cut body":                {hijacked("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n" + string(good[:len(good)/2])), 4, "broke off", time.Second},
		"no JSON":                 {answerWith(200, "{{{"+serverWord), 4, "no JSON", time.Second},
		"an array":                {answerWith(200, "[]"), -1, "", 0},
		"HTML":                    {answerWith(200, "<html>", "Content-Type", "text/html"), 1, "base of an API", 0},
		"plain text":              {answerWith(200, string(good), "Content-Type", "text/plain"), 1, "base of an API", 0},
		"an error with 200":       {answerWith(200, broken("")), 1, "0 replies", 0},
		"a 502 with 200":          {answerWith(200, `{"error":{"code":502,"message":"`+serverWord+`"}}`), 4, "answered 502 Bad Gateway, 4 times", time.Second},
		"a 402 with 200":          {answerWith(200, `{"error":{"code":402,"message":"`+serverWord+`"}}`), 1, "answered 402 Payment Required", 0},
		"too long":                {answerWith(200, strings.Repeat(" ", maxBody)+string(good)), 1, "longer than", 0},
		"too long when unpacked":  {answerWith(200, zipped(maxBody+1), "Content-Encoding", "gzip"), 1, "longer than", 0},
		"bad gzip":                {answerWith(200, "xx", "Content-Encoding", "gzip"), 4, "", time.Second},
		"deep":                    {answerWith(200, strings.Repeat("[", 1<<20)), -1, "", 0},
		"no choice":               {choice(``), 1, "0 replies", 0},
		"two choices":             {choice(`{"message":{"content":"a"}},{"message":{"content":"b"}}`), 1, "2 replies", 0},
		"choice is text":          {choice(`"passed"`), -1, "", 0},
		"refusal":                 {choice(`{"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"` + serverWord + `"}}`), 1, "refused", 0},
		"refusal with a verdict":  {choice(`{"finish_reason":"stop","message":{"role":"assistant","content":` + quoted(llmtest.Verdict(honest, "", "passed")) + `,"refusal":"no"}}`), 1, "refused", 0},
		"filtered with a verdict": {choice(`{"finish_reason":"content_filter","message":{"content":` + quoted(llmtest.Verdict(honest, "", "passed")) + `}}`), 1, "content filter", 0},
		"cut with a verdict":      {choice(`{"finish_reason":"length","message":{"content":` + quoted(llmtest.Verdict(honest, "", "passed")) + `}}`), 1, "cut off", 0},
		"empty content":           {choice(`{"finish_reason":"stop","message":{"content":""}}`), 1, "empty", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					calls++
					x.fault.ServeHTTP(w, r)
				}))
				began := time.Now()
				v, err := NewJudge("strict", c).Vote(t.Context(), question(honest+" "+bundleWord))
				if err != nil {
					t.Fatalf("an error, not a vote of none: %v", err)
				}
				if v.Outcome != shadow.Undecided || v.Why == "" || v.Quote != "" {
					t.Errorf("vote %+v, want none with a reason", v)
				}
				if s := leaks(v.Why); s != "" {
					t.Errorf("the reason holds %q: %s", s, v.Why)
				}
				if !strings.Contains(v.Why, x.why) {
					t.Errorf("reason %q, want %q", v.Why, x.why)
				}
				if x.calls >= 0 && calls != x.calls || v.Calls != calls {
					t.Errorf("%d calls, %d counted, want %d", calls, v.Calls, x.calls)
				}
				if waited := time.Since(began); x.calls >= 0 && (waited < x.waits || x.waits == 0 && waited > 0) {
					t.Errorf("took %v, want %v", waited, x.waits)
				}
			})
		})
	}
}

// TestServerWords: what a server says reaches the operator, in one short line and
// without keys and long pieces of the prompt.
func TestServerWords(t *testing.T) {
	secrets := []string{testKey, "The rules that a judge is given, in words of our own.", "abc| A line of the work that is to be judged here.\nabc| Another line"}
	for body, want := range map[string]string{
		`{"error":{"message":"No such model"}}`: "No such model", `{"error":"No such model"}`: "No such model", `{"message":"No such model","code":1}`: "No such model", `{"detail":"No such model"}`: "No such model",
		`{"detail":[{"msg":"Extra"}]}`: `[{"msg":"Extra"}]`, "No such model": "No such model", "<html>No such model": "", "": "", "null": "", `{"error":null}`: `{"error":null}`,
		"two\nlines\x1b[2J\u202e": "two lines [2J", `{"error":{"message":"Incorrect key: ` + testKey + `, Bearer abc.def or sk-proj-0123456789ab"}}`: "Incorrect key: [key], [key] or [key]",
		strings.Repeat("word ", 100): strings.Repeat("word ", 39) + "word…",
		`{"error":{"message":"refused: The rules that a judge is given, in words of our own. so"}}`:               "refused: […]",
		`{"error":{"message":"refused: abc| A line of the work that is to be judged here.\nabc| Another line!"}}`: "refused: […]",
		"A line of the work that is to be judged":                                                                 "A line of the work that is to be judged", // 39
	} {
		if got := (&response{status: 400, body: []byte(body)}).serverWords(secrets); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestUnreachable: an error says whether the model is out of reach or the prompt
// was refused, and whether it answers at all.
func TestUnreachable(t *testing.T) {
	for name, x := range map[string]struct {
		fault                  http.Handler
		unreachable, reachable bool
	}{
		"a key": {answerWith(401, ""), true, false}, "a key with 400": {answerWith(400, "invalid API key"), true, false}, "forbidden": {answerWith(403, ""), true, false}, "busy": {answerWith(429, ""), true, false},
		"500": {answerWith(500, ""), true, false}, "no model": {answerWith(404, ""), true, false}, "slow": {slow{}, true, false}, "reset": {hijacked(""), true, false}, "HTML": {answerWith(200, "<html>", "Content-Type", "text/html"), true, false},
		"400": {answerWith(400, "too long"), false, true}, "422": {answerWith(422, ""), false, true}, "413": {answerWith(413, ""), false, true}, "moderation": {answerWith(403, "flagged by moderation"), false, true},
		"a filter": {choice(`{"finish_reason":"content_filter","message":{"content":"x"}}`), false, true}, "prose": {saying("Yes, I am."), false, true}, "nothing": {choice(`{"message":{"content":""}}`), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := NewJudge("strict", clientFor(t, x.fault))
				v, err := j.Vote(t.Context(), question(honest))
				if err != nil || v.Outcome != shadow.Undecided || v.Unreachable != x.unreachable {
					t.Errorf("%+v, %v", v, err)
				}
				began := time.Now()
				if err := j.Reachable(t.Context()); (err == nil) != x.reachable || time.Since(began) > maxSmall {
					t.Errorf("reachable: %v, after %v", err, time.Since(began))
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := clientFor(t, llmtest.Handler(func(r *llmtest.Request) string {
			if r.ResponseFormat != nil || len(r.User()) > 100 {
				t.Errorf("%+v", r)
			}
			return "yes"
		}))
		if err := NewJudge("strict", c).Reachable(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestParts: a reply in parts is their text, without what was thought.
func TestParts(t *testing.T) {
	thought := `{"type":"thinking","thinking":[{"type":"text","text":` + quoted(llmtest.Verdict("", "No.", "failed")) + `}]}`
	said := `{"type":"text","text":` + quoted(llmtest.Verdict(honest, "", "passed")) + `}`
	for content, want := range map[string]shadow.Outcome{
		"[" + thought + "," + said + "]": shadow.Passed, "[" + thought + "]": shadow.Undecided, "[" + said + "," + said + "]": shadow.Passed, "[]": shadow.Undecided, "[1]": shadow.Undecided,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := clientFor(t, choice(`{"finish_reason":"stop","message":{"role":"assistant","content":`+content+`}}`))
			if v, err := NewJudge("strict", c).Vote(t.Context(), question(honest)); err != nil || v.Outcome != want {
				t.Errorf("%s: vote %+v, error %v, want %s", content, v, err, want)
			}
		})
	}
}

// TestNoKey: who names no key is told so.
func TestNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientFor(t, answerWith(401, broken("")), func(cfg *Config) { cfg.Key = nil })
		if v, _ := NewJudge("strict", c).Vote(t.Context(), question(honest)); !strings.Contains(v.Why, "401 Unauthorized: no key was sent") {
			t.Errorf("reason %q", v.Why)
		}
	})
}

// slow never answers.
type slow struct{}

func (slow) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
	<-r.Context().Done()
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// TestNoConnection: no server at all.
func TestNoConnection(t *testing.T) {
	for name, x := range map[string]struct {
		err error
		why string
	}{
		"refused": {&net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("connection refused")}, "no connection: dial tcp: connection refused, 4 times"},
		"no host": {&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.example.org", IsNotFound: true}}, "no connection: dial tcp: lookup api.example.org"},
		"other":   {fmt.Errorf("with %s and %s", testKey, serverWord), "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clientFor(t, slow{}, func(cfg *Config) { cfg.Transport = failing{x.err} })
				v, err := NewJudge("strict", c).Vote(t.Context(), question(honest))
				if err != nil || v.Outcome != shadow.Undecided || !strings.Contains(v.Why, x.why) || leaks(v.Why) != "" || v.Calls != 4 {
					t.Errorf("vote %+v, error %v, want %q after 4 calls", v, err, x.why)
				}
			})
		})
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
