package audit

// Code names a kind of finding: what an operator acts on in the same way has the
// same one. Codes are stable.
type Code string

// Kind says how severe a finding is and what it means.
type Kind struct {
	Severity Severity
	Says     string
}

// Codes says what each code means. Those that it calls notes do not make an
// audit fail.
var Codes = map[Code]Kind{}

func code(c Code, s Severity, says string) Code {
	Codes[c] = Kind{s, says}
	return c
}

// The codes.
var (
	Missing = code("missing", Error, "an output that follows from what is stored is not there")
	Undue   = code("undue", Error, "an output is stored that nothing stored gives, or before its time")
	Differs = code("differs", Error, "an output is not what is derived")

	BadOutput   = code("bad-output", Error, "an output is not one that shadowd writes: its subject, its event or its data break the protocol")
	StoredTwice = code("stored-twice", Error, "an output is stored more than once on its subject")
	NotOwn      = code("not-own", Error, "an output bears no mark, or a wrong one: somebody else wrote or changed it")
	SealedText  = code("sealed-text", Error, "an output that is not a gap report holds sealed text")

	NoCommitment    = code("no-commitment", Error, "there is an envelope, or outputs, of a run that was never committed to")
	NoDecomposition = code("no-decomposition", Error, "the decomposition that was committed to is not in IN before the commitment")
	SealDiffers     = code("seal-differs", Error, "the commitment or the envelope does not follow from the decomposition")
	EnvelopeMissing = code("envelope-missing", Error, "a run was committed to and its envelope is gone")
	EnvelopeClosed  = code("envelope-closed", Error, "the envelope was sealed with another key, so the run cannot be audited whole")
	SealBroken      = code("seal-broken", Error, "the bucket holds another envelope than the one that was committed to")
	SealAfterBundle = code("seal-after-bundle", Error, "a bundle was stored before the commitment and its report does not say so")

	NoOutcome      = code("no-outcome", Error, "an event was acknowledged and has neither a report nor a rejection")
	TwoOutcomes    = code("two-outcomes", Error, "an event has more than one outcome")
	RejectionPlace = code("rejection-place", Error, "a rejection names another place, author or hint than its event has")
	RejectionWrong = code("rejection-wrong", Error, "the reason of a rejection does not hold")

	ReportInput  = code("report-input", Error, "what a report judges is not in IN, was changed there, or is no submission for that report")
	VerdictWrong = code("verdict", Error, "judged again, the bundle fails other criteria, or the seal is whole that the report calls broken")
	GateWrong    = code("gate", Error, "a report's score, level, gate or request for a fix does not follow from its verdicts")
	VoteWrong    = code("vote", Error, "a report has ballots or votes that its judges cannot have given, or not all of them")

	SignatureWrong = code("signature", Error, "an attestation is not signed by a key of this shadowd")
	OpenedEarly    = code("opened-early", Error, "the envelope was opened by the operator before the run's end")
	NoteWrong      = code("note-wrong", Error, "the note of an opening contradicts the log")

	UnderWay      = code("under-way", Note, "an event or a deadline is being worked on, so its outcome is not awaited yet")
	Expired       = code("expired", Note, "what this part of the run rests on has expired from IN, so it was not audited")
	CopyRejected  = code("copy-rejected", Note, "one copy of an event was judged and another one rejected")
	BundleFirst   = code("bundle-before-seal", Note, "a bundle was stored before the commitment, and its report says so")
	OtherChecker  = code("other-checker", Note, "the envelope names another checker version than this program has, so the bundle was not judged again")
	EnvelopeLater = code("envelope-rewritten", Note, "the envelope was stored again after the commitment; it is the same one")
	Withheld      = code("withheld", Note, "what follows from a report was withheld, for it would hold sealed text")
	SameTask      = code("same-task", Note, "several runs have the same task")
	Opened        = code("opened", Note, "the envelope was opened by the operator")
)
