// Package audit derives again what is stored of a run and lists the
// differences. It is pure: its input is what was read of the bus, its output
// are findings.
//
// An audit derives what OUT should hold, by the functions that the engine itself
// decides by, and compares bytes. An output is missing, it is undue, or it
// differs; difference.go words the difference for all of them. One file a step:
//
//	log.go       what was read; auditrun.go splits it by run
//	outputs.go   each output is one that shadowd writes
//	seals.go     the commitment, its decomposition and the envelope
//	inputs.go    each event has exactly one outcome
//	turns.go     whose turn it was, by the log: of events, and of reports
//	rejections.go    each rejection has a reason that holds
//	reports.go   the report of each cycle; compare.go what differs, votes.go its votes
//	follow.go    requests, notices, attestations and timers follow from reports
//	scored.go    run-scored, and what is left of a run whose seal has expired
//	traces.go    openings and erasures
//	finding.go   the findings; codes.go what there is to find
//
// An audit guarantees that a clean log gives no error, and that what the
// protocol derives (a verdict, a number, a decision, a deadline, an order) is
// derived again and not believed. It knows shadowd's own rules only: whoever
// holds the envelope key and can write to all streams can forge a whole run,
// and that run would pass. It does not see what expired or was erased, except
// by the note of the erasure.
package audit
