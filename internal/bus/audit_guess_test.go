package bus

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// TestAuditOfGuesses: who guesses a criterion and writes it into its event, or
// calls its bundle by it, gets what everybody gets, learns nothing by it, and
// does not make the audit cry leak.
func TestAuditOfGuesses(t *testing.T) {
	const guess = "Sealed-assertion-that-the-bundle-names-alpha"
	r := newRig(t, writesSealed)
	r.start()
	d := twoDomains("run-1")
	d.Task = "Sealed assertion that the bundle names bravo"
	d.Domains[1].SubTasks = []string{"sealed expectation: the word charlie"}
	r.decompose(d)
	r.await(r.store.In, layout.Subjects{}.Commitment("run-1"))
	b := bundleOf("one", content(2))
	b.BundleID, b.Summary = guess, "Sealed assertion that the bundle names alpha. Sealed expectation: the word alpha."
	r.bundleAs("run-1", b)
	h := data[shadow.HardeningData](r, layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1))
	if h.BundleID != guess || len(h.Issues) != 4 || strings.Count(h.Text, "] Write the part on ") != 2 || strings.Count(h.Text, "] A requirement of kind edge case: ") != 2 {
		t.Errorf("%+v", h)
	}
	r.fixAs("run-1", 1, b)
	r.bundle("run-1", "two", content(0))
	seq := r.sendRaw(&nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: eventBytes("Sealed assertion that the bundle names alpha", shadow.BundleComplete, map[string]any{
		"run_id": "run-1", "text.contains(material.word)": "sealed expectation: the word alpha"})})
	r.wantRejected("cmd-1", seq, shadow.InvalidData)
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	r.statement("run-1", "one", 1)
	data[shadow.QuarantineData](r, layout.Subjects{}.Quarantined("run-1", "one"))
	a, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil)
	if err != nil || a.Runs != 1 || len(a.Findings) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	// shadowd's own words are another matter.
	log := bustest.Must(readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key))
	f := forge(t, log)
	m := f.rejection(shadow.InvalidData)
	rewrite(f, m, func(d *shadow.Rejection) { d.Message = "the criterion is: sealed expectation: the word delta" })
	found := false
	for _, x := range auditLog(f.Log, nil).Findings {
		found = found || x.Code == audit.SealedText
	}
	if !found {
		t.Error("a rejection that gives a criterion away passes")
	}
}
