package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// redecided is what follows from what a report says that it found. It needs
// neither the envelope nor the bundle.
func (r *Run) redecided(rep, prev *report, deadline time.Time) *shadow.Report {
	found := rep.Report
	s := &found.Swarm
	s.RunID, s.Domain, s.Cycle, s.Domains, found.Report.SealedHash = r.ID, rep.Domain, rep.Cycle, len(r.com.CriteriaByDomain), r.com.SealedHash
	if d := r.domains.Find(rep.Domain); d != nil {
		s.CommanderID = d.CommanderID
	}
	s.Cycles, s.Counts = slices.Clone(s.Cycles), shadow.CountItems(s.Items)
	s.Cycles[len(s.Cycles)-1].Score.Total = r.com.Criteria(r.domains, rep.Domain)
	want := found.Redecide(&r.com.Policy, prev.before(), deadline)
	if s = &want.Swarm; s.SealBroken == "" {
		if r.exam != nil {
			s.CheckerVersion = r.exam.Envelope.CheckerVersion
			want.Failures = slices.DeleteFunc(slices.Clone(want.Failures), func(f shadow.Failure) bool {
				return !slices.ContainsFunc(r.exam.Envelope.Criteria, func(c shadow.Criterion) bool { return c.ID == f.TestName })
			})
		}
		n := &s.Score
		n.Failed, n.Undecided = len(want.Failures), len(s.Undecided())
		want.SealedTests = shadow.SealedTally{Total: n.Total, Passed: n.Total - n.Failed, Failed: n.Failed}
		want.Report.ShadowScore, want.Report.Level = n.Percent(), n.Level()
	}
	return want
}

// parts are those of a report. The first that differs explains what follows from it.
var parts = []struct {
	code Code
	at   []string
}{
	{ReportInput, []string{"/swarm/in", "/swarm/bundle_digest"}},
	{VoteWrong, []string{"/swarm/ballots", "/swarm/cost", "/swarm/judges"}},
	{VerdictWrong, nil},
	{GateWrong, []string{"/report/shadow_score", "/report/level", "/sealed_tests", "/swarm/score", "/swarm/verdict", "/swarm/gate", "/swarm/final",
		"/swarm/accepted_cycle", "/swarm/hardening", "/swarm/advisory_reasons"}},
	{Differs, []string{""}},
}

// compare notes what differs between a stored report and the derived one.
func (r *Run) compare(rep *report, want *shadow.Report) {
	have, derived, data := notPassed(&rep.Report), notPassed(want), encode(want)
	for _, p := range parts {
		switch {
		case p.code == VerdictWrong && have != derived:
			r.find(rep.Message, VerdictWrong, have, derived)
			return
		case r.differ(rep.Message, p.code, rep.Data, data, p.at...):
			return
		}
	}
}

// notPassed lists the failures of a report.
func notPassed(rep *shadow.Report) string {
	if why := rep.Swarm.SealBroken; why != "" {
		return "the seal is broken: " + why
	}
	var all []string
	for _, f := range rep.Failures {
		id := f.TestName
		if slices.Contains(rep.Swarm.Undecided(), id) {
			id += " (undecided)"
		}
		all = append(all, id)
	}
	return "not passed: " + strings.Join(all, ", ")
}

// differ notes a finding if stored data are not those that are derived, at or below
// some places. It names the places that differ.
func (r *Run) differ(m *Message, code Code, stored, want []byte, places ...string) bool {
	if bytes.Equal(stored, want) {
		return false
	}
	var have, derived []string
	differences("", parse(stored), parse(want), func(at string, stored, want any) {
		if slices.ContainsFunc(places, func(p string) bool { return at == p || strings.HasPrefix(at, p+"/") }) {
			s, w := r.shown(stored, want)
			have, derived = append(have, at+" "+s), append(derived, at+" "+w)
		}
	})
	if len(have) == 0 && slices.Contains(places, "") { // the same said in other bytes
		have, derived = []string{"data " + shadow.Digest(stored)}, []string{"data " + shadow.Digest(want)}
	}
	if len(have) > 0 {
		r.find(m, code, clip.List(have, 5, ", "), clip.List(derived, 5, ", "))
	}
	return len(have) > 0
}

// same notes a finding if a stored output is not the one that is derived, from what
// caused it, of that time and with these data.
func (r *Run) same(m *Message, cause string, at time.Time, want []byte) {
	r.due[m.Subject] = true
	r.caused(m, cause, at)
	if m.Unreadable == "" {
		r.differ(m, Differs, m.Data, want, "")
	}
}

// parse is nil for what is not JSON.
func parse(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// differences calls f for each place, a JSON pointer, at which two documents differ,
// with what each has there; nil where there is nothing.
func differences(at jsontext.Pointer, stored, want any, f func(at string, stored, want any)) {
	s, w := children(stored), children(want)
	if s == nil || w == nil {
		if !bytes.Equal(encode(stored), encode(want)) {
			f(string(at), stored, want)
		}
		return
	}
	keys := maps.Clone(w)
	maps.Copy(keys, s)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		differences(at.AppendToken(key), s[key], w[key], f)
	}
}

// children are the values of an object, or of a list by their index; nil for
// what is neither.
func children(v any) map[string]any {
	list, isList := v.([]any)
	if !isList {
		object, _ := v.(map[string]any)
		return object
	}
	all := map[string]any{}
	for i := range list {
		all[strconv.Itoa(i)] = list[i]
	}
	return all
}

// shown are the two values of a difference. If one of them may be sealed, both
// are shown by their digests, since they may be nearly the same. Without the
// envelope nobody can tell, and numbers and single words alone are shown.
func (r *Run) shown(s, w any) (stored, want string) {
	both := string(encode(s)) + string(encode(w))
	sealed := strings.ContainsFunc(both, func(c rune) bool { return c <= ' ' || c > '~' })
	if r.exam != nil {
		sealed = r.exam.Leaks(both)
	}
	show := func(v any) string {
		switch text := encode(v); {
		case v == nil:
			return "nothing"
		case sealed:
			return shadow.Digest(text)
		default:
			return clip.To(string(text), 160)
		}
	}
	return show(s), show(w)
}
