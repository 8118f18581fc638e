// Package audit derives again what is stored of a run and lists the
// differences. It is pure: its input is what was read of the bus, its output
// are findings.
//
// An audit derives what OUT should hold, by the functions that the engine itself
// decides by, and compares bytes. An output is missing, it is undue, or it
// differs; compare.go words the difference for all of them. One file a step:
//
//	auditrun.go  what was read, split by run
//	events.go    each output is one that shadowd writes; each event has exactly one outcome
//	seals.go     the commitment, its decomposition and the envelope; openings
//	reports.go   the report of each cycle, and its votes; compare.go what differs
//	follow.go    whose turn it was, by the log; requests, notices and signatures follow from reports
//	scored.go    the end of the run, and what is left of one whose seal has expired
//	finding.go   the findings
//
// An audit guarantees that a clean log gives no error, and that what the
// protocol derives (a verdict, a number, a decision, a deadline, an order) is
// derived again and not believed. It knows shadowd's own rules only: whoever
// holds the envelope key and can write to all streams can forge a whole run,
// and that run would pass. It does not see what expired.
package audit
