package render

import (
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// show writes by a template, which has the terminal as $ and what is shown as .V.
func (t *Terminal) show(name string, v any) error {
	return execute(t, name, struct {
		*Terminal
		V any
	}{t, v})
}

// Summary writes a document for a terminal.
func Summary(t *Terminal, d *Document) error { return t.show("text.tmpl", d) }

// Envelope shows a sealed envelope. Tasks and authors' words are untrusted.
func Envelope(t *Terminal, e *shadow.Envelope) error { return t.show("envelope.tmpl", e) }

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

// Trials shows what each criterion of a file says of a text.
func Trials(t *Terminal, trials []pack.Trial) error { return t.show("trials.tmpl", trials) }

// Criteria lists the criteria of a file with how many examples test each.
func Criteria(t *Terminal, file string, trials []pack.Trial) error {
	examples := 0
	for _, x := range trials {
		examples += x.Examples
	}
	t.Printf("%s: %s, %s: %s\n", shadow.Printable(file), criteria(len(trials)), shadow.Count(examples, "example"), t.Paint(Green, "all right"))
	var rows [][]string
	for _, x := range trials {
		words := shadow.Count(x.Examples, "example")
		if x.Judges {
			words = "judges decide"
		}
		rows = append(rows, []string{"  " + string(x.Category), words, shadow.Printable(x.Assertion)})
	}
	for _, line := range aligned(rows) {
		t.Printf("%s\n", line)
	}
	return t.Err()
}
