package shadow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// kinds counts the criteria that domain one is asked, by their kind.
func kinds(e *Envelope) map[Kind]int {
	n := map[Kind]int{}
	for _, c := range e.asked("one") {
		n[c.Kind]++
	}
	return n
}

// asking is a run of one domain.
func asking(dom Domain, requirements ...string) *Decomposition {
	dom.Domain, dom.CommanderID = "one", "cmd-1"
	d := &Decomposition{RunID: "run-1", Task: "Build the thing", Domains: []Domain{dom}}
	for _, id := range requirements {
		d.Requirements = append(d.Requirements, Requirement{ID: id, Text: "The thing keeps " + id})
	}
	return d
}

// TestItems: what a domain was asked for.
func TestItems(t *testing.T) {
	for name, c := range map[string]struct {
		dom          Domain
		requirements []string
		want         []string
		unassigned   []string
	}{
		"each kind in its order": {dom: Domain{TaskBrief: "Do it", SubTasks: []string{"a", " ", "b"}, Deliverables: []string{"c"}, Constraints: []string{"d"}},
			want: []string{"sub-task 1: a", "sub-task 3: b", "deliverable 1: c", "constraint 1: d"}},
		"few, so the brief too":     {dom: Domain{TaskBrief: "Do it", SubTasks: []string{"a", "b", "c"}}, want: []string{"sub-task 1: a", "sub-task 2: b", "sub-task 3: c", "brief: Do it"}},
		"without a brief, the task": {dom: Domain{Deliverables: []string{"c"}}, want: []string{"deliverable 1: c", "brief: Build the thing"}},
		"nothing listed":            {want: []string{"brief: Build the thing"}},
		"requirements by their ids": {dom: Domain{TaskBrief: "Covers R1-R3, (NF.2) and x_7.", SubTasks: []string{"a", "b"}}, requirements: []string{"R1", "R2", "R3", "NF.2", "x_7", "R11"},
			want:       []string{"sub-task 1: a", "sub-task 2: b", "requirement R1: The thing keeps R1", "requirement R3: The thing keeps R3", "requirement NF.2: The thing keeps NF.2", "requirement x_7: The thing keeps x_7"},
			unassigned: []string{"R2", "R11"}},
		"named by a constraint": {dom: Domain{SubTasks: []string{"a", "b", "c"}, Constraints: []string{"Meets R-1"}}, requirements: []string{"R-1", "R-12"},
			want: []string{"sub-task 1: a", "sub-task 2: b", "sub-task 3: c", "constraint 1: Meets R-1", "requirement R-1: The thing keeps R-1"}, unassigned: []string{"R-12"}},
	} {
		e := mustSeal(t, asking(c.dom, c.requirements...), settings())
		var got []string
		for _, it := range e.Items(&e.Domains[0]) {
			got = append(got, it.Name+": "+it.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := e.Commitment.Unassigned; !slices.Equal(got, c.unassigned) || (len(got) > 0) != strings.Contains(strings.Join(e.Notes, "\n"), "nobody is asked for them: "+strings.Join(got, "; ")) {
			t.Errorf("%s: nobody is asked for %q, want %q; notes %q", name, got, c.unassigned, e.Notes)
		}
	}
}

// TestDealItems: items are dealt in turn within their kind, and a criterion is of
// the kind that most of its items are of.
func TestDealItems(t *testing.T) {
	dom := Domain{SubTasks: []string{"a", "b", "c", "d", "e"}, Deliverables: []string{"f", "g"}, Constraints: []string{"h", "i"}}
	items := asking(dom).Items(&dom)
	slices.Reverse(items)
	for n, want := range map[int][]string{
		0:  nil,
		1:  {"happy_path e d c b a g f i h"},
		4:  {"happy_path e a h", "completeness d g", "completeness c f", "edge_case b i"},
		99: {"happy_path e", "happy_path d", "happy_path c", "happy_path b", "happy_path a", "completeness g", "completeness f", "edge_case i", "edge_case h"},
	} {
		var got []string
		for _, p := range dealItems(items, n) {
			line := string(categoryOf(p))
			for _, it := range p {
				line += " " + it.Text
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("into %d (-want +got):\n%s", n, diff)
		}
	}
}

// TestShares: half of the criteria, rounded up, are the items', one is for
// figures, and what authors do not write the items get too. Files come first, in
// their order.
func TestShares(t *testing.T) {
	a, b, silent := scripted{name: "a"}, scripted{name: "b"}, scripted{name: "silent", mangle: func([]Material) []Material { return nil }}
	one := scripted{name: "one", most: 1}
	away := scripted{name: "away", err: errors.New("503")}
	for name, c := range map[string]struct {
		files, authors []Author
		want           map[Kind]int
		wrote          map[string]int
		note           string
	}{
		"no author":              {want: map[Kind]int{AskItems: 7, AskFigures: 1}},
		"one author":             {nil, []Author{a}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"a": 3}, ""},
		"two share":              {nil, []Author{a, b}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"a": 2, "b": 1}, ""},
		"the next one takes it":  {nil, []Author{one, b}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"one": 1, "b": 2}, ""},
		"the items take it":      {nil, []Author{one, silent}, map[Kind]int{AskItems: 6, AskFigures: 1, AskWritten: 1}, map[string]int{"one": 1}, ""},
		"an author that fails":   {nil, []Author{away, b}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"b": 3}, `author "away" wrote nothing, items take its share: 503`},
		"a file, then an author": {[]Author{one}, []Author{a}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"one": 1, "a": 2}, ""},
		"two files":              {[]Author{one, scripted{name: "two", most: 2}}, []Author{a}, map[Kind]int{AskItems: 4, AskFigures: 1, AskWritten: 3}, map[string]int{"one": 1, "two": 2}, `author "a" is asked for nothing`},
	} {
		e, err := Seal(t.Context(), decomposition(), SealInput{Settings: settings(), Files: c.files, Authors: c.authors, Now: time.Unix(1, 0), Rand: rand.Reader})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := kinds(e); !maps.Equal(got, c.want) {
			t.Errorf("%s: asked %v, want %v", name, got, c.want)
		}
		wrote := map[string]int{}
		for _, m := range e.asked("one") {
			if m.Kind == AskWritten {
				wrote[m.Author]++
			}
		}
		if !maps.Equal(wrote, c.wrote) || len(e.Authors) != 1+len(wrote) || e.Authors[0].Name != Program {
			t.Errorf("%s: written by %v, want %v; authors %+v", name, wrote, c.wrote, e.Authors)
		}
		if notes := strings.Join(e.Notes, "\n"); !strings.Contains(notes, c.note) || strings.Contains(notes, "sealed") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
	_, err := Seal(t.Context(), decomposition(), SealInput{Settings: settings(), Files: []Author{one, scripted{name: "many"}}, Now: time.Unix(1, 0), Rand: rand.Reader})
	if err == nil || !strings.Contains(err.Error(), `4 criteria for domain "one", and 3 fit`) {
		t.Errorf("files that ask more than fits: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Seal(ctx, decomposition(), SealInput{Settings: settings(), Authors: []Author{a}, Now: time.Unix(1, 0), Rand: rand.Reader}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that ends: %v", err)
	}
}

