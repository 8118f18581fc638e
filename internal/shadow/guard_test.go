package shadow

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const guardToken = "zq-0123456789abcdef0123456789abcdef"

// guardedExam is an envelope with something of everything that is sealed.
func guardedExam() *Exam {
	e := &Envelope{
		RunID: "run-1", Task: "Build a limiter", Salt: strings.Repeat("5a17", 16),
		Decoy: Decoy{Token: guardToken},
		Domains: []Domain{{Domain: "api", CommanderID: "cmd-api", SubTasks: []string{
			"Return HTTP 429 with a Retry-After header when the bucket of the API key is empty"}}},
		Criteria: []Criterion{{
			Assertion: "The rollback procedure restores the previous schema version before any traffic reaches the migrated replicas.",
			Expected:  "Twelve hours or less.",
			Check:     "text.addresses('roll back')",
			Material: map[string]Material{"api": {
				Message: "say how the migration is undone, and the version before any traffic reaches the migrated replicas restored; twelve hours or less; park orphaned refunds in the dead letters table",
				Data: map[string]any{"word": "authentication", "list": []any{
					"return HTTP 429 with a Retry-After header when the bucket of the API key is empty",
					"park orphaned refunds in the dead letters table",
					map[string]any{"phrase": "quarantined ledgers reopen after reconciliation"},
					"回滚程序必须在任何流量到达之前恢复以前的版本",
				}},
			}},
		}},
	}
	return &Exam{Envelope: e, guard: newGuard(e.Criteria, e.Decoy.Token)}
}

