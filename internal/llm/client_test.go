package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestRequest: what goes out, and that nothing of the environment does.
func TestRequest(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-another-server")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.example.net/")
	t.Setenv("OPENAI_ORG_ID", "org-of-another-server")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Other: 1")
	for _, key := range []string{testKey, ""} {
		synctest.Test(t, func(t *testing.T) {
			var got llmtest.Request
			var head *http.Request
			c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				head = r
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				answerWith(200, string(good))(w, r)
			}), func(cfg *Config) {
				cfg.URL += "?api-version=v1"
				cfg.Key = func() (string, error) { return key, nil }
			})
			j := NewJudge("strict", c)
			v, err := j.Vote(t.Context(), question("# Sessions\n\n"+honest))
			if err != nil || v.Outcome != shadow.Passed || v.Quote != honest || v.Judge != "strict" || v.Calls != 1 || v.Tokens != 100 {
				t.Fatalf("vote %+v, error %v", v, err)
			}
			want := ""
			if key != "" {
				want = "Bearer " + key
			}
			if head.URL.Path != "/v1/chat/completions" || head.URL.RawQuery != "api-version=v1" || head.Host != "api.example.org" || head.Header.Get("Authorization") != want {
				t.Errorf("asked %s of %s with %q", head.URL, head.Host, head.Header.Get("Authorization"))
			}
			if head.Header.Get("Openai-Organization") != "" || head.Header.Get("X-Other") != "" {
				t.Errorf("headers of the environment: %v", head.Header)
			}
			f := got.ResponseFormat
			if got.Model != "gpt-5-mini" || got.Stream || got.Temperature == nil || *got.Temperature != 0 || got.Seed == nil || got.MaxCompletionTokens != nil ||
				f == nil || f.Type != "json_schema" || !f.JSONSchema.Strict || len(got.Messages) != 2 {
				t.Errorf("request %+v", got)
			}
			// Evidence before the verdict, on the wire too.
			if s := string(f.JSONSchema.Schema); strings.Index(s, `"evidence"`) > strings.Index(s, `"verdict"`) || !strings.Contains(s, `"verdict"`) {
				t.Errorf("schema %s", s)
			}
			if strings.Contains(got.System()+got.User(), "{{") {
				t.Error("a place in the prompt was not filled in")
			}
			if ref := j.Ref(); ref.Name != "strict" || ref.Model.Model != "gpt-5-mini" || ref.Family != "gpt" || !strings.HasPrefix(ref.Prompt, "sha256:") {
				t.Errorf("ref %+v", ref)
			}
		})
	}
}

// TestBare: a request that is refused is put once with nothing that a server may
// not take, and so from then on if that is what was wrong.
func TestBare(t *testing.T) {
	const complaint = `{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`
	for name, x := range map[string]struct {
		refuses func(r *llmtest.Request) bool
		status  int
		body    string
		calls   [2]int // of the first and the second vote
		want    shadow.Outcome
	}{
		"a seed":                {func(r *llmtest.Request) bool { return r.Seed != nil }, 422, complaint, [2]int{2, 1}, shadow.Passed},
		"in other words":        {func(r *llmtest.Request) bool { return r.ResponseFormat != nil }, 400, "nicht erlaubt", [2]int{2, 1}, shadow.Passed},
		"a limit":               {func(r *llmtest.Request) bool { return r.MaxCompletionTokens != nil }, 400, "too many tokens", [2]int{2, 1}, shadow.Passed},
		"all":                   {func(*llmtest.Request) bool { return true }, 400, "the prompt is too long", [2]int{2, 2}, shadow.Undecided},
		"a key":                 {func(*llmtest.Request) bool { return true }, 400, `{"error":{"message":"API key not valid"}}`, [2]int{1, 1}, shadow.Undecided},
		"a key with its status": {func(*llmtest.Request) bool { return true }, 401, complaint, [2]int{1, 1}, shadow.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					calls++
					var body map[string]json.RawMessage
					raw, _ := io.ReadAll(r.Body)
					var got llmtest.Request
					if json.Unmarshal(raw, &body) != nil || json.Unmarshal(raw, &got) != nil || string(body["stream"]) != "false" {
						t.Errorf("request %s", raw)
					}
					if x.refuses(&got) {
						answerWith(x.status, x.body)(w, r)
						return
					}
					if got.Temperature != nil || got.Seed != nil || got.ResponseFormat != nil || len(body) != 3 {
						t.Errorf("request %s", raw)
					}
					answerWith(200, string(good))(w, r)
				}), func(cfg *Config) { cfg.MaxTokens = 4000 })
				j := NewJudge("strict", c)
				for vote, want := range x.calls {
					calls = 0
					v, err := j.Vote(t.Context(), question(honest))
					if err != nil || v.Outcome != x.want || calls != want || v.Calls != want {
						t.Errorf("vote %d: %+v of %d calls, error %v", vote, v, calls, err)
					}
				}
			})
		})
	}
}

// TestRecovers: what a server gets over is a vote, and the cost says what it
// took.
func TestRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			<-time.After(time.Millisecond) // until the client waits for more: else it may see nothing but the end
			panic(http.ErrAbortHandler)
		}
		script := []http.HandlerFunc{answerWith(500, ""), cut, answerWith(200, string(good))}
		calls := 0
		c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			script[calls-1](w, r)
		}))
		v, err := NewJudge("strict", c).Vote(t.Context(), question(honest))
		if err != nil || v.Outcome != shadow.Passed || v.Calls != 3 || v.Tokens <= 100 {
			t.Errorf("vote %+v, error %v: want a pass after 3 calls that counts the broken reply too", v, err)
		}
	})
}

