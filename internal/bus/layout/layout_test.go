package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// everySubject builds each subject once, with what Parse must read in it.
func everySubject(l Subjects) map[string]shadow.Address {
	return map[string]shadow.Address{
		l.Decomposition("r"):                 {Name: shadow.DecompositionDone, Run: "r", Author: AuthorNexus},
		l.Commitment("r"):                    {Name: shadow.EnvelopeSealed, Run: "r", Author: authorUnknown},
		l.Bundle("r", "c"):                   {Name: shadow.BundleComplete, Run: "r", Commander: "c", Author: "c"},
		l.Fix("r", "c"):                      {Name: shadow.FixSubmitted, Run: "r", Commander: "c", Author: "c"},
		l.Review("r", "d", "v"):              {Name: shadow.ReportReviewed, Run: "r", Domain: "d", Author: "v"},
		l.Reviewed("r", "d", 7):              {Name: shadow.RunReviewed, Run: "r", Domain: "d", Author: authorUnknown, Sequence: 7},
		l.GapReport("r", "d", 0):             {Name: shadow.GapReport, Run: "r", Domain: "d", Author: authorUnknown},
		l.HardeningRequest("c", "r", "d", 1): {Name: shadow.HardeningRequest, Run: "r", Commander: "c", Domain: "d", Cycle: 1, Author: "c"},
		l.Quarantined("r", "d"):              {Name: shadow.BundleQuarantined, Run: "r", Domain: "d", Author: authorUnknown},
		l.Settled("c", "r"):                  {Name: shadow.DomainSettled, Run: "r", Commander: "c", Author: "c"},
		l.RunScored("r"):                     {Name: shadow.RunScored, Run: "r", Author: authorUnknown},
		l.Opened("r", 3):                     {Name: shadow.EnvelopeOpened, Run: "r", Author: authorUnknown, Sequence: 3},
		l.Rejected("a", 17):                  {Name: shadow.EventRejected, Author: "a", Sequence: 17},
		l.TickAt(time.UnixMilli(17)):         {Name: shadow.Tick, Author: authorUnknown, Sequence: 17},
	}
}

