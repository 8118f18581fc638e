// Package attest says what a final gap report says in a form that anyone can
// check without asking shadowd: an in-toto Statement v1 with a test-result
// predicate, in a DSSE envelope, signed with Ed25519.
//
// # What it says
//
// Subject is the bundle that stands at the end of the domain, by the SHA-256 of
// the data of the event that brought it: of bundle-complete, or of the fix that
// took its place. Configuration is the sealed envelope, by the hash that was
// committed to. passedTests and failedTests are ids of criteria; what could not
// be judged counts as failed, as in the score. No text of a criterion is in it.
// What in-toto has no field for stands in the predicate under "swarm".
//
// The result is the level's: PASSED up to 15 % of failed criteria, WARNED up to
// 30 %, FAILED beyond. An advisory score, and one that was only observed, is
// WARNED at best: who reads nothing but the result must not take it for a plain
// pass.
//
// # What it rests on
//
// A statement follows from the stored report alone, and Ed25519 has no
// randomness: whoever has the same key writes the same bytes. A signature shows
// that the holder of the key said this of the bundle with this digest. It does
// not show that the criteria were good, or that the holder was honest.
package attest
