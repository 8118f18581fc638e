// Package bus is the engine. It turns the events of IN, the stream of what a swarm
// publishes, into those of OUT, the stream of what shadowd answers.
//
//	          IN ──► session.deliver ──► queue, by author ──► handle: fold, decide
//	           ▲     one reader, in      16 of an author       │ in a run, one at a
//	           │     order, with data    are under way         ▼ time, in order
//	ticks, commitments ◄── outbox ◄── seal, judge, review, reject, score ──► OUT
//
// # One writer
//
// Of all engines on a bus and prefix one is active. It has the lease, a key that
// it renews (lease.go); the others stand by. What is active is a session
// (session.go): it reads IN from a stored floor, in order, and acknowledges
// nothing. One lock guards it and its runs. An event waits for its place among those
// of its author (queue.go) and for its turn in its run, is taken into the view of
// the run ([shadow.View]), and the view says what is due (run.go): seal, judge,
// review (seal.go, judge.go, review.go), reject, or wait in the run until what it
// waits for is stored. Nothing waits for a model, for another author, or for a run
// that cannot be read.
//
// # The log is the state
//
// Every output has a subject of its own and is published on the condition that
// nothing stands there (outbox.go), so it is stored once. What follows from a
// report is made from the stored report alone. A run ends with domain-settled and,
// last of all, run-scored. After a crash at any step the same is done again: the
// next session begins at the floor, two numbers that can only be too low
// (reserved.go). Events below the first have their outcome; runs that were
// committed to before the second are scored. Those between are read anew.
//
// # Deadlines
//
// No clock decides. When a deadline seems due, a tick is stored in IN. The deadline
// has passed at the first tick that was stored behind it: an event counts if it
// stands before that tick and was stored in time. Timeouts are decided once all
// that stands before the tick is in the view, and they name it.
//
// # What it guarantees
//
// There is one report per domain and cycle, and one outcome per event. No event
// that was acknowledged to its publisher is lost. A bundle is judged only by an
// envelope that hashes to the commitment in the log.
//
// # What it does not
//
// On a bus without the account wall (package layout) anybody can write to the
// streams and the bucket: a changed envelope is noticed, a forged report is not. A
// process that is stopped between its look at the lease and a publish may, back
// again, store a rejection of an event that another has judged meanwhile; the
// audit tells.
package bus