func TestSubjects(t *testing.T) {
	l := Subjects{}
	for _, c := range []struct{ got, want string }{
		{l.HardeningRequest("c", "r", "d", 1), "swarm.hardening-request.c.r.d.1"},
		{l.Openings("r"), "swarm.envelope-opened.r.*"},
		{l.Rejected("c", 9), "swarm.event-rejected.c.9"},
		{l.Rejected("*", 9), "swarm.event-rejected.unknown.9"},
		{l.Rejected("", 9), "swarm.event-rejected.unknown.9"},
		{l.TickAt(time.Unix(1, 2_000_000)), "swarm.tick.1002"},
		{Subjects{"acme.x"}.RunScored("r"), "acme.x.run-scored.r"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, l := range []Subjects{{}, {"acme.swarm"}} {
		for subject, want := range everySubject(l) {
			got, err := l.Parse(subject)
			if err != nil || got != want {
				t.Errorf("%s: got %+v, %v, want %+v", subject, got, err, want)
			}
		}
	}
}

// Each subject is stored by exactly one stream.
func TestSubjectsHaveOneHome(t *testing.T) {
	l := Subjects{}
	in, out := l.in(StorageConfig{}).Subjects, l.out(StorageConfig{}).Subjects
	for subject, a := range everySubject(l) {
		ofIn := slices.Contains([]string{shadow.DecompositionDone, shadow.EnvelopeSealed, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed, shadow.Tick}, a.Name)
		if bustest.Matches(in, subject) != ofIn || bustest.Matches(out, subject) == ofIn {
			t.Errorf("%s: in IN %v, in OUT %v", subject, bustest.Matches(in, subject), bustest.Matches(out, subject))
		}
		for _, other := range []string{subject + ".x", subject[:strings.LastIndex(subject, ".")], "x." + subject} {
			if bustest.Matches(append(in, out...), other) {
				t.Errorf("%s is stored too", other)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, c := range []struct{ subject, want, author string }{
		{"", "does not begin", authorUnknown},
		{"swarm", "does not begin", authorUnknown},
		{"other.run-scored.r", "does not begin", authorUnknown},
		{"swarm.", `"" is no event`, authorUnknown},
		{"swarm.bundle-incomplete.r.c", `"bundle-incomplete" is no event`, authorUnknown},
		{"swarm.bundle-complete.r", "has 2 tokens after its name, not 1", authorUnknown},
		{"swarm.decomposition-done.r.x", "has 1 tokens after its name, not 2", AuthorNexus},
		{"swarm.decomposition-done.é", `"é" cannot be the run`, AuthorNexus},
		{"swarm.bundle-complete.*.c", `"*" cannot be the run`, "c"}, // the server lets such subjects in
		{"swarm.bundle-complete.r.>", `">" cannot be the commander`, authorUnknown},
		{"swarm.bundle-complete.r.", `"" cannot be the commander`, authorUnknown},
		{"swarm.bundle-complete." + long + ".c", "cannot be the run of bundle-complete: it has 65 characters; use 1 to 64 letters, digits, - and _", "c"},
		{"swarm.gap-report.r.d.01", `"01" cannot be the cycle`, authorUnknown},
		{"swarm.gap-report.r.d.-1", `"-1" cannot be the cycle`, authorUnknown},
		{"swarm.gap-report.r.d.99999999999999999999", "cannot be the cycle", authorUnknown},
		{"swarm.clock.r.fired", `"clock" is no event`, authorUnknown},
		{"swarm.tick.r", `"r" cannot be the number`, authorUnknown},
		{"swarm.tick.1.2", "not 2", authorUnknown},
	} {
		a, err := Subjects{}.Parse(c.subject)
		if !errors.Is(err, ErrNotOurs) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s", c.subject, err, c.want)
		}
		if a.Author != c.author {
			t.Errorf("%s: author %q, want %q", c.subject, a.Author, c.author)
		}
	}
}

func FuzzParse(f *testing.F) {
	for subject := range everySubject(Subjects{}) {
		f.Add(subject)
	}
	f.Add("swarm.bundle-complete.*.>")
	f.Add("swarm..\x00.")
	f.Fuzz(func(t *testing.T, subject string) {
		l := Subjects{}
		a, err := l.Parse(subject)
		if !ValidID(a.Author) {
			t.Fatalf("author %q", a.Author)
		}
		if err != nil {
			bustest.CheckMessage(t, err)
			return
		}
		// What can be read is built again from what was read.
		tokens := []string{a.Name}
		for _, t := range shapes[a.Name] {
			tokens = append(tokens, map[token]string{run: a.Run, domain: a.Domain, commander: a.Commander, author: a.Author, reviewer: a.Author,
				cycle: strconv.Itoa(a.Cycle), sequence: fmt.Sprint(a.Sequence), opening: fmt.Sprint(a.Sequence)}[t])
		}
		back := l.Subject(tokens...)
		if back != subject {
			t.Fatalf("%q was read as %+v, which is %q", subject, a, back)
		}
	})
}

// A wildcard, a space or an empty token in the prefix would widen every
// subscription and permission that is built from it.
func TestPrefixes(t *testing.T) {
	for _, ok := range []string{"swarm", "a", "acme.swarm", "a-b_C.9", "acme.live", strings.Repeat("a", 64)} {
		if err := CheckPrefix(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "live", "live.a", "_x", "a._x", "_INBOX", "$JS", strings.Repeat("a", 65)} {
		if CheckPrefix(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	for r := rune(0); r < 0x3000; r++ {
		for _, s := range []string{string(r), "a" + string(r), string(r) + "a", "a" + string(r) + "b", "a." + string(r), string(r) + ".a"} {
			want := strings.ContainsRune(plain, r) && s[0] != '_' && !strings.Contains(s, "._") || s == "a.b"
			if err := CheckPrefix(s); (err == nil) != want {
				t.Errorf("%q: %v", s, err)
			}
		}
	}
}
