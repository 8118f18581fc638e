package bus

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// byTask writes with the author that the task names.
type byTask struct {
	authors map[string]shadow.Author
}

func (byTask) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "by-task", Model: shadow.Model{Family: "rules"}}
}

func (a byTask) Write(ctx context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	who, _, _ := strings.Cut(o.Decomposition.Task, " ")
	if a.authors[who] == nil {
		return nil, nil
	}
	drafts, err := a.authors[who].Write(ctx, o)
	for domain, d := range drafts { // a file may have more than fits
		d.Criteria = d.Criteria[:min(len(d.Criteria), o.Count[domain])]
		drafts[domain] = d
	}
	return drafts, err
}

// poet writes criteria of made-up words, some with checks that quote them. So
// what leaks is told from what turns up by chance.
type poet struct{ seed uint64 }

func (poet) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "poet", Model: shadow.Model{Family: "poets"}}
}

func (p poet) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	r := mathrand.New(mathrand.NewPCG(p.seed, uint64(len(o.Decomposition.RunID))))
	verse := func(n int) string {
		var words []string
		for range n {
			w := ""
			for range 3 {
				w += string("bdfgklmnprstvz"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
			}
			words = append(words, w)
		}
		return strings.Join(words, " ")
	}
	drafts := map[string]shadow.Draft{}
	for _, domain := range slices.Sorted(maps.Keys(o.Count)) {
		var d shadow.Draft
		for range o.Count[domain] {
			m := shadow.Material{Category: shadow.EdgeCase, Assertion: "The " + verse(12) + ".", Expected: verse(9), Basis: o.Decomposition.Task}
			if r.IntN(3) > 0 {
				m.Check = "text.contains('" + verse(7) + "') ? [] : ['" + verse(7) + "']"
			}
			d.Criteria = append(d.Criteria, m)
		}
		drafts[domain] = d
	}
	return drafts, nil
}

// parrot is a judge that repeats what it is asked, in whatever it says.
func parrot(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
	said := q.Text()
	if q.Criterion != nil {
		said += " " + q.Criterion.Expected
	}
	if len(q.Bundle.Content)%3 == 0 {
		return shadow.Vote{}, errors.New(said)
	}
	return shadow.Vote{Outcome: shadow.Failed, Actual: said, Why: said}, nil
}

// secretLog keeps a log that nothing guards.
type secretLog struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *secretLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *secretLog) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

func plainText(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
}

// sealedTexts are what must not be found of an envelope: short texts whole,
// long ones by any nine words too. What the decomposition says is none, nor what
// shadowd composes of it, nor the matter that commanders are told.
func sealedTexts(e *shadow.Envelope, d *shadow.Decomposition) (secrets []string) {
	raw, _ := json.Marshal(d)
	public := plainText(string(raw))
	add := func(s, public string) {
		const most = 9
		words := strings.Fields(plainText(s))
		for i := 0; i == 0 || i+most <= len(words); i++ {
			piece := " " + strings.Join(words[i:min(len(words), i+most)], " ") + " "
			if len(piece) >= 16 && !strings.Contains(public, piece) {
				secrets = append(secrets, piece)
			}
		}
	}
	for _, c := range e.Criteria {
		for _, m := range c.Material {
			if m.Kind != shadow.AskWritten {
				continue
			}
			for _, s := range []string{m.Assertion, m.Expected, m.Check} {
				add(s, public+plainText(m.Basis))
				if plain := plainText(s); len(plain) >= 16 && !strings.Contains(public, plain) {
					secrets = append(secrets, plain)
				}
			}
		}
	}
	return append(secrets, plainText(e.Decoy.Token), " "+e.Salt+" ")
}

// outputs is all that shadowd stored in streams that others read, by subject.
// Gap reports are without the parts that repeat a criterion, or quote a judge.
func (r *rig) outputs() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	for _, stream := range []string{layout.StreamIn, layout.StreamOut} {
		err := streams.Read(context.Background(), r.js, stream, nil, func(m *streams.Message) error {
			a, err := layout.Subjects{}.Parse(m.Subject)
			if err != nil || stream == layout.StreamIn && a.Name != shadow.EnvelopeSealed {
				return nil
			}
			text := string(m.Data)
			for name, values := range m.Header {
				text += "\n" + name + ": " + strings.Join(values, " ")
			}
			if a.Name == shadow.GapReport {
				text = withoutSealed(r.t, m)
				if st := r.signed(m.Header, m.Data); st != nil {
					said, _ := json.Marshal(st)
					all[statementOf+m.Subject] = string(said)
				}
			}
			all[m.Subject] = text
			return nil
		})
		bustest.OK(r.t, err)
	}
	return all
}

