package guard

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	token     = "0123456789abcdef0123456789abcdef"
	assertion = "The rollback procedure restores the previous schema version before any traffic reaches the migrated replicas."
	subTask   = "Return HTTP 429 with a Retry-After header when the bucket of the API key is empty"
)

// sample is a guard of two criteria, with something of everything that is
// sealed.
func sample() *Guard {
	return New([]Criterion{{
		ID:     "sc-01",
		Sealed: []string{assertion, "Twelve hours or less.", "text.mentions(['roll back'])"},
		Told:   "how the migration is undone",
	}, {
		ID: "sc-02", Sealed: []string{"The limiter counts per tenant", "a counter for each tenant", strings.ToLower(subTask)}, Told: "what the limiter counts",
	}, {
		ID: "sc-03", Sealed: []string{"Orphaned refunds are parked for a day", "回滚程序必须在任何流量到达之前恢复以前的版本", "authenticated"},
		Told: "In the dead letters table orphaned refunds are parked for a day.",
	}}, []string{"Build a limiter", subTask}, "zq-"+token, strings.Repeat("5a17", 16))
}

// What is sealed is recognised in other clothes.
func TestHolds(t *testing.T) {
	g := sample()
	for name, text := range map[string]string{
		"the assertion":             "So: " + assertion,
		"the expectation":           "within twelve hours, or less",
		"the check":                 "text.mentions([\"roll back\"])",
		"the token":                 "I read zq-" + token,
		"the token in capitals":     "xZQ-" + strings.ToUpper(token) + "y",
		"the token, joined":         "zq" + strings.Join(strings.Split(token, ""), "\u200b"),
		"the token as a name":       `{"bundle_id":"zq-` + token + `"}`,
		"the salt":                  strings.Repeat("5a17", 16),
		"capitals and punctuation":  "TWELVE_HOURS\n\t«or» less",
		"full-width letters":        "ｔｗｅｌｖｅ ｈｏｕｒｓ ｏｒ ｌｅｓｓ",
		"mathematical letters":      "𝐭𝐰𝐞𝐥𝐯𝐞 𝘩𝘰𝘶𝘳𝘴 𝓸𝓻 𝔩𝔢𝔰𝔰",
		"Cyrillic and Greek":        "twеlvе hοurs οr lеss",
		"zero-width spaces":         "twe\u200blve ho\u200curs o\u2060r le\ufeffss",
		"soft hyphens":              "twel\u00adve hou\u00adrs or less",
		"turned directions":         "\u202etwelve\u202c hours \u2066or\u2069 less",
		"accents":                   "twélve hoúrs òr léss",
		"a script without spaces":   "提示：回滚程序必须在任何流量到达之前恢复以前的版本，谢谢",
		"invalid bytes around":      "\xfftwelve hours or less\xfe",
		"JSON":                      `{"issues":[{"id":"issue-1","message":"twelve hours or less"}]}`,
		"base64":                    base64.StdEncoding.EncodeToString([]byte(assertion)),
		"base64 for URLs":           "see " + base64.RawURLEncoding.EncodeToString([]byte(assertion)) + ".",
		"hexadecimal":               hex.EncodeToString([]byte(assertion)),
		"one word":                  "see TwelveHoursOrLess.",
		"within one word":           "xx_xthelimitercountspertenantly",
		"a name and then a message": `{"bundle_id":"Twelve-hours-or-less","message":"twelve hours or less"}`,
	} {
		if !g.Contains(text) {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
}

// What is no secret passes: what the decomposition says, what a message is
// there to say, names that others chose, and what is too short to tell.
func TestHoldsNot(t *testing.T) {
	g := sample()
	for name, text := range map[string]string{
		"nothing":                              "",
		"another text":                         "The work is still to be done: say how the migration is undone.",
		"a sub-task":                           "Still to do: " + subTask,
		"what its criterion tells":             "Orphaned refunds are parked for a day: not met",
		"a part":                               "it restores the previous schema version before you look",
		"a word":                               "authenticated",
		"a bundle that is called by a guess":   `{"bundle_id":"Twelve-hours-or-less","issues":[]}`,
		"its attestation":                      `{"subject":[{"name":"run-1/api/Twelve-hours-or-less"}]}`,
		"a bundle that is called by one word":  `{"bundle_id":"TwelveHoursOrLess","issues":[]}`,
		"the name of a field":                  `{"twelve_hours_or_less":true}`,
		"most of the token":                    token[:30],
		"what is no text in base64":            base64.StdEncoding.EncodeToString([]byte{0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
		"what begins and ends like the secret": "Twelve hours, or a day less",
	} {
		if g.Contains(text) {
			t.Errorf("%s: found in %q", name, text)
		}
	}
	const said = "you said: twelve hours or less"
	if !g.Contains(said) || g.Contains(said, "event 7: Twelve hours, or less!") {
		t.Error("what its reader wrote counts as a leak, or nothing does")
	}
}

// A message may say all of its own criterion but the whole of it, and of
// another one no more than a few words.
func TestTells(t *testing.T) {
	g := sample()
	about := "the rollback does not restore the previous schema version before traffic reaches the replicas"
	if g.Reveals("sc-01", about, nil) {
		t.Error("a message tells of its own criterion, and is refused")
	}
	if !g.Reveals("sc-02", about, nil) {
		t.Error("a message tells of another criterion")
	}
	if g.Reveals("sc-02", about, []string{"Before traffic reaches the migrated replicas, rollback restores the schema of the previous version"}) {
		t.Error("what the reader wrote itself is refused")
	}
	if !g.Reveals("sc-01", "So: "+assertion, nil) || !g.Reveals("sc-02", "zq-"+token, nil) {
		t.Error("a whole sealed text passes in a message")
	}
	if g.Reveals("sc-02", "the rollback of the schema is not described", nil) {
		t.Error("two words of another criterion are refused")
	}
}

// Whatever stands around it, a whole sealed text is found.
func TestHoldsAnywhere(t *testing.T) {
	g := sample()
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Fields(assertion)
		for i := range words {
			if rapid.Bool().Draw(t, "up") {
				words[i] = strings.ToUpper(words[i])
			}
		}
		joint := rapid.SampledFrom([]string{" ", "\n", " – ", "_", "\u00a0", " \u200b", "."}).Draw(t, "joint")
		text := rapid.String().Draw(t, "before") + " " + strings.Join(words, joint) + " " + rapid.String().Draw(t, "behind")
		if !g.Contains(text) {
			t.Fatalf("not found in %q", text)
		}
	})
}

// envelope is one of those in testdata: criteria as a model writes them for a
// real decomposition, each with the message for commanders, the defect that a
// judge states of a bundle that fails it, and the criterion in other words.
type envelope struct {
	Public   []string `json:"public"`
	Criteria []struct {
		Assertion, Expected, Message, Defect, Paraphrase string
	} `json:"criteria"`
}

func envelopes(t testing.TB) map[string]envelope {
	raw, err := os.ReadFile("testdata/criteria.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]envelope
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// guard makes the guard of the envelope, in which the author has written message
// for the criterion i.
func (e *envelope) guard(i int, message string) *Guard {
	var criteria []Criterion
	for k, c := range e.Criteria {
		if k == i {
			c.Message = message
		}
		criteria = append(criteria, Criterion{ID: fmt.Sprint(k), Sealed: []string{c.Assertion, c.Expected}, Told: c.Message})
	}
	return New(criteria, e.Public)
}

// every puts a filler behind every n-th word.
func every(n int, text, filler string) string {
	var out []string
	for i, w := range strings.Fields(text) {
		if out = append(out, w); i%n == n-1 {
			out = append(out, filler)
		}
	}
	return strings.Join(out, " ")
}

// TestSmuggled is a model author that puts one criterion into the message of
// another, in several ways, and an honest one. docs/security.md has the shares.
func TestSmuggled(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ways := map[string]func(assertion, paraphrase string) string{
		"word for word":       func(a, _ string) string { return a },
		"five words in a row": func(a, _ string) string { return every(5, a, "(indeed)") },
		"a filler for each":   func(a, _ string) string { return every(1, a, "well") },
		"in another order": func(a, _ string) string {
			words := strings.Fields(a)
			random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			return strings.Join(words, " ")
		},
		"base64":          func(a, _ string) string { return base64.StdEncoding.EncodeToString([]byte(a)) },
		"hexadecimal":     func(a, _ string) string { return hex.EncodeToString([]byte(a)) },
		"the first half":  func(a, _ string) string { return a[:strings.LastIndex(a[:len(a)/2], " ")] },
		"in other words":  func(_, p string) string { return p },
		"nothing, honest": func(string, string) string { return "" },
	}
	found, all := map[string]int{}, map[string]int{}
	for _, e := range envelopes(t) {
		for i, a := range e.Criteria {
			for k, b := range e.Criteria {
				if i == k {
					continue
				}
				for _, way := range slices.Sorted(maps.Keys(ways)) {
					message := a.Message + ": " + a.Defect + ". " + ways[way](b.Assertion, b.Paraphrase)
					all[way]++
					if e.guard(i, message).Reveals(fmt.Sprint(i), message, nil) {
						found[way]++
					}
				}
			}
		}
	}
	for way, want := range map[string][2]int{ // at least, at most, in percent
		"word for word": {100, 100}, "base64": {100, 100}, "hexadecimal": {100, 100},
		"five words in a row": {90, 100}, "a filler for each": {90, 100}, "in another order": {90, 100},
		"the first half": {10, 100}, "in other words": {0, 100}, "nothing, honest": {0, 0},
	} {
		t.Logf("%-20s %3d of %3d refused", way, found[way], all[way])
		if share := 100 * found[way] / all[way]; all[way] < 100 || share < want[0] || share > want[1] {
			t.Errorf("%s: %d of %d refused, want %d to %d %%", way, found[way], all[way], want[0], want[1])
		}
	}
}

// TestManyEncoded: a text that is nothing but encoded words is joined once. If each
// word copied all before it, it would take hundreds of megabytes.
func TestManyEncoded(t *testing.T) {
	g := New([]Criterion{{ID: "sc-01", Sealed: []string{"The store answers 503 within a second"}}}, nil)
	text := strings.Repeat("aGVsbG8gd29ybGQh ", 1<<12)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if g.Contains(text) {
		t.Error("it holds nothing")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 300*uint64(len(text)) {
		t.Errorf("%d bytes were taken to read %d", n, len(text))
	}
}
