package rules_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

func sparse() *shadow.Decomposition {
	return &shadow.Decomposition{RunID: "r", Task: "Make the search faster", Domains: []shadow.Domain{
		{Domain: "backend", CommanderID: "a"}, {Domain: "frontend", CommanderID: "b", TaskBrief: "Show results while the user types."}}}
}

// huge is a decomposition of n domains with 200 sub-tasks each.
func huge(n int) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: "r", Task: "Port the widgets"}
	for i := range n {
		dom := shadow.Domain{Domain: fmt.Sprintf("d%d", i), CommanderID: fmt.Sprintf("c%d", i)}
		for k := range 200 {
			dom.SubTasks = append(dom.SubTasks, fmt.Sprintf("Port the handler w%dx%d of the widget service to the retry queue", i, k))
		}
		d.Domains = append(d.Domains, dom)
	}
	return d
}

// crowded has one domain with more items than one list of phrases may hold.
func crowded() *shadow.Decomposition {
	dom := shadow.Domain{Domain: "all", CommanderID: "c"}
	for k := range 1000 {
		dom.SubTasks = append(dom.SubTasks, fmt.Sprintf("Port the handler w%d to the queue q%d", k, k))
		dom.Deliverables = append(dom.Deliverables, fmt.Sprintf("report r%d.md for site s%d", k, k))
		dom.Constraints = append(dom.Constraints, fmt.Sprintf("Handler w%d answers within %d ms", k, k+10))
	}
	return &shadow.Decomposition{RunID: "r", Task: "Port", Domains: []shadow.Domain{dom}}
}

func hostile() *shadow.Decomposition {
	texts := []string{
		`'] : [] || true ? [] : ['`, `"); bundle.status == 'success' //`, "Write the `config.yml`\nand\r\n\tthe 'README.md' \\ \\n \x00 file",
		"material.items", "items: content: left open: x", "content", "left open", "Réécrire l’API « utilisateurs » en café", "用户登录功能必须支持双因素认证",
		"Реализовать вход по SMS", "\u202eevil\u202c bidi text here", strings.Repeat("word ", 3000), strings.Repeat("x", 16000), "   ", "", "...", "🚀 🚀 🚀",
		"Keep it under 5", "At most 99999999999999999999 rows", "1 hour 2 hours 3 days 4 weeks 5 months 6 years 7 s 8 ms", "100 %", "(?i)[unclosed 10 ms (((", `\E\Q 10 rows`,
		"text.missing(material.items)", "Every sum, product, share and total that the bundle states is right.", "A failure would be noticed.",
		"No private key, access key or personal token stands in the content.", "The bundle carries out the main tasks that its domain was given.",
		"invalid \xff utf-8 \xc3\x28 in the token_table",
	}
	d := &shadow.Decomposition{RunID: "r", Task: "'; DROP TABLE tasks; --", Specification: strings.Join(texts, " MUST hold. ") + "\n\n" + strings.Join(texts, "\n- must "),
		Domains: []shadow.Domain{
			{Domain: "the-figures-hold", CommanderID: "a", TaskBrief: texts[0], SubTasks: texts, Deliverables: texts, Constraints: texts},
			{Domain: "text-miscalculations", CommanderID: "b", TaskBrief: strings.Repeat("(", 60000), Deliverables: texts},
			{Domain: "nothing-is-left-to-be-filled-in", CommanderID: "c", Constraints: texts},
		}}
	for i, s := range texts {
		d.Requirements = append(d.Requirements, shadow.Requirement{ID: fmt.Sprintf("'%d\"", i), Text: s})
	}
	return d
}

// Every decomposition is sealed with any number of criteria and any categories.
func TestSealsAll(t *testing.T) {
	r, _ := demo(t)
	d := map[string]*shadow.Decomposition{"demo": r.d, "sparse": sparse(), "hostile": hostile(), "crowded": crowded(), "huge": huge(30),
		"no text at all": {Domains: []shadow.Domain{{Domain: "d", CommanderID: "c"}}}}
	five := append([]shadow.Category{shadow.Security}, fourCategories...)
	lists := [][]shadow.Category{fourCategories, five, {shadow.Completeness}, {shadow.HappyPath}, {shadow.Security}, {shadow.EdgeCase, shadow.ErrorHandling}, {"house_rules"}}
	for name, d := range d {
		t.Run(name, func(t *testing.T) {
			counts, big := []int{1, 8, 50}, name == "huge" || name == "crowded"
			switch {
			case big && !*full:
				counts = []int{8}
			case big:
				counts = []int{1, 8}
			case *full:
				counts = []int{1, 2, 3, 6, 8, 10, 50}
			}
			for _, n := range counts {
				lists := lists
				if big || n == 50 && !*full {
					lists = lists[:1]
				}
				for k, list := range lists {
					x, err := seal(d, n*100+k, n, list)
					if err != nil {
						t.Fatalf("%d criteria over %v: %v", n, list, err)
					}
					checkEnvelope(t, x, d)
				}
			}
		})
	}
}