// TestRefused: what an author writes and nobody can use is refused, for a reason
// that tells nothing of it, and the items take its place.
func TestRefused(t *testing.T) {
	first := func(change func(*Material)) func([]Material) []Material {
		return func(ms []Material) []Material { change(&ms[0]); return ms }
	}
	for name, c := range map[string]struct {
		mangle func([]Material) []Material
		want   string
	}{
		"no assertion":      {first(func(m *Material) { m.Assertion = " " }), "assertion and expected must both say something"},
		"no expectation":    {first(func(m *Material) { m.Expected = "" }), "assertion and expected must both say something"},
		"other category":    {first(func(m *Material) { m.Category = "speed" }), `its category "speed" is not known`},
		"an item of nobody": {first(func(m *Material) { m.Items = []string{"sub-task 8"} }), `it rests on "sub-task 8", which is no item of domain "one"`},
		"the same words":    {func(ms []Material) []Material { ms[1].Assertion = ms[0].Assertion + " !"; return ms }, "it asks what another one asks"},
		"the same check": {func(ms []Material) []Material {
			ms[0].Check, ms[1].Check = "text.contains('x')", " text.contains('x') "
			return ms
		}, "it asks what another one asks"},
	} {
		e := mustSeal(t, decomposition(), settings(), scripted{mangle: c.mangle})
		if want := `author "scripted", domain "one", 2 of 3 written: ` + c.want; !slices.Contains(e.Notes, want) || kinds(e)[AskItems] != 5 {
			t.Errorf("%s: notes %q, want %q; asked %v", name, e.Notes, want, kinds(e))
		}
		if strings.Contains(strings.Join(e.Notes, "\n"), "sealed") {
			t.Errorf("%s: a note quotes a criterion: %q", name, e.Notes)
		}
	}
}

