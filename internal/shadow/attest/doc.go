// Package attest puts a final gap report into a form that anyone can check
// without asking shadowd: an in-toto Statement v1 with a test-result predicate,
// in a DSSE envelope, signed with Ed25519. The event of the report carries the
// signature alone: the statement is made anew from the report.
//
// # What it says
//
// Subject is the accepted bundle of the domain, by the SHA-256 of the data of
// its event: bundle-complete, or the fix that replaced it. Configuration is the
// sealed envelope, by the hash that was committed to. passedTests and
// failedTests are ids of criteria that were judged, warnedTests those that were
// not, so that none of them reads as a pass or as a failure. No text of a
// criterion is in it. Values without a field in in-toto are in the predicate
// under "swarm".
//
// The result is the level's: PASSED up to 15 % of failed criteria, WARNED up to
// 30 %, FAILED beyond. An advisory score, and one that was only observed, is
// WARNED at best: a reader of the result alone must not take it for a pass
// without reservation.
//
// # What it rests on
//
// A statement follows from the stored report alone, and Ed25519 has no
// randomness: whoever has the same key writes the same bytes. A signature shows
// that the holder of the key made this statement about the bundle with this
// digest. It does not show that the criteria were good, or that the holder was
// honest.
package attest