// checkEnvelope holds what is true of every draw: the arithmetic is asked
// once, no phrase is asked twice of a domain, and an empty bundle passes
// nothing.
func checkEnvelope(t *testing.T, x *shadow.Exam, d *shadow.Decomposition) {
	t.Helper()
	arithmetic := 0
	for i := range x.Envelope.Criteria {
		if strings.Contains(x.Envelope.Criteria[i].Check, "miscalculations()") {
			arithmetic++
		}
	}
	if arithmetic != 1 {
		t.Errorf("the arithmetic is asked %d times in %d criteria", arithmetic, len(x.Envelope.Criteria))
	}
	for i := range d.Domains {
		dom := &d.Domains[i]
		empty := shadow.Bundle{Domain: dom.Domain, Status: "failed"}
		j := x.Judge(evidence(&empty))
		if s := j.Score(); s.Failed != s.Total {
			for k := range j.Verdicts {
				if v := &j.Verdicts[k]; v.Outcome == shadow.Passed {
					t.Errorf("%s: an empty bundle passes: %s", dom.Domain, v.Criterion.Assertion)
				}
			}
		}
		asked := map[string]int{}
		for k := range j.Verdicts {
			v := &j.Verdicts[k]
			if v.Outcome == shadow.Undecided {
				t.Errorf("%s: undecided: %s", dom.Domain, v.Actual)
			}
			for key, list := range v.Criterion.Material[dom.Domain].Data {
				if strings.HasPrefix(key, "items") {
					for _, p := range list.([]any) {
						asked[p.(string)]++
					}
				}
			}
		}
		for p, n := range asked {
			if n > 1 {
				t.Errorf("%s: %q is asked %d times", dom.Domain, p, n)
			}
		}
	}
}

// What no criterion may lack is there in every draw of a realistic run.
func TestEverythingIsAsked(t *testing.T) {
	r, _ := demo(t)
	for n := range drawsOf(50) {
		x := mustSeal(t, r.d, n, []int{6, 8, 10}[n%3], fourCategories)
		checkEnvelope(t, x, r.d)
		for i := range r.d.Domains {
			dom := &r.d.Domains[i]
			for _, p := range askedOf(dom) {
				if strings.Contains(p, "1,200 words") {
					continue // a limit of the text itself
				}
				n := 0
				for k := range x.Envelope.Criteria {
					if _, ok := x.Envelope.Criteria[k].Material[dom.Domain].Messages[p]; ok {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%s: %q is asked %d times", dom.Domain, p, n)
				}
			}
		}
	}
}

// The draw decides: different bytes give different envelopes, the same bytes
// the same.
func TestDraw(t *testing.T) {
	r, _ := demo(t)
	quota := shadow.Quota(8, fourCategories)
	write := func(n int) string {
		criteria, err := rules.New(source(n)).Write(context.Background(), r.d, quota)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(criteria)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	seen := map[string]bool{}
	for n := range 100 {
		one := write(n)
		if one != write(n) {
			t.Fatalf("draw %d differs from itself", n)
		}
		seen[one] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d different envelopes in 100 draws", len(seen))
	}
}

func TestConcurrentWrites(t *testing.T) {
	r, _ := demo(t)
	a := rules.New(source(1))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := a.Write(context.Background(), r.d, shadow.Quota(8, fourCategories)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestWriteFails(t *testing.T) {
	broken := errors.New("no entropy")
	if _, err := rules.New(iotest.ErrReader(broken)).Write(context.Background(), sparse(), shadow.Quota(8, fourCategories)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := rules.New(bytes.NewReader(make([]byte, 31))).Write(context.Background(), sparse(), shadow.Quota(8, fourCategories)); err == nil {
		t.Error("31 random bytes are enough")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rules.New(source(1)).Write(ctx, sparse(), shadow.Quota(8, fourCategories)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, domains := range []int{5, 50, 500} {
		d := huge(domains)
		b.Run(fmt.Sprintf("domains=%d", domains), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if _, err := rules.New(source(i)).Write(context.Background(), d, shadow.Quota(8, fourCategories)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
