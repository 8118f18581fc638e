// Package audit re-derives everything that is stored of a run and lists what
// is not as it must be. It is pure: what was read of the bus is passed in, and
// findings come out.
//
// The way of an audit, one file a step:
//
//	log.go       what was read; run.go splits it by run
//	seals.go      the commitment, its decomposition and the envelope
//	inputs.go    each event has exactly one outcome
//	turns.go     what the log gave reason for, event by event
//	rejections.go    each rejection has a reason that holds
//	reports.go   the chain of a domain's reports, and their inputs
//	facts.go     each report's numbers and decisions, from what it says itself
//	again.go     each report judged again, from its bundle
//	consequences.go    requests, notices, timers and run-scored follow from reports
//	attestations.go    the attestation of each final report, and its signature
//	traces.go    openings and erasures
//	remains.go   what is left of a run whose seal has expired
//	finding.go   the findings; codes.go what there is to find
//
// An audit guarantees that a clean log gives no error, and that what the
// protocol derives (a verdict, a number, a decision, a deadline, an order) is
// derived again and not believed. It knows shadowd's own rules only: whoever
// holds the envelope key and can write to all streams can make a whole run up,
// and that run would pass. Nor does it see what expired or was erased, beyond
// the note that it left.
package audit
