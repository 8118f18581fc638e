package shadow

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// controlsOf are the control questions among some.
func controlsOf(qs []Question) (wrong, right []*Question) {
	for i := range qs {
		switch qs[i].Control {
		case ControlFalse:
			wrong = append(wrong, &qs[i])
		case ControlTrue:
			right = append(right, &qs[i])
		}
	}
	return wrong, right
}

// TestControls: each bundle that judges are asked about has one false item, which is
// listed in the task of every question on an item and of no other, and one
// passage that is there. A second try asks the same, another run does not.
func TestControls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s, authors := made(t)
		x := mustExam(t, d, s, authors...)
		ev := evidenceOf(0, strings.Repeat(content(), 3))
		plain, qs := x.Questions(&ev, false), x.Questions(&ev, true)
		wrong, right := controlsOf(qs)
		if len(wrong) != 1 || len(right) != 1 || len(qs) != len(plain)+2 {
			t.Fatalf("%d false and %d true ones beside %d", len(wrong), len(right), len(plain))
		}
		items := x.Envelope.Items(&d.Domains[0])
		for i := range qs {
			q := &qs[i]
			listed := slices.DeleteFunc(slices.Clone(q.Listed), func(it Item) bool { return it == *wrong[0].Item })
			if fails := len(q.Listed) - len(listed); fails == 1 != (q.Item != nil) || !cmp.Equal(listed, items) {
				t.Fatalf("%s lists the false item %d times among %v", q.About(), fails, listed)
			}
			if q.Control == "" != slices.ContainsFunc(plain, func(p Question) bool { return p.About() == q.About() }) {
				t.Fatalf("%s is asked, and is no question", q.About())
			}
		}
		if p, ok := right[0].content().Find(right[0].Item.Text); !ok || p.Heading || p.Masked {
			t.Fatalf("%q is not in the content", right[0].Item.Text)
		}
		// What is there can be passed with the passage itself.
		if v := right[0].Admit(Vote{Outcome: Passed, Quote: right[0].Item.Text}); v.Outcome != Passed {
			t.Fatalf("the true one cannot be passed: %+v", v)
		}
		if diff := cmp.Diff(asked(qs), asked(x.Questions(&ev, true))); diff != "" {
			t.Fatalf("a second try asks something else:\n%s", diff)
		}
	})
}

// asked is what some questions ask, in their order.
func asked(qs []Question) (texts []string) {
	for i := range qs {
		texts = append(texts, qs[i].About()+": "+qs[i].Text())
	}
	return texts
}

// TestControlsAreSecret: they follow from the envelope's salt and the bundle, stand
// anywhere, and are none where nothing is asked.
func TestControlsAreSecret(t *testing.T) {
	text := content()
	places, wrongs := map[int]bool{}, map[string]bool{}
	for i := range 200 {
		x := mustExam(t, decomposition(), settings())
		ev := evidenceOf(0, text)
		qs := x.Questions(&ev, true)
		places[slices.IndexFunc(qs, func(q Question) bool { return q.Control == ControlFalse })] = true
		wrong, _ := controlsOf(qs)
		wrongs[wrong[0].Item.Text] = true
		if i > 0 {
			continue
		}
		other := evidenceOf(0, text+"More.")
		again, _ := controlsOf(x.Questions(&other, true))
		if again[0].Item.Text == wrong[0].Item.Text || qs[0].Seed == x.Questions(&other, true)[0].Seed {
			t.Error("another bundle gets the same false item")
		}
	}
	if len(places) != 9 || len(wrongs) < 195 {
		t.Errorf("it stood in %d of 9 places and was %d different ones in 200 runs", len(places), len(wrongs))
	}
	x := mustExam(t, decomposition(), settings())
	short := evidenceOf(0, "# Hello world")
	if qs := x.Questions(&short, true); len(qs) > 0 {
		t.Errorf("%d questions on what a program has decided", len(qs))
	}
}

// TestControlPassageOfAnything: where there is no plain line a part of one is asked
// for, so that a judge which fails everything is found whatever a bundle is made of.
func TestControlPassageOfAnything(t *testing.T) {
	long := strings.Repeat("The limiter keeps its bucket in Redis for each partner key, ", 40)
	for text, want := range map[string]string{
		"```go\nif err := limit(ctx, key, 300); err != nil {\n```":             "if err := limit(ctx, key, 300); err != nil",
		"| key | what the limiter does with a partner |\n|---|---|":            "what the limiter does with a partner",
		`{"note": "the token bucket in Redis refills each minute"}`:            "token bucket in Redis refills each",
		"ALTER TABLE limits_1 ADD COLUMN bucket_size INTEGER NOT NULL DEFAULT": "INTEGER NOT NULL DEFAULT",
		"> The limiter keeps its bucket in Redis and answers with 429.":        "The limiter keeps its bucket in Redis and answers with 429.",
		"<!-- The limiter keeps its bucket -->":                                "The limiter keeps its bucket",
		"[The limiter keeps its bucket in Redis](http://a.b)":                  "limiter keeps its bucket in",
		"- limiter 5 done": "limiter 5 done",
		"キー番を実装した。":        "キー番を実装した。",
		long:               strings.TrimSpace(long[:126]),
		"# The limiter keeps its bucket in Redis": "", // no evidence stands there
		"The <s> limiter keeps its bucket in it":  "",
		"done":                                    "",
	} {
		// Of several parts any may be drawn.
		if got := sentence(rand.New(rand.NewPCG(0, 0)), text, passage.New(text), nil); got != want && (text != long || len(got) < 100 || !strings.Contains(long, got)) {
			t.Errorf("of %.70q: %q is asked for, want %q", text, got, want)
		}
	}
}
