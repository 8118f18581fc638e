// Package bus is the engine. It turns the events of IN, the stream of what a
// swarm publishes, into those of OUT, the stream of what shadowd answers. Other
// packages have the streams and subjects (layout), the codec (cloudevent), the
// server (broker), readers of streams (streams) and runs (history), and the tests
// of the wall (doctor).
//
// # The report is the state
//
// All state is stored in the two streams and the bucket of envelopes. (A second
// bucket keeps votes of judges for a day, so that they are not asked twice. It
// decides nothing: cache.go.) Every output has a subject of its own and is
// published on the condition that nothing was ever stored there, so it is
// stored once, whoever publishes it and however often.
//
// # An engine subscribes to the log
//
// An engine follows IN, OUT and the bucket, without the data (streams,
// follower.go), and keeps one view of each run that is under way, all behind
// one lock (view.go, views.go): the commitment, the submissions that were not
// rejected, the reports, and what waits. The engine reads once what the log
// held of a run before it followed it (loadview.go). So a view can be dropped
// and made again at any time. An event is processed like this:
//
//  1. a durable, a consumer of NATS that remembers its place, delivers it
//     (consume.go), it is decoded and validated
//     (intake.go), and the view reaches the event's own sequence;
//  2. [shadow.View.Turn], which is pure, says what is to be done (turn.go):
//     reject it, wait, judge, or publish what follows from a stored report.
//     The content of another event or report is read where that decides;
//  3. an event that has to wait is kept under the same lock that decided it,
//     and is handled as soon as what it waits for is stored (waiting.go);
//  4. it is judged by the opened envelope (sealedrun.go, judging.go), which is
//     still in its bucket (bucket.go), and the gap report is stored
//     (consequences.go);
//  5. from the stored report, what follows from it is stored: the hardening
//     request and its timer, the quarantine notice, the attestation (attest.go),
//     run-scored (sum.go, clock.go);
//  6. it is acknowledged, last.
//
// The durable of step 1 delivers in the order of the log. An event far ahead of
// it, behind a flood of another author, is handled by its sequence as soon as
// it is followed (lookahead.go). When the durable delivers it, its outcome is
// stored.
//
// A crash after any step leads to redelivery, and every step can be repeated:
// it finds what is stored and stores what is missing. The order of 4 and 5
// matters. If the request were stored first, a crash between the two could
// leave a request whose report a second judgement would not repeat.
//
// A view may be behind OUT. Then the engine computes a report that is already
// stored. Its publish is refused, and it uses the stored one. Two decisions
// must not be made from a view that is behind: the end of a deadline, and the
// refusal of an event because of another one. Before them the view is brought
// up to date, or the log is asked.
//
// Which of several submissions takes a domain, or a cycle of it, follows from
// IN alone: the first in the log that is valid, in time and not rejected. So
// engines that get events in different orders agree. Deadlines are compared
// with stored times, never with a clock: a fix that was stored in time counts
// however late it is processed, and a timer that fires only makes the engine
// look.
//
// # What it guarantees
//
// There is one report per domain and cycle, and one outcome per event. No event
// that was acknowledged to its publisher is lost. All engines write the same
// bytes, except for votes: the report has those of the engine that stored it. A
// bundle is judged only by an envelope that hashes to the commitment in the
// log. Tests inject failures both ways (lost; stored but reported failed), kill
// the process, and read the whole log.
//
// # What it does not
//
// On a bus without the account wall (package layout), anybody can write to the
// streams and the bucket: a changed envelope is noticed, a forged report is not. Events
// that wait are counted in each process: per commander and run, and per commander
// over all runs that nobody decomposed. And while one engine refuses an event for a reason that
// passes, such as a run that nobody decomposed, another may judge it through a
// copy: then its rejection and its report both stand.
package bus
