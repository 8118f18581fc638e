// Package bus is the engine. It turns the events of IN, the stream of what a swarm
// publishes, into those of OUT, the stream of what shadowd answers. Packages
// beside it have the streams and subjects (layout), the codec (cloudevent), the
// server (broker), judges and authors on the bus (service), what reads streams
// (streams) and runs (history), and what tries the wall (doctor).
//
// # The report is the state
//
// There is no state but what is stored in the two streams and the bucket of
// envelopes. (A second bucket keeps what judges said for a day, which saves
// asking again and decides nothing: cache.go.) Every output has a subject of its
// own and is published on the condition that nothing was ever stored there, so
// it is stored once, whoever publishes it and however often.
//
// # An engine subscribes to the log
//
// An engine follows IN, OUT and the bucket, without the data (streams,
// follower.go), and keeps one view of each run that is under way, all behind
// one lock (view.go, views.go): the commitment, the submissions that were not
// rejected, the reports, and what waits. What stood in the log before it was
// followed for a run is read once (loadview.go). So a view can be dropped and made
// again at any time. An event is processed like this:
//
//  1. a durable, a consumer of NATS that remembers its place, delivers it
//     (consume.go), it is decoded and validated
//     (intake.go), and the view reaches the event's own sequence;
//  2. [shadow.View.Turn], which is pure, says what is to be done (turn.go):
//     reject it, wait, judge, or publish what follows from a stored report.
//     The content of another event or report is read where that decides;
//  3. what waits is kept in hand under the same lock that decided it, and goes
//     on the moment that what it waits for is followed (waiting.go);
//  4. it is judged by the opened envelope (sealedrun.go, judging.go), which is
//     still in its bucket (bucket.go), and the gap report is stored
//     (consequences.go);
//  5. from the stored report, what follows from it is stored: the hardening
//     request and its timer, the quarantine notice, the attestation (attest.go),
//     run-scored (sum.go, clock.go);
//  6. it is acknowledged, last.
//
// The durable of step 1 delivers in the order of the log. What stands far in
// front of it, behind a flood of another author, is handled by its sequence as
// soon as it is followed (lookahead.go). The durable finds the outcome stored.
//
// A crash after any step leads to redelivery, and every step can be done
// again: it finds what is stored and makes what is not. The order of 4 and 5
// matters. If the request were stored first, a crash between the two could
// leave a request whose report a second judgement would not repeat.
//
// A view may be behind OUT. Then the engine computes a report that is already
// stored. Its publish is refused, and it uses the stored one. What must not be decided from
// a view that is behind is the end of a deadline, and that an event is refused
// because of another one. Before those the view is brought up to what is stored,
// or the log is asked.
//
// Which of several submissions takes a domain, or a cycle of it, follows from
// IN alone: the first in the log that is valid, in time and not rejected. So
// engines that get events in different orders agree. Deadlines are compared
// with stored times, never with a clock: a fix that was stored in time counts
// however late it is processed, and a timer that fires only says that it is
// worth looking.
//
// # What it guarantees
//
// One report per domain and cycle, one outcome per event, nothing lost that
// was acknowledged to its publisher, the same bytes whichever engine wrote
// them, but for the votes of judges, which stand in the report of the engine that
// stored it; and that a bundle is judged only by an envelope that hashes to the
// commitment in the log. Tests inject failures both ways (lost; stored but
// reported failed), kill the process, and read the whole log.
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
