package shadow

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

func reviewOf(r *Report, verdict ReviewVerdict, found ...Reviewed) *Review {
	return &Review{RunID: "run-1", Domain: "one", By: "anna", Cycle: r.Swarm.Cycle, ReportDigest: "sha256:r", Verdict: verdict, Found: found, Because: "I have read it"}
}

func found(state ItemState, names ...string) (all []Reviewed) {
	for _, name := range names {
		all = append(all, Reviewed{About: name, State: state})
	}
	return all
}

// TestReview: the gate after a review, and the word, follow from what the person
// found as they do from what judges find.
func TestReview(t *testing.T) {
	s := settings()
	s.MaxCycles, s.Missing = 0, 20
	x := mustExam(t, decomposition(), s)
	y := mustExam(t, decomposition(), s, scripted{})
	broken := evidenceOf(0, content()+x.Envelope.Decoy.Token)
	for name, c := range map[string]struct {
		x       *Exam
		ev      Evidence
		verdict ReviewVerdict
		found   []Reviewed
		want    string // gate and word before and after, or the reason
	}{
		"accepted":               {x, evidence(0, 3), ReviewAccept, nil, "quarantine significant > proceed significant"},
		"rejected":               {x, evidence(0, 0), ReviewReject, nil, "proceed perfect > reject perfect"},
		"broken, accepted":       {x, broken, ReviewAccept, nil, "quarantine seal_broken > proceed seal_broken"},
		"broken, by items":       {x, broken, ReviewItems, found(ItemFound, "sub-task 1"), "item_unknown"},
		"found after all":        {x, evidence(0, 3), ReviewItems, found(ItemFound, "sub-task 1", "sub-task 2", "sub-task 3"), "quarantine significant > proceed perfect"},
		"one of three found":     {x, evidence(0, 3), ReviewItems, found(ItemFound, "sub-task 1"), "quarantine significant > warn moderate"},
		"missing after all":      {x, evidence(0, 0), ReviewItems, found(ItemMissing, "sub-task 1", "sub-task 2", "sub-task 3"), "proceed perfect > quarantine significant"},
		"undecided, now found":   {x, undecided(evidence(0, 0), subNames()...), ReviewItems, found(ItemFound, subNames()...), "quarantine undecided > proceed perfect"},
		"one stays undecided":    {x, undecided(evidence(0, 0), "sub-task 1", "sub-task 2"), ReviewItems, found(ItemFound, "sub-task 1"), "warn undecided > warn undecided"},
		"unread, now found":      {x, evidenceOf(0, content()), ReviewItems, found(ItemFound, subNames()...), "warn unread > proceed perfect"},
		"nothing is there":       {x, evidence(0, 0), ReviewItems, found(ItemMissing, subNames()...), "proceed perfect > reject critical"},
		"something is there":     {x, evidence(0, 7), ReviewItems, found(ItemFound, "sub-task 1"), "reject critical > reject critical"},
		"all is there":           {x, evidence(0, 7), ReviewItems, found(ItemFound, subNames()...), "reject critical > proceed perfect"},
		"all but what was asked": {y, judged(evidence(0, 0), append(subNames(), written(y, 0))...), ReviewItems, found(ItemFound, subNames()...), "reject critical > proceed minor"},
		"a criterion of items":   {x, evidence(0, 3), ReviewItems, found(ItemFound, criterionOf(x, AskItems)), "item_unknown"},
		"figures are right":      {x, judged(evidenceOf(0, content()+"\nTBD\n")), ReviewItems, found(ItemFound, criterionOf(x, AskFigures)), "proceed minor > proceed perfect"},
		"a written criterion":    {y, judged(evidence(0, 0), written(y, 0)), ReviewItems, found(ItemFound, written(y, 0)), "proceed minor > proceed perfect"},
		"what the report hasn't": {x, evidence(0, 3), ReviewItems, found(ItemFound, "sub-task 8"), "item_unknown"},
	} {
		r := c.x.Decide(c.ev, nil, time.Time{})
		before := encoded(r)
		var got string
		d, refused := r.Review(&c.x.Envelope.Policy, "sha256:r", reviewOf(r, c.verdict, c.found...), second(50), "")
		if refused != nil {
			got = string(refused.Reason)
		} else {
			got = string(d.Before.Gate) + " " + string(d.Before.Verdict) + " > " + string(d.After.Gate) + " " + string(d.After.Verdict)
			if n := d.After.Counts; n.Items != r.Swarm.Counts.Items || d.After.Score.Total != r.Swarm.Score.Total || d.Line() != (ReviewLine{"anna", c.verdict, d.After.Gate, 50}) {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if encoded(r) != before {
			t.Errorf("%s: the report has changed", name)
		}
	}
	x.Envelope.Policy.EnforceGates = false
	r := x.Decide(evidence(0, 0), nil, time.Time{})
	if d, _ := r.Review(&x.Envelope.Policy, "sha256:r", reviewOf(r, ReviewReject), second(50), ""); d == nil || d.After.Gate != Proceed || d.After.Enforced || !strings.Contains(d.After.Reason, "the gate would say reject") {
		t.Errorf("observed: %+v", d)
	}
}

func TestReviewForm(t *testing.T) {
	const head = `{"run_id":"r","domain":"one","by":"anna","cycle":0,"report_digest":"sha256:` + digits + `",`
	for data, want := range map[string]string{
		head + `"verdict":"accept","because":"it is right"}`:                                                                      "",
		head + `"verdict":"items","found":[{"about":"sub-task 1","state":"found","line":3},{"about":"brief","state":"missing"}]}`: "",
		head + `"verdict":"accept"}`: "/because: say why",
		head + `"verdict":"items"}`:  "/found: it is empty",
		head + `"verdict":"reject","because":"no","found":[{"about":"brief","state":"found"}]}`:                     "/found: the verdict reject is for the whole",
		head + `"verdict":"items","found":[{"about":"brief","state":"found"},{"about":"brief","state":"missing"}]}`: "is there twice",
		head + `"verdict":"items","found":[{"about":"brief","state":"unread"}]}`:                                    "/found/0/state",
		head + `"verdict":"maybe","because":"x"}`:                                                                   "/verdict",
	} {
		if _, _, err := Decode(ReportReviewed, []byte(data)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
}

const digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// TestReviewSignature: a signature is of the data, and by the key that it names.
func TestReviewSignature(t *testing.T) {
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	account, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := key.PublicKey()
	data := []byte(`{"verdict":"accept"}`)
	signature, err := SignReview(data, key)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := SignReview(data, account)
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Split(signature, " ")
	for name, c := range map[string]struct {
		data      string
		signature string
		want      string
		ok        bool
	}{
		"right":         {string(data), signature, public, true},
		"none":          {string(data), "", "", true},
		"other data":    {string(data) + " ", signature, "", false},
		"other version": {string(data), "v2 " + part[1] + " " + part[2], "", false},
		"no base64":     {string(data), "v1 " + part[1] + " !", "", false},
		"no user":       {string(data), foreign, "", false},
		"two parts":     {string(data), "v1 " + part[2], "", false},
	} {
		if got, err := ReviewSigner([]byte(c.data), c.signature); got != c.want || (err == nil) != c.ok {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestReviewInTime: run-scored has the last review that came before what completed
// the run.
func TestReviewInTime(t *testing.T) {
	v, _ := runView()
	v.report(0, "a", false)
	for _, seq := range []uint64{70, 60, 60, 90} {
		v.Review(Slot{"one", 0}, ReviewLine{By: "anna", Sequence: seq})
	}
	v.Domains = v.Domains[:1]
	with := v.EndOfRun().Finals[0]
	two := &StoredReport{Ended: 80}
	for _, c := range []struct {
		two  *StoredReport
		tick *Place
		want uint64
	}{{two, nil, 70}, {&StoredReport{Ended: 61}, nil, 60}, {&StoredReport{Ended: 60}, nil, 0}, {nil, &Place{Sequence: 100}, 90}} {
		sum := Sum(v.Commitment, Domains{{Domain: "one"}, {Domain: "two"}}, []*StoredReport{with, c.two}, c.tick)
		got := uint64(0)
		if r := sum.Domains[0].Review; r != nil {
			got = r.Sequence
		}
		if got != c.want || len(with.Reviews) != 3 {
			t.Errorf("%+v %+v: %d, want %d", c.two, c.tick, got, c.want)
		}
	}
}

func criterionOf(x *Exam, kind Kind) string {
	all := x.Envelope.asked("one")
	return all[slices.IndexFunc(all, func(a Asked) bool { return a.Kind == kind })].ID
}
