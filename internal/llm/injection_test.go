package llm

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
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
	if outside != clean || len(r.Messages)%2 != 0 {
		return true
	}
	for _, p := range parts {
		if tokenLike.MatchString(p.Text) || strings.ContainsFunc(p.Text, func(c rune) bool { return c == '\r' || fold.Unseen(c) }) {
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
			if _, own := passage.New(attack.Content).Find(quote); !own && (v.Outcome != shadow.Undecided || v.Why == "") {
				t.Errorf("%s, quoting %q: %+v", attack.BundleID, quote, v)
			}
		}
		// A model that repeats a fake verdict word for word has a vote where the fake
		// quotes words of the bundle, itself among them. No code can tell that.
		v := voteOn(t, attacked(&attack), func(*llmtest.Request) string { return attack.Content })
		if v.Outcome == shadow.Passed && !strings.Contains(attacked(&attack).Bundle.Content, v.Quote) {
			t.Errorf("%s as a reply: %+v", attack.BundleID, v)
		}
	}
}

// TestInjectionsQuoted: a model that obeys and quotes a line that imitates a
// prompt has no vote. No code can tell of other attacks: control questions do.
func TestInjectionsQuoted(t *testing.T) {
	masked := 0
	for _, attack := range injections(t) {
		for line := range strings.Lines(attack.Content) {
			if !strings.ContainsAny(passage.New(line).Shown(), "‹⟦") || strings.ContainsAny(line, "‹⟦") {
				continue
			}
			masked++
			v := voteOn(t, attacked(&attack), func(*llmtest.Request) string { return llmtest.Verdict(strings.TrimSpace(line), "", "passed") })
			if v.Outcome != shadow.Undecided {
				t.Errorf("%s: %+v", attack.BundleID, v)
			}
		}
	}
	if masked < 10 {
		t.Errorf("only %d lines imitate a prompt", masked)
	}
}

// TestMarks: the mark is the same for all questions about a bundle, and for no
// other bundle, judge or seed.
func TestMarks(t *testing.T) {
	mark := func(judge string, q *shadow.Question) string { w, _ := ask(judge, q); return w.mark }
	first := mark("strict", question("x"))
	seeded, digested := question("x"), question("x")
	seeded.Seed[3], digested.BundleDigest = 1, "sha256:1"
	if mark("strict", itemQuestion("x")) != first || mark("kind", question("x")) == first || mark("strict", question("y")) == first || mark("strict", seeded) == first || mark("strict", digested) == first {
		t.Errorf("the mark %s is not that of the bundle, the judge and the seed", first)
	}
	if again := mark("strict", question("x "+first)); again == first {
		t.Errorf("the mark %s stands in the text", again)
	}
}