// TestShuffle: over many seals each id is given to each kind.
func TestShuffle(t *testing.T) {
	seen := map[string]map[Kind]bool{}
	for range 200 {
		for _, c := range mustSeal(t, decomposition(), settings(), scripted{}).asked("one") {
			if seen[c.ID] == nil {
				seen[c.ID] = map[Kind]bool{}
			}
			seen[c.ID][c.Kind] = true
		}
	}
	for id, kinds := range seen {
		if len(kinds) != 3 || len(seen) != 8 {
			t.Errorf("%s of %d was only ever %v", id, len(seen), kinds)
		}
	}
}

// made is a decomposition of some domains with 1 to 40 items, and what it is
// sealed with.
func made(t *rapid.T) (*Decomposition, *Settings, []Author) {
	d := &Decomposition{RunID: "run-1", Task: "Build the thing"}
	for i := range rapid.IntRange(0, 4).Draw(t, "requirements") {
		d.Requirements = append(d.Requirements, Requirement{fmt.Sprintf("R%d", i+1), fmt.Sprintf("The thing keeps rule %d", i+1)})
	}
	list := func(what string, most int) (texts []string) {
		for i := range rapid.IntRange(0, most).Draw(t, what) {
			texts = append(texts, fmt.Sprintf("Give the %s of number %d", what, i+1))
		}
		return texts
	}
	for _, name := range []string{"one", "two", "three"}[:rapid.IntRange(1, 3).Draw(t, "domains")] {
		dom := Domain{Domain: name, CommanderID: "cmd-" + name, SubTasks: list("work", 20), Deliverables: list("paper", 10), Constraints: list("limit", 6)}
		for _, r := range d.Requirements {
			if rapid.Bool().Draw(t, "names "+r.ID) {
				dom.TaskBrief += " Meet " + r.ID + "."
			}
		}
		d.Domains = append(d.Domains, dom)
	}
	s := settings()
	s.Scales = map[string]Scale{"ss-100": {rapid.IntRange(1, 10).Draw(t, "criteria"), true}}
	s.Missing = rapid.SampledFrom([]int{1, 20, 50, 100}).Draw(t, "gates.missing")
	authors := [][]Author{nil, {scripted{}}, {scripted{most: 1}}, {scripted{name: "a"}, scripted{name: "b"}}}
	return d, s, rapid.SampledFrom(authors).Draw(t, "authors")
}

// TestComposition: of every domain each item stands in exactly one criterion,
// and every criterion that counts asks something. No draw changes that.
func TestComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s, authors := made(t)
		e := mustSeal(t, d, s, authors...)
		n := s.Scales["ss-100"].Criteria
		counts := e.Commitment.CriteriaByDomain
		for i := range e.Domains {
			dom := &e.Domains[i]
			asked, items, places := e.asked(dom.Domain), e.Items(dom), map[string]int{}
			got := plan{}
			for k, c := range asked {
				if c.ID != CriterionID(k) || c.Assertion == "" || c.Expected == "" || c.Category == "" || c.Author == "" {
					t.Fatalf("domain %s, criterion %d: %s %+v", dom.Domain, k, c.ID, c.Material)
				}
				switch c.Kind {
				case AskItems:
					got.items++
					for _, name := range c.Items {
						places[name]++
					}
					if len(c.Items) == 0 {
						t.Fatalf("%s asks for no item", c.ID)
					}
				case AskFigures:
					got.figures++
				case AskWritten:
					got.written++
				}
			}
			for _, it := range items {
				if places[it.Name] != 1 {
					t.Fatalf("%s stands in %d criteria", it.Name, places[it.Name])
				}
			}
			p := planFor(n)
			if len(places) != len(items) || got.figures != p.figures || got.written > p.written || got.items != min(len(items), n-got.figures-got.written) {
				t.Fatalf("domain %s of %d items, %d criteria at most: %+v", dom.Domain, len(items), n, got)
			}
			if counts[i] != len(asked) || len(asked) > len(e.Criteria) {
				t.Fatalf("the commitment has %d criteria for domain %s, it is asked %d", counts[i], dom.Domain, len(asked))
			}
		}
		if most := slices.Max(counts); most != len(e.Criteria) {
			t.Fatalf("%d criteria, the most for one domain are %d", len(e.Criteria), most)
		}
		other := mustSeal(t, d, s, authors...)
		for i := range e.Domains {
			if diff := cmp.Diff(materials(e, e.Domains[i].Domain), materials(other, e.Domains[i].Domain)); diff != "" {
				t.Fatalf("another draw asks something else:\n%s", diff)
			}
		}
	})
}

