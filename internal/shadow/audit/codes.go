package audit

// Code names a kind of finding. Codes are stable.
type Code string

// Codes says what each code means. Those that it calls notes do not make an
// audit fail.
var Codes = map[Code]struct {
	Severity Severity
	Says     string
}{}

func code(c Code, s Severity, says string) Code {
	if _, twice := Codes[c]; twice {
		panic("two findings are called " + c)
	}
	Codes[c] = struct {
		Severity Severity
		Says     string
	}{s, says}
	return c
}

// The codes.
var (
	StoredTwice   = code("stored-twice", Error, "an output is stored more than once on its subject")
	ForeignOutput = code("foreign-output", Error, "OUT holds something that is no output of the protocol")
	BadEvent      = code("bad-event", Error, "an output is not the CloudEvent that its subject asks for")
	BadData       = code("bad-data", Error, "an output's data break their schema")
	SealedText    = code("sealed-text", Error, "an output that is not a gap report holds sealed text")

	NoCommitment       = code("no-commitment", Error, "there are outputs of a run that was never committed to")
	NoDecomposition    = code("no-decomposition", Error, "the decomposition that was committed to is not in IN")
	CommitmentFirst    = code("commitment-first", Error, "the commitment stands before its decomposition")
	CommitmentMismatch = code("commitment-mismatch", Error, "the commitment does not follow from the decomposition")
	EnvelopeMissing    = code("envelope-missing", Error, "a run was committed to and its envelope is gone")
	EnvelopeClosed     = code("envelope-closed", Error, "the envelope was sealed with another key, so the run cannot be audited whole")
	EnvelopeOther      = code("envelope-of-other-run", Error, "the bucket holds another run's envelope")
	EnvelopeContent    = code("envelope-content", Error, "the envelope does not follow from the decomposition, or not from itself")
	EnvelopeOrphan     = code("envelope-orphan", Error, "the bucket holds an envelope of a run that was never committed to")
	SealBroken         = code("seal-broken", Error, "the envelope does not match the commitment")
	SealAfterBundle    = code("seal-after-bundle", Error, "a bundle was stored before the commitment and its report does not say so")

	NoOutcome       = code("no-outcome", Error, "an event was acknowledged and has neither a report nor a rejection")
	TwoOutcomes     = code("two-outcomes", Error, "an event has more than one outcome")
	RejectionOrphan = code("rejection-orphan", Error, "a rejection is about an event that IN does not hold")
	RejectionPlace  = code("rejection-place", Error, "a rejection names another place, author or hint than its event has")
	RejectionWrong  = code("rejection-wrong", Error, "the reason of a rejection does not hold")

	ReportIDs     = code("report-ids", Error, "a report names other ids than its subject, or another seal than its run's")
	ReportDomain  = code("report-domain", Error, "a report is about a domain that the run does not have")
	ReportInput   = code("report-input", Error, "a report's input is not in IN, or is not a submission for that report")
	ReportTime    = code("report-time", Error, "a report names another time than its input was stored at")
	BundleDigest  = code("bundle-digest", Error, "a report names another digest than its input has")
	NotTheFirst   = code("not-the-first", Error, "a report judges a submission although another one came first")
	LateJudged    = code("late-judged", Error, "a submission was judged that was stored after its deadline")
	CycleGap      = code("cycle-gap", Error, "a report has no report of the cycle before")
	AfterFinal    = code("after-final", Error, "a report follows one that asked for no fix")
	AfterScore    = code("after-score", Error, "a report was stored after its run was scored")
	TimedOutEarly = code("timed-out-early", Error, "a report states a missed deadline that had not passed")
	TimelyIgnored = code("timely-ignored", Error, "a submission came in time and was passed over")

	CriterionMissing = code("criterion-missing", Error, "a report does not account for every criterion")
	CriterionUnknown = code("criterion-unknown", Error, "a report names a criterion twice, or one that the envelope does not have")
	ScoreWrong       = code("score", Error, "a report's numbers do not agree")
	LevelWrong       = code("level", Error, "a report's level is not that of its score")
	GateWrong        = code("gate", Error, "a report's gate is not that of its level")
	HardeningWrong   = code("hardening", Error, "a fix was asked for, or not, against the run's policy")
	RegressionWrong  = code("regression", Error, "the wrong one of two bundles stands")
	CyclesWrong      = code("cycles", Error, "a report's list of cycles does not continue that of the report before")
	VelocityWrong    = code("velocity", Error, "the numbers of a report's hardening block are wrong")
	DeadlineWrong    = code("deadline", Error, "a report's deadline is not that of its fix")
	CheckerWrong     = code("checker-version", Error, "a report names another checker version than its envelope")

	BallotUndue = code("ballots", Error, "a report has ballots on other criteria than the checks leave open")
	BallotWrong = code("ballot", Error, "a ballot, or the cost of all, does not follow from the votes")
	VoteWrong   = code("vote", Error, "a vote is of no judge of the report, or breaks the rule of evidence")

	VerdictWrong    = code("verdict", Error, "judged again, the bundle fails other criteria")
	FailureText     = code("failure-text", Error, "judged again, the same criteria fail for other reasons or with other messages")
	AdvisoryWrong   = code("advisory", Error, "a report is advisory for other reasons than it should be")
	ProvenanceWrong = code("provenance", Error, "a report's families, independence, isolation or conformance level are wrong")
	BrokenUnfounded = code("broken-unfounded", Error, "a report calls the seal broken, and it is whole")
	ReportDiffers   = code("report-differs", Error, "judged again, the report reads otherwise")

	RequestMissing  = code("request-missing", Error, "a report asks for a fix and no hardening request is stored")
	RequestUnasked  = code("request-unasked", Error, "a hardening request is stored that no report asks for")
	RequestDeadline = code("request-deadline", Error, "a hardening request has another deadline than its report gives")
	RequestDiffers  = code("request-differs", Error, "a hardening request is not what its report gives")
	NoticeMissing   = code("notice-missing", Error, "a quarantined bundle has no notice")
	NoticeUndue     = code("notice-undue", Error, "a quarantine notice is stored that no report gives")
	NoticeDiffers   = code("notice-differs", Error, "a quarantine notice is not what its report gives")
	TimerMissing    = code("timer-missing", Error, "a deadline has no timer, neither waiting nor fired")
	TimerUndue      = code("timer-undue", Error, "a timer is stored that nothing asks for")
	TimerWrong      = code("timer-wrong", Error, "a timer is set to, or fired at, another time than its deadline")
	ScoredMissing   = code("run-scored-missing", Error, "every domain is final and the run is not scored")
	ScoredEarly     = code("run-scored-early", Error, "the run was scored before every domain was final or its deadline had passed")
	ScoredMedian    = code("run-scored-median", Error, "the run's median or its level is not that of its reports")
	ScoredDiffers   = code("run-scored-differs", Error, "run-scored is not what the run's reports give")

	AttestationMissing = code("attestation-missing", Error, "a final report has no attestation")
	AttestationUndue   = code("attestation-undue", Error, "an attestation is stored that no report gives")
	AttestationDiffers = code("attestation-differs", Error, "an attestation is not what its report gives")
	SignatureWrong     = code("signature", Error, "an attestation, or the note of a forgotten run, is not signed by a key of this shadowd")

	OpenedEarly = code("opened-early", Error, "the envelope was opened by the operator before the run's end")
	NotErased   = code("not-erased", Error, "something is left of a run that was forgotten")
	NoteWrong   = code("note-wrong", Error, "the note of a forgotten run, or of an opening, contradicts the log")

	UnderWay      = code("under-way", Note, "an event or a deadline is being worked on, so its outcome is not awaited yet")
	Expired       = code("expired", Note, "what this part of the run rests on has expired from IN, so it was not audited")
	CopyRejected  = code("copy-rejected", Note, "one copy of an event was judged and another one rejected")
	BundleFirst   = code("bundle-before-seal", Note, "a bundle was stored before the commitment, and its report says so")
	OtherChecker  = code("other-checker", Note, "a report names another checker version than this program has, so its bundle was not judged again")
	EnvelopeLater = code("envelope-rewritten", Note, "the envelope was stored again after the commitment; it is the same one")
	Withheld      = code("withheld", Note, "what follows from a report was withheld, for it would hold sealed text")
	SameTask      = code("same-task", Note, "several runs have the same task")
	Opened        = code("opened", Note, "the envelope was opened by the operator")
	Forgotten     = code("forgotten", Note, "the run was forgotten; its note stands for it")
)
