package audit

import (
	"cmp"
	"slices"
)

// Severity tells what makes an audit fail from what it mentions.
type Severity string

// The severities. An audit with notes alone is clean.
const (
	Error Severity = "error"
	Note  Severity = "note"
)

// Finding is something that an audit has to say. It holds no sealed text;
// Stored may quote what others wrote, so whoever prints it escapes it.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Run      string   `json:"run,omitempty"`
	Domain   string   `json:"domain,omitempty"`
	// Cycle is meant only where Domain is set.
	Cycle int `json:"cycle"`
	// Stream and Sequence are the place of what the finding is about; for the
	// bucket, the sequence is the revision. Zero where something is missing.
	Stream   string `json:"stream,omitempty"`
	Sequence uint64 `json:"sequence,omitempty"`
	// Stored is what is there, Want what should be.
	Stored string `json:"stored"`
	Want   string `json:"want"`
}

// Code names a kind of finding. Codes are stable.
type Code string

// The codes. What each says stands in [Codes].
const (
	StoredTwice   Code = "stored-twice"
	ForeignOutput Code = "foreign-output"
	BadEvent      Code = "bad-event"
	BadData       Code = "bad-data"
	SealedText    Code = "sealed-text"

	NoCommitment       Code = "no-commitment"
	NoDecomposition    Code = "no-decomposition"
	CommitmentFirst    Code = "commitment-first"
	CommitmentMismatch Code = "commitment-mismatch"
	EnvelopeMissing    Code = "envelope-missing"
	EnvelopeClosed     Code = "envelope-closed"
	EnvelopeOther      Code = "envelope-of-other-run"
	EnvelopeContent    Code = "envelope-content"
	EnvelopeOrphan     Code = "envelope-orphan"
	SealBroken         Code = "seal-broken"
	SealAfterBundle    Code = "seal-after-bundle"

	NoOutcome       Code = "no-outcome"
	TwoOutcomes     Code = "two-outcomes"
	RejectionOrphan Code = "rejection-orphan"
	RejectionPlace  Code = "rejection-place"
	RejectionWrong  Code = "rejection-wrong"

	ReportIDs     Code = "report-ids"
	ReportDomain  Code = "report-domain"
	ReportInput   Code = "report-input"
	ReportTime    Code = "report-time"
	BundleDigest  Code = "bundle-digest"
	NotTheFirst   Code = "not-the-first"
	LateJudged    Code = "late-judged"
	CycleGap      Code = "cycle-gap"
	AfterFinal    Code = "after-final"
	AfterScore    Code = "after-score"
	TimedOutEarly Code = "timed-out-early"
	TimelyIgnored Code = "timely-ignored"

	CriterionMissing Code = "criterion-missing"
	CriterionUnknown Code = "criterion-unknown"
	ScoreWrong       Code = "score"
	LevelWrong       Code = "level"
	GateWrong        Code = "gate"
	HardeningWrong   Code = "hardening"
	RegressionWrong  Code = "regression"
	CyclesWrong      Code = "cycles"
	VelocityWrong    Code = "velocity"
	DeadlineWrong    Code = "deadline"
	CheckerWrong     Code = "checker-version"

	BallotUndue Code = "ballots"
	BallotWrong Code = "ballot"
	VoteWrong   Code = "vote"

	VerdictWrong    Code = "verdict"
	FailureText     Code = "failure-text"
	AdvisoryWrong   Code = "advisory"
	ProvenanceWrong Code = "provenance"
	BrokenUnfounded Code = "broken-unfounded"
	ReportDiffers   Code = "report-differs"

	RequestMissing  Code = "request-missing"
	RequestUnasked  Code = "request-unasked"
	RequestDeadline Code = "request-deadline"
	RequestDiffers  Code = "request-differs"
	NoticeMissing   Code = "notice-missing"
	NoticeUndue     Code = "notice-undue"
	NoticeDiffers   Code = "notice-differs"
	TimerMissing    Code = "timer-missing"
	TimerUndue      Code = "timer-undue"
	TimerWrong      Code = "timer-wrong"
	ScoredMissing   Code = "run-scored-missing"
	ScoredEarly     Code = "run-scored-early"
	ScoredMedian    Code = "run-scored-median"
	ScoredDiffers   Code = "run-scored-differs"

	AttestationMissing Code = "attestation-missing"
	AttestationUndue   Code = "attestation-undue"
	AttestationDiffers Code = "attestation-differs"
	SignatureWrong     Code = "signature"

	OpenedEarly Code = "opened-early"
	NotErased   Code = "not-erased"
	NoteWrong   Code = "note-wrong"

	UnderWay        Code = "under-way"
	Expired         Code = "expired"
	CopyRejected    Code = "copy-rejected"
	BundleFirst     Code = "bundle-before-seal"
	OtherChecker    Code = "other-checker"
	EnvelopeLater   Code = "envelope-rewritten"
	RequestWithheld Code = "request-withheld"
	SameTask        Code = "same-task"
	Opened          Code = "opened"
	Forgotten       Code = "forgotten"
)

