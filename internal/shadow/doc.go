// Package shadow is the Shadow Score sealed-envelope protocol, without a bus,
// a clock or a goroutine: what is passed in decides what comes out.
//
// The way of a run:
//
//	event.go       what the swarm says: a decomposition, then bundles and fixes
//	bundle.go      a bundle, and the commander's account of its items
//	turn.go        what is due about an event; view.go what the log says of a run
//	items.go       what a domain was asked for, and what was made of each item
//	compose.go     which criteria a domain is asked: items, figures, authors
//	criterion.go   a criterion, and who writes one
//	seal.go        Seal has authors write and hides everything
//	envelope.go    what it is kept in, and the commitment that binds shadowd to it
//	box.go         encryption, hashes and marks
//	exam.go        Judge judges a bundle: programs, then what a panel said
//	checks.go      what checks see of a bundle
//	ballot.go      the questions to judges, what proves a pass, how votes count
//	controls.go    questions of which the answer is known
//	score.go       failed of total, in integers; levels, actions, the median
//	decide.go      the report, which bundle stands, a fix or the gate
//	report.go      the gap report, which is the state of a domain
//	independence.go families of models, and what they mean for a score
//	harden.go      what a commander is told, and what it must not be told
//	runscored.go   the run in one line per domain
//	reject.go      why an event was not taken
//	policy.go      how a run is judged, and what it may take
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
