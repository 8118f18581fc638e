// Package shadow is the Shadow Score sealed-envelope protocol, without a bus,
// a clock or a goroutine: what is passed in decides what comes out.
//
// The way of a run: event.go is what the swarm says, view.go what the log says and
// what is due; items.go and compose.go make of an assignment what is asked, and Seal
// has authors write the rest; envelope.go keeps it, box.go hides it; exam.go judges a
// bundle by programs and by what a panel said (ballot.go, controls.go, evidence.go);
// decide.go makes the report of it, harden.go what a commander is told, runscored.go
// the run in a line per domain, and review.go what a person said.
//
// It guarantees that a decision depends only on the envelope, the submission,
// where it was stored, what judges said, and the report before it; that an
// envelope which does not hash to its commitment never judges; that what was
// not judged is not shown as a pass; that a further missing item never lowers a
// score, and no draw changes one; and that no output but the gap report holds an
// assertion, an expectation, a check or the decoy.
//
// It does not guarantee that criteria are good: that depends on the assignment,
// of which shadowd asks every item, and on the authors. Judges can err; control
// questions find those that do not read. The commitment does not bind the
// operator, who has the keys.
package shadow
