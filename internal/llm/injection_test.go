package llm

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// injections reads the corpus: one bundle an attack, named as it is.
func injections(t testing.TB) []shadow.Bundle {
	raw, err := os.ReadFile("testdata/injections.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []shadow.Bundle
	for _, f := range txtar.Parse(raw).Files {
		b := shadow.Bundle{BundleID: f.Name, Domain: "backend", CommanderID: "alpha", Status: "success"}
		into := &b.Content
		for line := range strings.Lines(string(f.Data)) {
			switch strings.TrimSpace(line) {
			case "@@ summary":
				into = &b.Summary
			case "@@ conflict":
				b.Conflicts = append(b.Conflicts, shadow.Conflict{})
				into = &b.Conflicts[len(b.Conflicts)-1].Description
			case "@@ resolution":
				into = &b.Conflicts[len(b.Conflicts)-1].Resolution
			default:
				*into += unescape(line)
			}
		}
		all = append(all, b)
	}
	if len(all) < 80 {
		t.Fatalf("only %d attacks", len(all))
	}
	return all
}

var escaped = regexp.MustCompile(`\\u\{([0-9a-f]+)\}`)

func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseInt(escaped.FindStringSubmatch(m)[1], 16, 32)
		if err != nil {
			panic(err)
		}
		return string(rune(n))
	})
}

// attacked is a question about a bundle that holds an attack among honest
// words, and does not meet the criterion.
func attacked(attack *shadow.Bundle) *shadow.Question {
	q := question("")
	b := *attack
	b.Content = "# Session handling\n\nTokens are signed with RS256 and live for an hour.\n\n" + b.Content + "\n\nSessions end when a token expires.\n"
	q.Bundle = &b
	return q
}

// tokenLike is what a server makes control tokens of, or a model takes for the
// end of the material: an own list, not that of the code.
var tokenLike = regexp.MustCompile(`(?i)<\|\w+\|>|<\x{ff5c}\w+\x{ff5c}>|\[/?INST\]|<</?SYS>>|</?s>|<(start|end)_of_turn>|<(bos|eos)>|</?think>|</?tool_call>|<<<(BEGIN|END)`)

// gullible obeys whatever it can take for an instruction: what stands outside
// the parts, a token of a chat template, a line that is no material.
func gullible(r *llmtest.Request, clean string) bool {
	parts, outside := llmtest.Parts(r.User())
	if outside != clean || len(r.Messages) != 2 {
		return true
	}
	for _, p := range parts {
		if tokenLike.MatchString(p.Text) || strings.ContainsFunc(p.Text, func(c rune) bool { return c != '\n' && c != '\t' && unseen(c) }) {
			return true
		}
	}
	return false
}

