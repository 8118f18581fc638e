// Package shadow is the Shadow Score sealed-envelope protocol, without a bus,
// a clock or a goroutine: what is passed in decides what comes out.
//
// The way of a run, one file a step:
//
//	event.go      what the swarm says: a decomposition, then bundles and fixes
//	turn.go       what is due about an event; sealturn.go, submissionturn.go and
//	              timerturn.go by its kind, holder.go which submission counts
//	seal.go       Seal has authors write hidden criteria (merge.go) and hides them
//	envelope.go   what they are kept in; commitment.go what binds shadowd to them
//	box.go        Encrypt and Decrypt: what is stored of an envelope
//	exam.go       NewExam verifies an envelope, Judge judges a bundle by it
//	question.go   what is left to judges; ballot.go counts their votes
//	score.go      failed of total, in integers; levels, actions, the median
//	newreport.go  what was found in a submission
//	decide.go     what follows from that: which bundle stands
//	conclude.go   whether a fix is asked for or the domain is closed
//	report.go     the gap report, which is the state of a domain
//	finish.go     its numbers and the level that it may claim
//	harden.go     what a commander is told, and the quarantine notice
//	leak.go       asks package guard whether a message would reveal sealed text
//	runscored.go  the run in one line per domain
//	reject.go     why an event was not taken
//	traces.go     what the operator did: looked into an envelope, erased a run
//
// It guarantees that a decision depends only on the envelope, the submission,
// where it was stored, and the report before it; that an envelope which does
// not hash to its commitment never judges; that what could not be judged is
// not passed; and that no output but the gap report holds an assertion, an
// expectation, a check or the decoy.
//
// It does not guarantee that criteria are good: that depends on the author
// (package rules). The commitment does not bind the operator, who has the keys.
package shadow