// statementOf begins what outputs calls the statement of a report.
const statementOf = "statement."

func withoutSealed(t testing.TB, m *streams.Message) string {
	ev := bustest.Must(cloudevent.Decode(m.Header, m.Data))
	var rep shadow.Report
	bustest.OK(t, json.Unmarshal(ev.Data(), &rep))
	for i := range rep.Failures {
		rep.Failures[i].Expected, rep.Failures[i].Actual = "", ""
	}
	rep.Swarm.Ballots = nil
	return string(bustest.Must(shadow.Encode(&rep)))
}

// TestNothingSealedGetsOut plays runs of all kinds of criteria and of bundles
// that know them and quote them wherever they can, and searches all that
// shadowd says, to the swarm, to its log and in its metrics, for sealed text
// and for keys. What a commander has written may be quoted to it.
func TestNothingSealedGetsOut(t *testing.T) {
	t.Parallel()
	standing := bustest.Must(os.ReadFile(filepath.Join("..", "..", "docs", "packs", "software.yml")))
	team := bustest.Must(pack.Parse("software.yml", standing, false))
	log := &secretLog{}
	poem := &poet{}
	judge := &scripted{name: "parrot", vote: parrot}
	metrics := dash.New(dash.Config{Authors: []string{"by-task", shadow.Program}, Judges: []string{"parrot"}, Ready: func() bool { return true }, Active: func() bool { return true }, Reconnects: func() uint64 { return 0 }, Waiting: func() int { return 0 }, Awaiting: func(string) int { return 0 }, In: func() (int64, int64) { return 0, 0 }})
	r := newRig(t, func(c *Config) {
		c.Authors = []shadow.Author{byTask{map[string]shadow.Author{"Standing": pack.New("team", team), "Poems": poem}}}
		c.Observer = metrics
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug - 4}))
	})
	r.start(r.judged([]*scripted{judge}), func(c *Config) { c.Panel = votesCounted{c.Panel, metrics} })
	seed := bustest.Must(r.cfg.Key.Seed())
	keys := []string{string(seed), base64.StdEncoding.EncodeToString(testSigning)[:40], base64.StdEncoding.EncodeToString(testSigning.Seed())[:40], r.broker.URL() + "/secret"}
	runs, secrets, judgedRuns := 0, 0, map[string]int{}
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		runs++
		who := rapid.SampledFrom([]string{"Items", "Standing", "Poems"}).Draw(t, "author")
		poem.seed = rapid.Uint64().Draw(t, "poem")
		run := fmt.Sprintf("run-%d", runs)
		logged := len(log.said())
		d := &shadow.Decomposition{RunID: run, Task: who + " for the payment service", Domains: []shadow.Domain{
			{Domain: "one", CommanderID: "cmd-1", SubTasks: someTasks(t, "one")}, {Domain: "two", CommanderID: "cmd-2", SubTasks: someTasks(t, "two")}}}
		for i, s := range someTasks(t, "requirement") {
			d.Requirements = append(d.Requirements, shadow.Requirement{ID: fmt.Sprint("R", i), Text: s + " within the limits of the contract"})
		}
		r.decompose(d)
		r.await(r.store.In, layout.Subjects{}.Commitment(run))
		e := bustest.Must(shadow.Decrypt(r.envelope(run), r.cfg.Key))
		written := map[string]string{} // by domain, what its commander has written itself
		handsIn := func(dom string) shadow.Bundle {
			b := knowing(t, e, d, dom)
			written[dom] += plainText(strings.Join([]string{b.Content, b.Summary, b.Conflicts[0].Description, b.Conflicts[0].Resolution}, "\n"))
			return b
		}
		for _, dom := range []string{"one", "two"} {
			r.bundleAs(run, handsIn(dom))
		}
		for _, dom := range []string{"one", "two"} {
			if rep := r.report(run, dom, 0); rep.Swarm.Hardening.Requested {
				r.fixAs(run, 1, handsIn(dom))
			}
		}
		r.await(r.store.Out, layout.Subjects{}.RunScored(run))
		// Events that are refused, for reasons that quote them.
		r.bundleAs(run, knowing(t, e, d, "one"))
		r.sendRaw(&nats.Msg{Subject: layout.Subjects{}.Bundle(run, "cmd-2"), Data: []byte(`{"specversion":"1.0","id":"x","type":"nonsense"}`)})
		r.settle()

		texts := sealedTexts(e, d)
		secrets += len(texts)
		all := r.outputs()
		all["the log"], all["the metrics"] = log.said()[logged:], scraped(metrics)
		for subject, text := range all {
			name, _, _ := strings.Cut(strings.TrimPrefix(subject, "swarm."), ".")
			if !strings.HasPrefix(subject, "the ") && !strings.Contains(subject+".", "."+run+".") && !(name == shadow.EventRejected && strings.Contains(text, `"`+run+`"`)) {
				continue
			}
			kinds[name]++
			plain, own := plainText(text), ""
			if a, err := (layout.Subjects{}).Parse(subject); err == nil {
				own = written[a.Domain]
			}
			for _, s := range texts {
				if strings.Contains(plain, s) && !strings.Contains(own, s) {
					t.Errorf("%s holds %q", subject, s)
				}
			}
			for _, s := range keys[:3] {
				if strings.Contains(text, s) {
					t.Errorf("%s holds a key", subject)
				}
			}
		}
		judgedRuns[who]++
	})
	withheld := strings.Count(log.said(), "an output is withheld")
	a, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil)
	if err != nil || a.Runs != runs {
		t.Errorf("%+v, %v", a, err)
	}
	for _, f := range a.Findings {
		if f.Severity == audit.Error {
			t.Errorf("the audit finds %+v", f)
		}
	}
	t.Logf("%d outputs withheld", withheld)
	t.Logf("%d runs %v, %d sealed texts, looked for in %v; %d questions to judges", runs, judgedRuns, secrets, kinds, judge.calls.Load())
	for _, name := range []string{shadow.GapReport, shadow.HardeningRequest, shadow.EnvelopeSealed, shadow.EventRejected, shadow.RunScored, "statement", shadow.BundleQuarantined, "the log", "the metrics"} {
		if kinds[name] == 0 {
			t.Errorf("nothing was looked for in %s", name)
		}
	}
	if last := scraped(metrics); !strings.Contains(last, `shadowd_judge_votes_total{judge="parrot",outcome="failed"} `) || strings.Contains(last, `="other"`) || strings.Contains(last, "run-1") {
		t.Errorf("the metrics do not show what happened, or too much of it:\n%s", last)
	}
	if judge.calls.Load() == 0 || !strings.Contains(log.said(), "judged") {
		t.Error("no judge was asked, or nothing was logged")
	}
}