// What is sealed is recognised in other clothes, and in pieces.
func TestLeaks(t *testing.T) {
	x := guardedExam()
	assertion := x.Envelope.Criteria[0].Assertion
	spread := func(s, with string) string { return strings.Join(strings.Split(s, ""), with) }
	for _, c := range []struct{ name, text string }{
		{"the assertion", "So: " + assertion},
		{"the expectation", "within twelve hours, or less"},
		{"the check", "text.addresses(\"roll back\")"},
		{"material", "the Quarantined Ledgers reopen, after reconciliation"},
		{"the token", "I read " + guardToken},
		{"the token inside a word", "x" + strings.ToUpper(guardToken[3:]) + "y"},
		{"the token, with invisible joints", spread(guardToken, "\u200b")},
		{"the salt", x.Envelope.Salt},
		{"a run of words", "note that it RESTORES the previous-schema version before any traffic reaches you"},
		{"a run with other small words", "restores a previous schema version before all the traffic reaches"},
		{"capitals and punctuation", "THE_ROLLBACK; PROCEDURE… restores\n\tprevious «schema» version"},
		{"full-width letters", "ｒｅｓｔｏｒｅｓ ｔｈｅ ｐｒｅｖｉｏｕｓ ｓｃｈｅｍａ ｖｅｒｓｉｏｎ ｂｅｆｏｒｅ ａｎｙ ｔｒａｆｆｉｃ"},
		{"mathematical letters", "𝐫𝐞𝐬𝐭𝐨𝐫𝐞𝐬 𝘵𝘩𝘦 𝓹𝓻𝓮𝓿𝓲𝓸𝓾𝓼 𝔰𝔠𝔥𝔢𝔪𝔞 𝕧𝕖𝕣𝕤𝕚𝕠𝕟 𝚋𝚎𝚏𝚘𝚛𝚎 any traffic"},
		{"Cyrillic and Greek letters", "rеstоrеs the рrеvιous sсhеmа vеrsιοn bеfοrе any trаffιс"},
		{"capital look-alikes", "RΕЅΤORES ТHE РRЕVΙOUS ЅCНEМА VERSION BEFORE ANY ТRАFFIC"},
		{"zero-width spaces", "res\u200btores the previ\u200cous sche\u200dma ver\u2060sion be\ufefffore any traf\u180efic"},
		{"soft hyphens", "res\u00adtores the pre\u00advious sche\u00adma ver\u00adsion be\u00adfore any traf\u00adfic"},
		{"turned directions", "\u202erestores\u202c the previous \u2066schema\u2069 version before any traffic"},
		{"tags and selectors", "restores\U000e0041 the previous\ufe0f schema version before any traffic"},
		{"accents", "réstörés thé prevíous schèma versión befóre ány traffîc"},
		{"ligatures", "restores the previous schema version before any traﬃc"},
		{"a script without spaces", "提示：回滚程序必须在任何流量到达，谢谢"},
		{"invalid bytes around", "\xffrestores the previous schema version before any traffic\xfe"},
		{"in JSON", `{"issues":[{"id":"sc-01","message":"restores the previous schema version before any traffic"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !x.Leaks(c.text) {
				t.Errorf("not found in %q", c.text)
			}
		})
	}
}

// What is no secret passes: what the decomposition says, what a message is
// there to say, names that others chose, and what is too short to tell.
func TestLeaksNot(t *testing.T) {
	x := guardedExam()
	for _, c := range []struct{ name, text string }{
		{"nothing", ""},
		{"another text", "The work is still to be done: say how the migration is undone."},
		{"a sub-task", "Still to do: Return HTTP 429 with a Retry-After header when the bucket of the API key is empty"},
		{"material that a message names", "Still to do: park orphaned refunds in the dead letters table"},
		{"words that a message has", "say how the migration is undone, and the version before any traffic reaches the migrated replicas restored"},
		{"five words", "it restores the previous schema version before you look"},
		{"a name", "authentication"},
		{"a bundle that is called by a guess", `{"bundle_id":"Twelve-hours-or-less","issues":[]}`},
		{"its attestation", `{"subject":[{"name":"run-1/api/Twelve-hours-or-less"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if x.Leaks(c.text) {
				t.Errorf("found in %q", c.text)
			}
		})
	}
	const said = "you said: twelve hours or less"
	if !x.Leaks(said) || x.Leaks(said, "event 7: Twelve hours, or less!") {
		t.Error("what its reader wrote counts as a leak, or nothing does")
	}
	if !x.Leaks(`{"bundle_id":"Twelve-hours-or-less","issues":[{"message":"twelve hours or less"}]}`) {
		t.Error("a bundle's name excuses a leak")
	}
	if !x.Leaks(`{"bundle_id":"` + guardToken + `"}`) {
		t.Error("a name hides the token")
	}
}

// Whatever stands around it, and however it is cut behind six long words, a
// piece of sealed text is found.
func TestLeaksAnywhere(t *testing.T) {
	x := guardedExam()
	words := strings.Fields(x.Envelope.Criteria[0].Assertion)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(words)-10).Draw(t, "from")
		piece := words[from : from+10]
		for i := range piece {
			if rapid.Bool().Draw(t, "up") {
				piece[i] = strings.ToUpper(piece[i])
			}
		}
		joint := rapid.SampledFrom([]string{" ", "\n", " – ", "_", "\u00a0", " \u200b", "."}).Draw(t, "joint")
		text := rapid.String().Draw(t, "before") + " " + strings.Join(piece, joint) + " " + rapid.String().Draw(t, "behind")
		if !x.Leaks(text) {
			t.Fatalf("not found in %q", text)
		}
	})
}

// The log knows what was opened in this process, and forgets the oldest.
func TestGuard(t *testing.T) {
	x := guardedExam()
	before := WithheldTexts()
	for _, s := range []string{
		"compiling the check of sc-01: text.addresses('roll back')",
		"it restores the previous schema version before any traffic reaches",
		guardToken,
		"key=" + guardToken,
	} {
		if got := Guard(s); got != Withheld {
			t.Errorf("logged: %s", got)
		}
	}
	if n := WithheldTexts() - before; n != 4 {
		t.Errorf("%d texts are counted", n)
	}
	for _, s := range []string{"", "run-1", "judged", "swarm.gap-report.Twelve-hours-or-less.x.0", x.Envelope.Decoy.Token[:20], Withheld} {
		if got := Guard(s); got != s {
			t.Errorf("%q is logged as %q", s, got)
		}
	}
}