// TestTokens: a server that counts nothing, or nonsense, does not make a
// budget void.
func TestTokens(t *testing.T) {
	for _, usage := range []string{`null`, `{}`, `{"total_tokens":-5}`, `{"total_tokens":9223372036854775807,"prompt_tokens":9223372036854775807,"completion_tokens":1}`, `{"total_tokens":"many"}`} {
		synctest.Test(t, func(t *testing.T) {
			body := `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"finish_reason":"stop","message":{"content":` +
				quoted(llmtest.Verdict(honest, "", "passed")) + `}}],"usage":` + usage + `}`
			v, err := NewJudge("strict", clientFor(t, answerWith(200, body))).Vote(t.Context(), question(honest))
			if err != nil || v.Tokens < 500 || v.Tokens > 10_000 {
				t.Errorf("usage %s: vote %+v, error %v", usage, v, err)
			}
		})
	}
}

// TestPrice: a vote costs what its tokens do, those that the server had in its cache
// less, and the client has the sum, what failed included.
func TestPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage := `{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":800}}`
		body := `{"model":"m","choices":[{"finish_reason":"stop","message":{"content":` + quoted(llmtest.Verdict(honest, "", "passed")) + `}}],"usage":` + usage + `}`
		for _, c := range []struct {
			price Price
			want  int64
		}{{Price{}, 0}, {Price{Input: 2, Cached: 0.5, Output: 10}, 200*2 + 800/2 + 100*10}, {Price{Input: 2, Cached: 2, Output: 10}, 1000*2 + 100*10}} {
			client := clientFor(t, answerWith(200, body))
			client.cfg.Price = c.price
			v, err := NewJudge("strict", client).Vote(t.Context(), question(honest))
			if err != nil || v.Micros != c.want || client.Spent() != c.want {
				t.Errorf("%+v: %d of %d, %v, want %d", c.price, v.Micros, client.Spent(), err, c.want)
			}
		}
		client := clientFor(t, answerWith(200, "{"))
		client.cfg.Price = Price{Input: 1}
		v, err := NewJudge("strict", client).Vote(t.Context(), question(honest))
		if err != nil || v.Micros == 0 || v.Micros != v.Tokens || client.Spent() != v.Micros {
			t.Errorf("broken replies: %+v, %d, %v", v, client.Spent(), err)
		}
	})
}

// TestStops: a caller that gives up waits for nothing.
func TestStops(t *testing.T) {
	for name, h := range map[string]http.Handler{"request": slow{}, "backoff": answerWith(429, "", "Retry-After", "50")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				began := time.Now()
				v, err := NewJudge("strict", clientFor(t, h)).Vote(ctx, question(honest))
				if !errors.Is(err, context.Canceled) || v.Outcome != shadow.Undecided || v.Calls != 1 || time.Since(began) != time.Second {
					t.Errorf("vote %+v, error %v after %v", v, err, time.Since(began))
				}
			})
		})
	}
}

// TestConcurrency: no more requests at a time than configured.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			<-time.After(time.Second)
			now.Add(-1)
			answerWith(200, string(good))(w, r)
		}), func(cfg *Config) { cfg.Concurrency = 3 })
		j := NewJudge("strict", c)
		began := time.Now()
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				if v, err := j.Vote(t.Context(), question(honest)); err != nil || v.Outcome != shadow.Passed {
					t.Errorf("vote %+v, error %v", v, err)
				}
			})
		}
		all.Wait()
		if most.Load() != 3 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at a time, %v for 9: want 3, 3s", most.Load(), time.Since(began))
		}
	})
}

// TestNotSent: with a key that cannot be read or sent, which the reason does not hold,
// and of a prompt that does not fit nothing goes out.
func TestNotSent(t *testing.T) {
	for name, x := range map[string]struct {
		key   string
		err   error
		lines int
		why   string
	}{
		"error": {"", errors.New("open key: no such file"), 1, "its key"}, "newline": {testKey + "\nX-Other: 1", nil, 1, "its key"}, "umlaut": {testKey + "ü", nil, 1, "its key"},
		"too long": {testKey, nil, 5000, "too long"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := clientFor(t, answerWith(200, string(good)), func(cfg *Config) { cfg.Key = func() (string, error) { return x.key, x.err } })
			v, err := NewJudge("strict", c).Vote(t.Context(), question(strings.Repeat(honest+"\n", x.lines)))
			if err != nil || v.Outcome != shadow.Undecided || !strings.Contains(v.Why, x.why) || leaks(v.Why) != "" || v.Calls != 0 {
				t.Errorf("%s: vote %+v, error %v", name, v, err)
			}
		})
	}
}

// TestSees: a judge sees the criterion, the work and the task, and nothing
// else of the envelope.
func TestSees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := question("The content.")
		q.Bundle.Summary = "The summary."
		q.Bundle.Conflicts = []shadow.Conflict{{Description: "The conflict.", Resolution: "The end of it."}}
		q.Criterion.Check, q.Criterion.Basis = "text.contains('hiddencheck')", "hiddenbasis"
		q.Criterion.Author = "hiddenauthor"
		var user string
		voteOn(t, q, func(r *llmtest.Request) string { user = r.User(); return "" })
		for part, want := range map[string]string{
			"content": "The content.", "summary": "The summary.", "conflict": "The conflict.\nResolution: The end of it.",
			"task":      "Write the session handling\n- sub-task: Answer expired tokens",
			"criterion": "category: error_handling\nassertion: " + q.Criterion.Assertion + "\nexpected: A status such as 401.",
		} {
			if got := llmtest.Find(user, part); got != want {
				t.Errorf("%s is %q, want %q", part, got, want)
			}
		}
		if strings.Contains(user, "hidden") {
			t.Errorf("the judge sees what it must not: %s", user)
		}
	})
}