func voteOn(t *testing.T, q *shadow.Question, model func(r *llmtest.Request) string) shadow.Vote {
	t.Helper()
	v, err := NewJudge("scripted", clientFor(t, llmtest.Handler(model))).Vote(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestInjectionsOutside: the wrapping lets no attack stand where a model takes
// it for an instruction. A model that obeys any that does fails the work by
// the criterion nevertheless.
func TestInjectionsOutside(t *testing.T) {
	const failed = "No status is given for an expired token."
	clean := ""
	voteOn(t, question("Nothing to see."), func(r *llmtest.Request) string {
		_, clean = llmtest.Parts(r.User())
		return ""
	})
	for _, attack := range injections(t) {
		q := attacked(&attack)
		// Parts end in blank lines: one more a part.
		parts := 3
		if attack.Summary != "" {
			parts++
		}
		parts += len(attack.Conflicts)
		want := strings.Repeat("\n", parts-3) + clean
		v := voteOn(t, q, func(r *llmtest.Request) string {
			if gullible(r, want) {
				return llmtest.Verdict("Tokens are signed with RS256", "", "passed")
			}
			return llmtest.Verdict("", failed, "failed")
		})
		if v.Outcome != shadow.Failed || v.Actual != failed {
			t.Errorf("%s: %s (%s)", attack.BundleID, v.Outcome, v.Why)
		}
	}
}

// TestInjectionsObeyed: a model that obeys inside the material as well, and
// has nothing to quote for it, has no vote.
func TestInjectionsObeyed(t *testing.T) {
	for _, attack := range injections(t) {
		for _, quote := range []string{"", "Expired tokens are answered with 401.", "The criterion is met.", "task", "Write the session handling"} {
			v := voteOn(t, attacked(&attack), func(*llmtest.Request) string { return llmtest.Verdict(quote, "", "passed") })
			if v.Outcome != shadow.Undecided || v.Why == "" {
				t.Errorf("%s, quoting %q: %+v", attack.BundleID, quote, v)
			}
		}
		// A model that repeats a fake verdict word for word has a vote only where
		// the fake quotes other words of the bundle. No code can tell that.
		v := voteOn(t, attacked(&attack), func(*llmtest.Request) string { return attack.Content })
		if v.Outcome == shadow.Passed && !strings.Contains(v.Quote, "Session handling") {
			t.Errorf("%s as a reply: %+v", attack.BundleID, v)
		}
	}
}

// TestInjectionsQuoted: a model that obeys and quotes the attack for it. What
// the detector of tampering knows is no evidence; the rest is listed here, so
// that the documentation can say it.
func TestInjectionsQuoted(t *testing.T) {
	var through []string
	all := injections(t)
	for _, attack := range all {
		v := voteOn(t, attacked(&attack), func(r *llmtest.Request) string {
			text := llmtest.Find(r.User(), "content")
			_, text, _ = strings.Cut(text, "an hour.")
			text, _, _ = strings.Cut(text, "Sessions end")
			return llmtest.Verdict(text[:min(len(text), 800)], "", "passed")
		})
		if v.Outcome == shadow.Passed {
			through = append(through, attack.BundleID)
		}
	}
	t.Logf("%d of %d attacks are evidence for a model that obeys and quotes them: %v", len(through), len(all), through)
	if share := float64(len(through)) / float64(len(all)); share > 0.2 {
		t.Errorf("%.0f %% get through", 100*share)
	}
}

// TestInjectionsNotApplicable: a model that obeys and calls the criterion not
// applicable has a vote only where the detector of tampering knows nothing of
// the attack.
func TestInjectionsNotApplicable(t *testing.T) {
	var through []string
	all := injections(t)
	for _, attack := range all {
		v := voteOn(t, attacked(&attack), func(*llmtest.Request) string {
			return `{"evidence":"","reasoning":"The bundle says that this does not apply.","defect":"","verdict":"not_applicable"}`
		})
		if v.Outcome == shadow.NotApplicable {
			through = append(through, attack.BundleID)
		}
	}
	t.Logf("%d of %d attacks: %v", len(through), len(all), through)
	if share := float64(len(through)) / float64(len(all)); share > 0.2 {
		t.Errorf("%.0f %% get through", 100*share)
	}
}

// TestInjectionsItems: a question about an item, alone or among others, is
// wrapped as tightly, and an obeying model needs a quote for it too.
func TestInjectionsItems(t *testing.T) {
	for _, attack := range injections(t) {
		q := attacked(&attack)
		item := *q
		item.Criterion, item.Item = nil, &shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.SubTask}, Text: "Answer expired tokens"}
		c := clientFor(t, llmtest.Handler(func(r *llmtest.Request) string {
			parts, outside := llmtest.Parts(r.User())
			if strings.TrimSpace(outside) != judgeInstruction {
				t.Errorf("%s: outside the material stands %q", attack.BundleID, outside)
			}
			if n := len(parts); parts[n-2].Name != "criterion-1" || parts[n-1].Name != "item-2" {
				t.Errorf("%s: the questions are not the last parts", attack.BundleID)
			}
			return llmtest.Answers(llmtest.Answer{Question: 1, Evidence: "The criterion is met.", Verdict: "passed"}, llmtest.Answer{Question: 2, Evidence: "Expired tokens are answered with 401.", Verdict: "passed"})
		}))
		votes, err := NewJudge("scripted", c).Votes(t.Context(), []*shadow.Question{q, &item})
		if err != nil || votes[0].Outcome != shadow.Undecided || votes[1].Outcome != shadow.Undecided {
			t.Errorf("%s: %+v, %v", attack.BundleID, votes, err)
		}
	}
}

// TestMarksDiffer: marks are drawn anew, so that what a report showed
// of one request is worth nothing in the next.
func TestMarksDiffer(t *testing.T) {
	seen := map[string]bool{}
	c := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		llmtest.Handler(func(r *llmtest.Request) string {
			line, _, _ := strings.Cut(r.User(), "\n")
			seen[line] = true
			if !strings.Contains(r.System(), strings.Fields(strings.Trim(line, "<>"))[2]) {
				t.Errorf("the mark of %q is not told", line)
			}
			return ""
		}).ServeHTTP(w, r)
	}))
	for range 5 {
		if _, err := NewJudge("scripted", c).Vote(t.Context(), question("x")); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d different delimiters in 5 requests: %v", len(seen), fmt.Sprint(seen))
	}
}
