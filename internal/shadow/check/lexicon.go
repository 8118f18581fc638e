package check

import "strings"

// The word lists of the reading rule. They were measured together with its
// weights: see the package documentation.

// stopWords never carry the matter of a phrase.
var stopWords = wordSet(`a an the of to in on at by for from with without within into onto over under between among across and or nor but if then
	than that this these those which who whom whose what when where why how is are was were be been being do does did done has have had having it its
	they them their there here as so such not no can could may might must shall should will would we you your our us i he she his her any all each every
	both either other another same own per via etc e g ie eg upon after before during while until about against also only just more most less least very
	new existing current one two several some many first last next steps up out off through toward towards because using use used uses different wrong
	none since given running apart proper certain way itself together whether s t`)

// genericVerbs only say "produce this" when they open a phrase.
var genericVerbs = stemSet(`write add implement define document describe specify design plan create provide give set show explain state list name choose
	select decide make build develop update include cover prepare produce draft outline present introduce ensure check handle support allow let
	identify determine establish propose record report configure run require assess analyse analyze review need compare estimate tell enforce
	express recommend distinguish respect link mark`)

// matterVerbs open a phrase and are the matter itself.
var matterVerbs = wordSet(`encrypt benchmark translate deprecate deploy migrate redirect rotate measure monitor notify announce log test unit integration
	security sign backport freeze mirror publish compress cache revoke audit retry validate verify escalate archive delete remove merge isolate
	simulate expose export import prioritize`)

// lightVerbs say little wherever they stand.
var lightVerbs = stemSet(`stay remain keep get make take go come become happen provide send`)

// genreNouns say what kind of piece is wanted, not what it is about.
var genreNouns = wordSet(`plan strategy policy procedure process guide section specification spec description behaviour behavior mechanism approach
	method flow design overview details definition handling rules rule criteria set list case cases support requirement requirements
	structure format document documentation script step limits feature function project content information thing kind type types
	path point points service services application app target file files effect effects condition conditions context resolution management
	register matrix inventory checklist methodology estimate cadence`)

// qualifiers narrow a thing down. Texts often leave them unsaid.
var qualifiers = wordSet(`required single final default minimum maximum primary individual old low high large small big full whole entire complete successful
	available possible manual automatic automated main local global general specific particular common basic simple clear safe correct
	overall additional further major minor initial central real long short regular several multiple many various dedicated appropriate relevant important`)

// reasonWords, questionWords as the first or second word, and reasonVerbs as
// the first, mark a phrase that asks for a reason, a comparison or an effect.
// Texts answer those without naming them.
var (
	reasonWords   = wordSet(`why reason benefit purpose apart drawback drawbacks downside trade-off tradeoffs tradeoff`)
	questionWords = wordSet(`how what when whether which who where`)
	reasonVerbs   = wordSet(`explain assess compare tell give analyse analyze discuss evaluate distinguish protect exclude avoid prevent`)
)

// restrictions ask for less of something, or for what holds when it is absent.
var restrictions = wordSet(`not no never without cannot forbid prohibit prevent avoid block reject refuse deny disallow restrict limit exclude ignore protect
	isolate hide ban disable stop only if when unless fail fails failed failure error errors invalid missing empty unknown unsupported absent mask expired
	unavailable drop exempt skip must`)

// modals make a phrase a statement of what must hold.
var modals = wordSet(`must should shall never always cannot`)

// compounds are written as one word, with a hyphen or as two.
var compounds, secondHalves = newCompounds(`roll-back roll-out fall-back back-up set-up log-in log-out time-out life-cycle read-only opt-out opt-in back-port
	fail-over cut-over shut-down start-up clean-up look-up sign-up sign-in hand-off work-flow run-book play-book down-time up-time data-base file-name
	end-point data-set back-off health-check go-back switch-back switch-off turn-off shut-off break-off try-again sign-on sign-off on-call rate-limit
	host-name user-name change-log code-base key-pair`)

func newCompounds(s string) (whole, second map[string]bool) {
	whole, second = map[string]bool{}, map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(w, "-")
		whole[a+b], second[b] = true, true
	}
	return whole, second
}

// falseFriends contain another word that they have nothing to do with.
var falseFriends = stemSet(`typescript javascript postscript description`)

