package render

import (
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Audit shows the findings of an audit in a few lines each, and their number.
// What they quote is untrusted.
func Audit(t *Terminal, r *audit.Result) error { return t.show("audit.tmpl", r) }

// Statement says in a line what an attestation says that the key id signed. The
// result comes first and what limits it stands beside it.
func Statement(t *Terminal, st *attest.Statement, id string) error {
	return t.show("statement.tmpl", struct {
		*attest.Statement
		Key string
	}{st, id})
}