// materials are what a domain is asked, in an order of their own.
func materials(e *Envelope, domain string) (list []string) {
	for _, c := range e.asked(domain) {
		list = append(list, fmt.Sprintf("%+v", *c.Material))
	}
	slices.Sort(list)
	return list
}

// TestMissingNeverHelps: a further missing item lowers no score and makes no gate
// milder; from gates.missing on the gate does not proceed, and a fix is asked for;
// what is undecided does not proceed either; and no draw changes anything.
func TestMissingNeverHelps(t *testing.T) {
	text := strings.Repeat(content(), 3)
	mixes := [][]Outcome{{Passed, Failed, Undecided}, {Passed, Passed, Passed, Passed, Passed, Failed, Undecided}, {Passed, Passed, Passed, Undecided}}
	rapid.Check(t, func(t *rapid.T) {
		d, s, authors := made(t)
		x, y := mustExam(t, d, s, authors...), mustExam(t, d, s, authors...)
		items := x.Envelope.Items(&d.Domains[0])
		says, among := map[string]Outcome{}, rapid.SampledFrom(mixes).Draw(t, "mix")
		for _, it := range items {
			says[it.Text] = rapid.SampledFrom(among).Draw(t, it.Name)
		}
		failing := rapid.IntRange(0, 3).Draw(t, "failing")
		decide := func(x *Exam, cycles int) *Report {
			x.Envelope.Policy.MaxCycles = cycles
			return x.Decide(polled(x, evidenceOf(0, text), func(q *Question) Outcome {
				if q.Item != nil {
					return says[q.Item.Text]
				}
				if strings.Contains(q.Text(), fmt.Sprint("secret", failing)) {
					return Failed
				}
				return Passed
			}), nil, time.Time{})
		}
		before, one := decide(x, 0), rapid.SampledFrom(items).Draw(t, "one more").Text
		found := says[one] != Undecided
		says[one] = Failed
		after, asks := decide(x, 0), decide(x, 1)
		for _, r := range []*Report{before, after} {
			if r.Swarm.Score.Undecided > 0 && r.Swarm.Gate.Action == Proceed {
				t.Fatalf("what is undecided proceeds: %+v", r.Swarm.Gate)
			}
		}
		if after.Swarm.Score.Failed < before.Swarm.Score.Failed || after.Swarm.Score.Judged().Failed < before.Swarm.Score.Judged().Failed {
			t.Fatalf("%+v, and with one item less %+v", before.Swarm.Score, after.Swarm.Score)
		}
		if found && Harsher(before.Swarm.Gate.Action, after.Swarm.Gate.Action) != after.Swarm.Gate.Action {
			t.Fatalf("%+v, and with one item less %+v", before.Swarm.Gate, after.Swarm.Gate)
		}
		if again := decide(y, 0); again.Swarm.Score != after.Swarm.Score || again.Swarm.Verdict != after.Swarm.Verdict || !cmp.Equal(again.Swarm.Gate, after.Swarm.Gate) {
			t.Fatalf("another draw gives %+v, %+v", again.Swarm.Score, again.Swarm.Gate)
		}
		work, missing := 0, 0
		for _, it := range items {
			if it.Kind == SubTask || it.Kind == Deliverable {
				work++
				if says[it.Text] == Failed {
					missing++
				}
			}
		}
		if much := missing > 0 && s.Missing < 100 && missing*100 >= s.Missing*work; much &&
			(after.Swarm.Gate.Action == Proceed || !slices.Contains(after.Swarm.Gate.Because, "missing") || !asks.Swarm.Hardening.Requested) {
			t.Fatalf("%d of %d are missing: %+v", missing, work, after.Swarm.Gate)
		}
	})
}
