package rules

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// examOf seals a decomposition by a seed, with n criteria.
func examOf(t *testing.T, d *shadow.Decomposition, n int, seed uint64) *shadow.Exam {
	t.Helper()
	settings := &shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy", MinRead: 50, EnforceGates: true},
		MaxCriteria: 50, DefaultScale: "ss-100", Categories: shadow.Categories()[:4],
		Scales: map[string]shadow.Scale{"ss-100": {Criteria: n}},
	}
	source := bytes.NewReader(bytes.Repeat(binary.BigEndian.AppendUint64(nil, seed), 100))
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Settings: settings, Filler: New(source), Now: time.Unix(1, 0), Rand: source})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment()
	x, err := shadow.NewExam(e, &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// everyDraw judges a bundle of each domain in draws of several sizes.
func everyDraw(t *testing.T, write func(items []shadow.Item) string, check func(t *testing.T, r *shadow.Report)) {
	t.Helper()
	d := ledger()
	for _, n := range []int{6, 8, 10} {
		for seed := range uint64(20) {
			x := examOf(t, d, n, seed)
			for i := range d.Domains {
				dom := &d.Domains[i]
				content := write(dom.Items())
				b := shadow.Bundle{BundleID: "b", Domain: dom.Domain, CommanderID: dom.CommanderID, Status: "success", Summary: "All is done.", Content: content}
				r := x.Decide(shadow.Evidence{Submission: &shadow.Submission{RunID: d.RunID, Bundle: b}, Raw: []byte(content)}, nil, time.Time{})
				if check(t, r); t.Failed() {
					t.Fatalf("%d criteria, seed %d, domain %s: %s, read %v: %+v", n, seed, dom.Domain, r.Report.ShadowScore, r.Swarm.Read, r.Failures)
				}
			}
		}
	}
}

func lines(items []shadow.Item, before string) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString(before + strings.ToLower(it.Text[:1]) + it.Text[1:] + ".\n\n")
	}
	return b.String()
}

// TestDeclined: work that says of each item that it was not done fails half of
// the criteria at least, in every draw.
func TestDeclined(t *testing.T) {
	everyDraw(t, func(items []shadow.Item) string { return "# Report\n\n" + lines(items, "I was unable to ") },
		func(t *testing.T, r *shadow.Report) {
			if r.Swarm.Score.Failed*2 < r.Swarm.Score.Total {
				t.Error("less than half fails")
			}
		})
}

// TestDeclinedPolitely: so does work on the assignments of the labelled runs that
// opens with a sentence on something else and does not speak of its limits.
func TestDeclinedPolitely(t *testing.T) {
	files, err := filepath.Glob("../../text/reading/testdata/runs/*/run-*.jsonl")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d runs, %v", len(files), err)
	}
	for seed, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var first struct {
			Event struct{ Data *shadow.Decomposition }
		}
		if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&first); err != nil {
			t.Fatal(err)
		}
		d := first.Event.Data
		x := examOf(t, d, 8, uint64(seed))
		for i := range d.Domains {
			dom := &d.Domains[i]
			content := "We thank everybody who waited for this, and we regret that the time was too short for what we had planned.\n\n" +
				lines(dom.Items()[:len(dom.SubTasks)+len(dom.Deliverables)], "I was unable to ")
			b := shadow.Bundle{BundleID: "b", Domain: dom.Domain, CommanderID: dom.CommanderID, Status: "success", Summary: "All is done.", Content: content}
			r := x.Decide(shadow.Evidence{Submission: &shadow.Submission{RunID: d.RunID, Bundle: b}, Raw: []byte(content)}, nil, time.Time{})
			if r.Swarm.Score.Failed*2 < r.Swarm.Score.Total {
				t.Errorf("%s, %s: %s, read %v", file, dom.Domain, r.Report.ShadowScore, r.Swarm.Read)
			}
		}
	}
}

// TestEcho: work that is its assignment is never perfect, is advisory, and is
// read by nobody, whatever stands before each item.
func TestEcho(t *testing.T) {
	for _, before := range []string{"", "- ", "- [x] ", "Done: ", "We have completed: ", "✅ "} {
		everyDraw(t, func(items []shadow.Item) string { return lines(items, before) },
			func(t *testing.T, r *shadow.Report) {
				if r.Report.Level == shadow.Perfect || !*r.Report.Advisory || r.Swarm.Read.Read > 0 || r.Swarm.Gate.Action == shadow.Proceed {
					t.Errorf("%q before each item passes", before)
				}
			})
	}
}

// TestOtherLanguages: good work fails nothing for its language.
func TestOtherLanguages(t *testing.T) {
	for _, c := range []struct{ task, item, limit, content, summary string }{
		{"Bestelldienst", "Zweite Zahlung ablehnen", "Antwortzeit höchstens 250 ms",
			"Ist die Bestellung schon bezahlt, wird die zweite Zahlung abgelehnt. Das Konto wird nicht zweimal belastet. Das 99. Perzentil der Antwortzeit beträgt 180 ms. Zwölf Tests laufen durch.", "12 Tests laufen durch."},
		{"Construire un service d'achats", "Refuser un second paiement", "Temps de réponse d'au plus 250 ms",
			"Si l'achat est déjà payé, le second paiement est refusé et le compte n'est pas débité deux fois. Le temps de réponse est de 180 ms au 99e centile. Vingt-quatre essais ont réussi.", "24 essais ont réussi."},
		{"订单服务", "拒绝再次支付", "响应时间不超过 250 ms", "订单已经支付之后，再次支付的请求收到冲突的回应，账户不会被再次扣款。支付记录以订单编号为唯一键，保存在数据库里。响应时间为 180 ms。", ""},
		{"ऑर्डर सेवा बनाना", "दोबारा भुगतान अस्वीकार करना", "उत्तर का समय अधिकतम 250 ms",
			"यदि ऑर्डर का भुगतान हो चुका है, तो दोबारा भुगतान अस्वीकार किया जाता है और खाते से दो बार राशि नहीं कटती। उत्तर का समय 180 ms है।", ""},
	} {
		d := &shadow.Decomposition{RunID: "run", Task: c.task, Domains: []shadow.Domain{{Domain: "core", CommanderID: "cmd", SubTasks: []string{c.item}, Constraints: []string{c.limit}}}}
		for seed := range uint64(10) {
			b := shadow.Bundle{BundleID: "b", Domain: "core", CommanderID: "cmd", Status: "success", Content: c.content, Summary: c.summary}
			r := examOf(t, d, 10, seed).Decide(shadow.Evidence{Submission: &shadow.Submission{RunID: d.RunID, Bundle: b}, Raw: []byte(c.content)}, nil, time.Time{})
			if len(r.Failures) > 0 {
				t.Errorf("%s, seed %d: %+v", c.task, seed, r.Failures)
				break
			}
		}
	}
}
