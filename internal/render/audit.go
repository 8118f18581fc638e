package render

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Finding shows a finding of an audit in a few lines. What it quotes is
// untrusted.
func Finding(t *Terminal, f *audit.Finding) {
	place := []string{shadow.Printable(f.Run)}
	if f.Domain != "" {
		place = append(place, shadow.Printable(f.Domain), fmt.Sprint("cycle ", f.Cycle))
	}
	if f.Sequence > 0 {
		place = append(place, fmt.Sprint(f.Stream, " ", f.Sequence))
	}
	colour := Yellow
	if f.Severity == audit.Error {
		colour = Red
	}
	t.Printf("%s  %s  %s\n", t.Paint(colour, fmt.Sprintf("%-5s", f.Severity)), f.Code, strings.Join(place, ", "))
	t.Printf("       %s\n", audit.Codes[f.Code].Says)
	if f.Stored != "" {
		t.Printf("       stored  %s\n", shadow.Printable(f.Stored))
	}
	if f.Want != "" {
		t.Printf("       wanted  %s\n", shadow.Printable(f.Want))
	}
}

// Statement says in a line what an attestation says that the key id signed. The
// result comes first and what limits it stands beside it.
func Statement(t *Terminal, st *attest.Statement, id string) error {
	s := &st.Predicate.Swarm
	colour := Red
	if st.Predicate.Result == attest.Passed {
		colour = Green
	}
	limits := ""
	if s.Advisory {
		limits = " [ADVISORY: " + shadow.Printable(strings.Join(s.AdvisoryReasons, "; ")) + "]"
	}
	if !s.Gate.Enforced {
		limits += " [OBSERVE MODE]"
	}
	t.Printf("%s  %s  %s %%, %d of %d criteria not passed%s  bundle sha256:%s  signed by %s\n", t.Paint(colour, fmt.Sprintf("%-6s", st.Predicate.Result)),
		shadow.Printable(st.Subject[0].Name), s.ShadowScore, s.Score.Failed, s.Score.Total, t.Paint(Yellow, limits), shadow.Printable(st.Subject[0].Digest["sha256"]), id)
	return t.Err()
}