func TestVault(t *testing.T) {
	v := &vault{marks: map[mark]int32{}, tokens: map[string]int32{}, ring: make([]*guard, 2)}
	if v.holds("anything at all") {
		t.Error("an empty vault holds something")
	}
	of := func(n int) (*guard, string) {
		s := fmt.Sprintf("criterion number %d asks something", n)
		g := newGuard([]Criterion{{Assertion: s, Expected: "the same in each of them"}}, fmt.Sprintf("zq-%032d", n))
		return &g, s
	}
	var said []string
	for n := range 5 {
		g, s := of(n)
		v.add(g)
		said = append(said, s)
	}
	for n, s := range said {
		if got := v.holds(s); got != (n >= 3) {
			t.Errorf("%q: %v", s, got)
		}
		if token := fmt.Sprintf("%032d", n); v.holds(token) != (n >= 3) {
			t.Errorf("token %s: %v", token, n < 3)
		}
	}
	if !v.holds("they are the same in each of them") {
		t.Error("what two have in common is forgotten with one of them")
	}
	if len(v.tokens) != 2 {
		t.Errorf("%d tokens are kept", len(v.tokens))
	}
}

// A guard must not be so dear that anybody wants to do without it.
func BenchmarkGuard(b *testing.B) {
	x := guardedExam()
	for i := range 9 {
		x.Envelope.Criteria = append(x.Envelope.Criteria, Criterion{
			Assertion: fmt.Sprintf("Criterion %d asks for a passage on item %d of the domain's list, with its figure", i, i*i),
			Expected:  fmt.Sprintf("At least one passage names figure %d and says under which condition it holds", i),
			Check:     "text.words().size() < 20 ? ['content: next to nothing was handed in'] : text.missing(material.items)",
		})
	}
	text := "SHADOW HARDENING — Fix these issues:\n" + strings.Repeat("- [sc-01] Still to do: Refuse an empty basket and a basket_items list of more than 200 entries\n", 8)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			newGuard(x.Envelope.Criteria, guardToken)
		}
	})
	x.guard = newGuard(x.Envelope.Criteria, guardToken)
	b.Run("request", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if x.Leaks(text) {
				b.Fatal("leaks")
			}
		}
	})
	for i := range 1024 {
		newGuard(x.Envelope.Criteria, fmt.Sprintf("zq-%032d", i))
	}
	for name, value := range map[string]string{
		"log-name":    "run-2026-03-14-checkout",
		"log-message": "run scored",
		"log-error":   "publishing to swarm.gap-report.run-1.testing.0: nats: no response from stream, will be tried again",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if Guard(value) != value {
					b.Fatal("withheld")
				}
			}
		})
	}
}

// A message that quotes a long run of its criterion is refused, unless the
// decomposition has these words itself.
func TestMessageQuotesItsCriterion(t *testing.T) {
	d := decomposition()
	c := Criterion{
		Category: HappyPath, Expected: "a ninety second limit", Material: map[string]Material{},
		Assertion: "Every outgoing webhook request carries an idempotency header and ends after ninety seconds",
	}
	for _, dom := range d.Domains {
		c.Material[dom.Domain] = Material{Message: dom.Domain + ": make sure every outgoing webhook request carries an idempotency header"}
	}
	if err := c.Usable(d); err == nil || !strings.Contains(err.Error(), "repeats the criterion") {
		t.Errorf("a run of the criterion's words: %v", err)
	}
	d.Specification = "Each call counts. Every outgoing webhook request carries an idempotency header, always."
	if err := c.Usable(d); err != nil {
		t.Errorf("words of the specification: %v", err)
	}
}