// Codes says what each code means. Those that it calls notes do not make an
// audit fail.
var Codes = map[Code]struct {
	Severity Severity
	Says     string
}{
	StoredTwice:   {Error, "an output is stored more than once on its subject"},
	ForeignOutput: {Error, "OUT holds something that is no output of the protocol"},
	BadEvent:      {Error, "an output is not the CloudEvent that its subject asks for"},
	BadData:       {Error, "an output's data break their schema"},
	SealedText:    {Error, "an output that is not a gap report holds sealed text"},

	NoCommitment:       {Error, "there are outputs of a run that was never committed to"},
	NoDecomposition:    {Error, "the decomposition that was committed to is not in IN"},
	CommitmentFirst:    {Error, "the commitment stands before its decomposition"},
	CommitmentMismatch: {Error, "the commitment does not follow from the decomposition"},
	EnvelopeMissing:    {Error, "a run was committed to and its envelope is gone"},
	EnvelopeClosed:     {Error, "the envelope was sealed with another key, so the run cannot be audited whole"},
	EnvelopeOther:      {Error, "the bucket holds another run's envelope"},
	EnvelopeContent:    {Error, "the envelope does not follow from the decomposition, or not from itself"},
	EnvelopeOrphan:     {Error, "the bucket holds an envelope of a run that was never committed to"},
	SealBroken:         {Error, "the envelope does not match the commitment"},
	SealAfterBundle:    {Error, "a bundle was stored before the commitment and its report does not say so"},

	NoOutcome:       {Error, "an event was acknowledged and has neither a report nor a rejection"},
	TwoOutcomes:     {Error, "an event has more than one outcome"},
	RejectionOrphan: {Error, "a rejection is about an event that IN does not hold"},
	RejectionPlace:  {Error, "a rejection names another place, author or hint than its event has"},
	RejectionWrong:  {Error, "the reason of a rejection does not hold"},

	ReportIDs:     {Error, "a report names other ids than its subject, or another seal than its run's"},
	ReportDomain:  {Error, "a report is about a domain that the run does not have"},
	ReportInput:   {Error, "a report's input is not in IN, or is not a submission for that report"},
	ReportTime:    {Error, "a report names another time than its input was stored at"},
	BundleDigest:  {Error, "a report names another digest than its input has"},
	NotTheFirst:   {Error, "a report judges a submission although another one came first"},
	LateJudged:    {Error, "a submission was judged that was stored after its deadline"},
	CycleGap:      {Error, "a report has no report of the cycle before"},
	AfterFinal:    {Error, "a report follows one that asked for no fix"},
	AfterScore:    {Error, "a report was stored after its run was scored"},
	TimedOutEarly: {Error, "a report states a missed deadline that had not passed"},
	TimelyIgnored: {Error, "a submission came in time and was passed over"},

	CriterionMissing: {Error, "a report does not account for every criterion"},
	CriterionUnknown: {Error, "a report names a criterion twice, or one that the envelope does not have"},
	ScoreWrong:       {Error, "a report's numbers do not agree"},
	LevelWrong:       {Error, "a report's level is not that of its score"},
	GateWrong:        {Error, "a report's gate is not that of its level"},
	HardeningWrong:   {Error, "a fix was asked for, or not, against the run's policy"},
	RegressionWrong:  {Error, "the wrong one of two bundles stands"},
	CyclesWrong:      {Error, "a report's list of cycles does not continue that of the report before"},
	VelocityWrong:    {Error, "the numbers of a report's hardening block are wrong"},
	DeadlineWrong:    {Error, "a report's deadline is not that of its fix"},
	CheckerWrong:     {Error, "a report names another checker version than its envelope"},

	BallotUndue: {Error, "a report has ballots on other criteria than the checks leave open"},
	BallotWrong: {Error, "a ballot, or the cost of all, does not follow from the votes"},
	VoteWrong:   {Error, "a vote is of no judge of the report, or breaks the rule of evidence"},

	VerdictWrong:    {Error, "judged again, the bundle fails other criteria"},
	FailureText:     {Error, "judged again, the same criteria fail for other reasons or with other messages"},
	AdvisoryWrong:   {Error, "a report is advisory for other reasons than it should be"},
	ProvenanceWrong: {Error, "a report's families, independence, isolation or conformance level are wrong"},
	BrokenUnfounded: {Error, "a report calls the seal broken, and it is whole"},
	ReportDiffers:   {Error, "judged again, the report reads otherwise"},

	RequestMissing:  {Error, "a report asks for a fix and no hardening request is stored"},
	RequestUnasked:  {Error, "a hardening request is stored that no report asks for"},
	RequestDeadline: {Error, "a hardening request has another deadline than its report gives"},
	RequestDiffers:  {Error, "a hardening request is not what its report gives"},
	NoticeMissing:   {Error, "a quarantined bundle has no notice"},
	NoticeUndue:     {Error, "a quarantine notice is stored that no report gives"},
	NoticeDiffers:   {Error, "a quarantine notice is not what its report gives"},
	TimerMissing:    {Error, "a deadline has no timer, neither waiting nor fired"},
	TimerUndue:      {Error, "a timer is stored that nothing asks for"},
	TimerWrong:      {Error, "a timer is set to, or fired at, another time than its deadline"},
	ScoredMissing:   {Error, "every domain is final and the run is not scored"},
	ScoredEarly:     {Error, "the run was scored before every domain was final or its deadline had passed"},
	ScoredMedian:    {Error, "the run's median or its level is not that of its reports"},
	ScoredDiffers:   {Error, "run-scored is not what the run's reports give"},

	AttestationMissing: {Error, "a final report has no attestation"},
	AttestationUndue:   {Error, "an attestation is stored that no report gives"},
	AttestationDiffers: {Error, "an attestation is not what its report gives"},
	SignatureWrong:     {Error, "an attestation, or the note of a forgotten run, is not signed by a key of this shadowd"},

	OpenedEarly: {Error, "the envelope was opened by the operator before the run's end"},
	NotErased:   {Error, "something is left of a run that was forgotten"},
	NoteWrong:   {Error, "the note of a forgotten run, or of an opening, contradicts the log"},

	UnderWay:        {Note, "an event or a deadline is being worked on, so its outcome is not awaited yet"},
	Expired:         {Note, "what this part of the run rests on has expired from IN, so it was not audited"},
	CopyRejected:    {Note, "one copy of an event was judged and another one rejected"},
	BundleFirst:     {Note, "a bundle was stored before the commitment, and its report says so"},
	OtherChecker:    {Note, "a report names another checker version than this program has, so its bundle was not judged again"},
	EnvelopeLater:   {Note, "the envelope was stored again after the commitment; it is the same one"},
	RequestWithheld: {Note, "a hardening request was withheld, for it would hold sealed text"},
	SameTask:        {Note, "several runs have the same task"},
	Opened:          {Note, "the envelope was opened by the operator"},
	Forgotten:       {Note, "the run was forgotten; its note stands for it"},
}

// Failed reports whether there is a finding that is not a note.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
}

// Sort orders findings by run, domain, cycle and place.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Cycle, b.Cycle),
			cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Code, b.Code))
	})
}