// votesCounted is a panel whose votes are counted.
type votesCounted struct {
	Panel
	metrics *dash.Metrics
}

func (p votesCounted) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	said, err := p.Panel.Ask(ctx, qs)
	p.metrics.Votes(said.Ballots)
	return said, err
}

// scraped is what metrics show.
func scraped(m *dash.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// someTasks draws what a domain may be asked for.
func someTasks(t *rapid.T, name string) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"Encrypt the fields card_last4 and billing_email with AES-256-GCM",
		"Refuse an empty basket and a basket_items list of more than 200 entries",
		"Park orphaned refunds in the dead_letters table after 5 failed attempts, and tell the operator on call about each of them",
		"Return HTTP 429 with a Retry-After header when the bucket is empty",
		"The summary claims no number that the content does not bear out.",
		"Roll back the migration if the error rate exceeds 2 % for more than ten minutes",
	}), 0, 6).Draw(t, name)
}

// knowing is a bundle by somebody who has read the envelope and repeats it.
func knowing(t *rapid.T, e *shadow.Envelope, d *shadow.Decomposition, domain string) shadow.Bundle {
	var parts []string
	for _, c := range e.Criteria {
		m := c.Material[domain]
		parts = append(parts, m.Assertion, m.Expected, "`"+m.Check+"`", "not settled: "+m.Assertion, "TODO "+m.Expected, "2 + 2 = 5 "+m.Expected)
	}
	parts = append(parts, d.Domains.Find(domain).SubTasks...)
	quoted := func(name string, most int) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, most).Draw(t, name), "\n\n")
	}
	b := bundleOf(domain, "# Work\n\n"+quoted("content", 12))
	b.Summary = quoted("summary", 2)
	b.Status = rapid.SampledFrom([]string{"success", "partial", "failed"}).Draw(t, "status")
	b.Conflicts = []shadow.Conflict{{Description: quoted("conflict", 1), Resolution: quoted("resolution", 1)}}
	b.Summary = b.Summary[:min(len(b.Summary), 4000)]
	if rapid.IntRange(0, 9).Draw(t, "decoy") == 0 {
		b.Content += "\n" + e.Decoy.Token
	}
	return b
}
