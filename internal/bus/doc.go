// Package bus is shadowd on NATS: the streams and subjects, the CloudEvents
// codec, the embedded server, and the engine that turns the events of IN into
// those of OUT.
//
// # The report is the state
//
// There is no state but what is stored in the two streams and the bucket of
// envelopes. (A second bucket keeps what judges said for a day, which saves
// asking again and decides nothing: cache.go.) Every output has a subject of its own and is published on the
// condition that nothing was ever stored there, so it is stored once, whoever
// publishes it and however often. An input is processed like this:
//
//  1. decode and validate it (intake.go); find and verify its run's envelope
//     (runs.go); if its report or rejection is stored already, go on with that;
//  2. judge and decide: package shadow, which is pure (judge.go); in between put
//     what the checks leave open to the panel of judges, if there is one, and
//     keep the message meanwhile (held.go);
//  3. store the gap report (follow.go, publish.go);
//  4. from the stored report, store what follows from it: the hardening request
//     and its timer, the quarantine notice, the attestation (attest.go), run-scored
//     (follow.go, clock.go);
//  5. acknowledge the input, last (consume.go).
//
// A crash after any step leads to redelivery, and every step can be done
// again: it finds what is stored and makes what is not. The order of 3 and 4
// matters. If the request were stored first, a crash between the two could
// leave a request whose report a second judgement would not repeat.
//
// Which of several submissions takes a domain, or a cycle of it, follows from
// IN alone: the first in the log that is valid, in time and not rejected
// (first.go). So engines that get events in different orders agree. Deadlines are compared
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
// On a bus without the account wall (accounts.go), anybody can write to the
// streams and the bucket: a changed envelope is noticed, a forged report is not. What waits
// for a seal is counted per process and per commander in a run, not over runs
// that somebody invents. And while one engine refuses an event for a reason that
// passes, such as a run that nobody decomposed, another may judge it through a
// copy: then its rejection and its report both stand.
package bus