// synonyms are groups of words that stand for each other in design documents.
var synonyms = newSynonyms(`failure fail error fault crash outage unavailable down broken breakage
boundary edge corner extreme
test spec assertion e2e verify verification coverage
document documentation doc docs guide manual readme
migrate migration transition move switch port
upgrade update
delete remove drop purge clean cleanup erase
rollback revert undo downgrade backout
rollout phase phased stage gradual canary milestone
release deploy deployment ship launch
log audit trail logging
monitor monitoring observability metric metrics dashboard telemetry alert alerting prometheus
benchmark latency performance throughput speed slow fast
concurrent concurrency race parallel simultaneous
retry retries backoff reattempt
configuration config setting option parameter flag argument
permission access authorization authorize role privilege
encrypt encryption cipher tls ssl
limit cap ceiling maximum max quota restrict bound throttle throttling
minimum min floor
schema structure format shape
field attribute property
example sample snippet illustration
reason rationale motivation why because
alternative tradeoff rejected
strategy plan roadmap
announce announcement communicate communication notify notification notice email
deprecate deprecation sunset retire legacy
exclude ignore skip omit
forbid prohibit deny disallow
reject refuse rejection
block blockade prevent
mandatory required compulsory must
optional opt
detect detection catch discover
diagram chart mermaid figure drawing
runbook playbook
cost price expense budget expensive cheap cheaper
duration time timeout timing
key keypair jwks
secret credential password
database db sql postgres mysql sqlite
storage store stored keep save persist persistence
repository repo
environment env
authentication auth login authenticate
identifier id uuid
message msg
risk danger hazard threat
mitigate mitigation
frontend browser spa
endpoint route url path
drawback disadvantage downside con
lifetime ttl expiry expiration expire
picture image
worktree workspace
teach taught learn
mobile ios android
vulnerability cve exploit
tamper tampering forge modified
isolate isolation isolated separate
hide hidden sealed secret
implementer builder engineer implementation
periodic every interval frequency often
formula equation compute calculate calculation
pick choose choice chosen
number count total
owner responsible
restart recover recovery resume
queue backlog
schedule date milestone deadline
flag gate toggle
length size word line byte
requirement must required shall
enforce must reject
library crate module package
program binary executable tool
guard gate protect
revoke revocation invalidate invalidation disable deactivate block blacklist switchoff turnoff
issue issuance mint
photo image picture screenshot
user account customer client
resume interrupt interruption continue breakoff
rollback revert undo goback switchback turnback restore
retry attempt tryagain repeat repeated resend
disk space storage capacity memory size
size length dimension small large kb mb
compress compression shrink scale resize zip gzip
decommission retire dismantle remove shutdown sunset
inform notify tell told announce announcement email mail message banner
brief briefing inform training handbook
page pager oncall alert alarm
pipeline ci cd workflow
drift divergence deviation
clock timestamp time skew
lock unlock mutex
session login signin signon
synchronise sync synchronisation replicate replication send sending
conflict collision clash merge
reproduce reproducible repeat deterministic repeatable rerun
acceptance accept pass approve approval signoff
choose select prefer pick decide decision
runtime duration minute hour second
random randomise jitter lot shuffle
delay wait pause backoff sleep
order ordering sequence sort
duplicate dedup deduplicate idempotent idempotency twice copy
outage incident downtime disruption
traffic request call load
instance server machine node host vm
secret token credential key
approve review signoff confirm
train training teach course workshop
partition shard sharding
event message notification
receiver subscriber consumer listener
sender publisher producer
scan scanner lint linter check checker analysis
regression baseline
segment group cohort category
uncertainty confidence interval bootstrap
bias skew fairness
stop abort cancel halt terminate
overrun late slow delay
throttle ratelimit
cleanup purge expire retention
replica standby mirror copy
sandbox isolate container
load preload fetch download prefetch warm
upload send submit
wipe erase delete
index lookup search
webhook callback hook
subnet cidr ip address range
firewall acl
certificate cert tls mtls
tag label annotation
owner responsible responsibility assignee team
hardware device machine phone
manual hand manually person human
automatic automate automation automatically scheduled cron
postmortem retrospective review lesson
malicious hostile malware attack attacker abuse
stale outdated old obsolete
anonymise anonymize pseudonymise pseudonym redact mask hash
reader visitor user audience
navigation menu sidebar breadcrumb
zoom magnification enlarge
disabled blind impaired accessibility a11y wcag
retention keep kept day month year
ingestion ingest intake arrival collector import
anomaly anomalous unusual outlier
cadence interval frequency rhythm
parallel both simultaneously
goal objective target success kpi aim
link url reference href
diagnose diagnosis troubleshoot debug investigate
mail email smtp inbox
price billing invoice payment charge
employee staff worker personnel
dashboard graph panel chart grafana
backup dump snapshot archive
feedback survey comment rating
browse search find lookup
consent opt agree permission
translate translation localise localisation language i18n
onboard onboarding signup registration register
rename name naming
escalate escalation oncall
hotfix patch fix bugfix remedy
evict eviction expel
scale scaling autoscale horizontal replica
load stress soak
rule condition criterion
legal compliance gdpr law regulation
provision provisioning terraform infrastructure iac
observe observability trace tracing span
cluster node broker
latency delay response
unknown unsupported unrecognised invalid malformed`)

// thesaurus finds the synonyms of a stem.
type thesaurus struct {
	groups [][]string       // stems
	of     map[string][]int // groups of a stem
}

func newSynonyms(lines string) thesaurus {
	t := thesaurus{of: map[string][]int{}}
	for g, line := range strings.Split(lines, "\n") {
		seen := map[string]bool{}
		var stems []string
		for _, w := range strings.Fields(line) {
			if s := stem(w); !seen[s] {
				seen[s] = true
				stems = append(stems, s)
				t.of[s] = append(t.of[s], g)
			}
		}
		t.groups = append(t.groups, stems)
	}
	return t
}

func stemSet(s string) map[string]bool {
	m := map[string]bool{}
	for w := range wordSet(s) {
		m[stem(w)] = true
	}
	return m
}
