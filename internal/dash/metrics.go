// Package dash shows over HTTP how shadowd is doing: metrics for Prometheus, and health.
//
// Every label is a word of a list that is known before the first run, so that no id and no sealed text can be in the
// output. But numbers tell too: who reads them learns how bundles are judged, so the server is not for the swarm.
package dash

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Config is what metrics show that nobody tells them.
type Config struct {
	Version string
	// Authors and Judges are the names of all that the configuration has.
	Authors, Judges []string
	// They may be called at any time. Waiting is how many events wait, In how many bytes IN holds and may hold, Awaiting
	// how many bundles wait for a judge that is out of reach, by its name.
	Ready      func() bool
	Reconnects func() uint64
	Waiting    func() int
	Active     func() bool
	In         func() (used, limit int64)
	Awaiting   func(judge string) int
	// Spent says what a model has cost, by the names of those with a price, in millionths of Currency.
	Spent    map[string]func() int64
	Currency string
}

// Metrics counts what it is told. Its methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	accepted, rejected, failed, outputs *counter
	written, items, excluded            *counter
	reports, gates, because, broken     *counter
	reviews                             *counter
	advisory, withheld                  prometheus.Counter
	votes, calls, tokens                *counter
	notified                            *counter
	sealing, judging                    prometheus.Histogram
	voting                              *prometheus.HistogramVec
	judges                              label
}

// label is a label with all values that it can have.
type label struct {
	name   string
	values []string
}

// The labels of the protocol.
var (
	inputs   = label{"event", []string{shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed}}
	stored   = label{"event", []string{shadow.EnvelopeSealed, shadow.GapReport, shadow.HardeningRequest, shadow.BundleQuarantined, shadow.DomainSettled, shadow.RunScored, shadow.RunReviewed, shadow.EventRejected, shadow.Tick}}
	failing  = label{"event", append(slices.Clone(inputs.values), "run")}
	reasons  = label{"reason", words(shadow.Reasons()...)}
	cycles   = label{"cycle", []string{"bundle", "fix", "timeout"}}
	verdicts = label{"verdict", words(shadow.Word(shadow.Perfect), shadow.Word(shadow.Minor), shadow.Word(shadow.Moderate), shadow.Word(shadow.Significant), shadow.Word(shadow.Critical),
		shadow.WordUnread, shadow.WordUndecided, shadow.WordSealBroken)}
	states   = label{"state", words(shadow.ItemFound, shadow.ItemMissing, shadow.ItemDeclared, shadow.ItemUnaccounted, shadow.ItemClaimed, shadow.ItemUndecided, shadow.ItemUnread)}
	because  = label{"because", []string{"level", "missing", "declared", "unread", "undecided", "seal_broken", "fix_awaited"}}
	actions  = label{"action", words(shadow.Proceed, shadow.Warn, shadow.Quarantine, shadow.Reject, shadow.Pending)}
	causes   = label{"cause", []string{"envelope", "decoy"}}
	reviewed = label{"verdict", words(shadow.ReviewVerdicts()...)}
	// Those of messages to a webhook.
	deliveries = label{"outcome", []string{"sent", "failed", "dropped"}}
	outcomes   = label{"outcome", append(words(shadow.Passed, shadow.Failed), "none")}
)

// other is the label of what is on no list. It is never seen: that would be a defect of shadowd.
const other = "other"

// seconds are the buckets of all durations: checks take milliseconds, models minutes.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// New makes metrics, all of them 0. docs/metrics.md lists them.
func New(c Config) *Metrics {
	authors, judges := label{"author", c.Authors}, label{"judge", c.Judges}
	m := &Metrics{registry: prometheus.NewRegistry(), judges: judges}
	made := promauto.With(m.registry)
	plain := func(name, help string) prometheus.Counter {
		return made.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	histogram := func(name, help string) prometheus.Histogram {
		return made.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds})
	}
	m.accepted = m.counter("shadowd_events_accepted_total", "Events of the swarm that were taken, copies included.", inputs)
	m.rejected = m.counter("shadowd_events_rejected_total", "Events of the swarm that were rejected. cannot_process is a defect of shadowd.", inputs, reasons)
	m.failed = m.counter("shadowd_events_failed_total", "Times that the handling of an event or a run ended in an error and is tried again: the bus, a key or an envelope is not available.", failing)
	m.outputs = m.counter("shadowd_outputs_total", "Events that this daemon stored: a run sealed is an envelope-sealed, a fix asked for is a hardening-request.", stored)
	m.sealing = histogram("shadowd_seal_duration_seconds", "What it took to write and store the envelope of a run, authors included.")
	m.written = m.counter("shadowd_criteria_sealed_total", "Criteria in envelopes, over all domains, by who wrote them. shadowd: those on items and figures.", authors)
	m.judging = histogram("shadowd_judging_duration_seconds", "What it took to judge a bundle or a fix, judges included.")
	m.reports = m.counter("shadowd_reports_total", "Gap reports that this daemon stored. The cycle timeout stands for a fix that did not come.", cycles, verdicts)
	m.gates = m.counter("shadowd_gates_total", "Gap reports that this daemon stored, by what their gate says.", actions)
	m.because = m.counter("shadowd_gate_reasons_total", "What the gates of these follow from. A gate may have several reasons.", because)
	m.reviews = m.counter("shadowd_reviews_total", "Reviews by people that this daemon took: accept and reject are for the whole bundle, items for some of its items.", reviewed)
	m.items = m.counter("shadowd_items_total", "Items of assignments, by what was made of them in the bundles that stand. Each report on a bundle or fix counts its domain's items.", states)
	m.advisory = plain("shadowd_reports_advisory_total", "Gap reports that this daemon stored whose score is not authoritative.")
	m.broken = m.counter("shadowd_seals_broken_total", "ALARM. envelope: a stored envelope is not what was committed to, once for each run. decoy: a bundle carries the decoy's token.", causes)
	m.excluded = m.counter("shadowd_judge_exclusions_total", "Bundles and fixes on which a judge had no vote, as it answered a control question wrongly.", judges)
	m.votes = m.counter("shadowd_judge_votes_total", "Votes of judges. none: there was no vote.", judges, outcomes)
	m.calls = m.counter("shadowd_judge_calls_total", "Requests to judges for their votes, retries included. Control questions are not in it.", judges)
	m.tokens = m.counter("shadowd_judge_tokens_total", "Tokens that judges say their votes took, prompt and completion together. Control questions are not in it.", judges)
	m.voting = made.NewHistogramVec(prometheus.HistogramOpts{Name: "shadowd_judge_vote_duration_seconds", Help: "What it took to get a vote from a judge that was asked, retries included.", Buckets: seconds}, []string{judges.name})
	for _, name := range judges.values {
		m.voting.WithLabelValues(name)
	}
	m.notified = m.counter("shadowd_notifications_total", "Messages to notify.url. sent: the receiver has it. failed: it was tried in vain. dropped: too many waited.", deliveries)
	m.withheld = plain("shadowd_leaks_stopped_total", "ALARM. Outputs that were withheld because they held sealed text, which is a defect of shadowd or of an author.")
	m.poll(&c)
	made.NewGauge(prometheus.GaugeOpts{Name: "shadowd_build_info", Help: "1, with the version of this build.", ConstLabels: prometheus.Labels{"version": c.Version}}).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// poll makes those that ask when they are read.
func (m *Metrics) poll(c *Config) {
	made := promauto.With(m.registry)
	gauge := func(name, help string, value func() float64) {
		made.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	gauge("shadowd_events_waiting", "Events that wait: for their run, for its seal, for the report that they answer, or for a copy that is being judged.", func() float64 { return float64(c.Waiting()) })
	for _, name := range m.judges.values {
		made.NewGaugeFunc(prometheus.GaugeOpts{Name: "shadowd_bundles_awaiting_judge", Help: "Bundles and fixes that wait for a judge that is out of reach, at most for judging.wait.", ConstLabels: prometheus.Labels{m.judges.name: name}},
			func() float64 { return float64(c.Awaiting(name)) })
	}
	for name, spent := range c.Spent {
		made.NewCounterFunc(prometheus.CounterOpts{Name: "shadowd_model_cost_total", Help: "What a model with a price has cost, by judges and authors, with control questions and tries that failed.", ConstLabels: prometheus.Labels{"model": name, "currency": c.Currency}},
			func() float64 { return float64(spent()) / 1e6 })
	}
	truth := func(so func() bool) func() float64 {
		return func() float64 {
			if so() {
				return 1
			}
			return 0
		}
	}
	gauge("shadowd_ready", "1 while shadowd can work, else 0: /readyz says what is missing.", truth(c.Ready))
	gauge("shadowd_active", "1 while this daemon is the active one of its bus and prefix. 0: it stands by.", truth(c.Active))
	gauge("shadowd_in_bytes", "Bytes of IN that are used, an event counting as 1024 at least, as was seen within the last 15 seconds.", func() float64 {
		used, _ := c.In()
		return float64(used)
	})
	gauge("shadowd_in_max_bytes", "Bytes at which IN refuses more: bus.max_bytes. 0: no bound is known.", func() float64 {
		_, limit := c.In()
		return float64(limit)
	})
	made.NewCounterFunc(prometheus.CounterOpts{Name: "shadowd_bus_reconnects_total", Help: "How often the connection to the bus came back."}, func() float64 { return float64(c.Reconnects()) })
}

// counter is a counter with labels that have a fixed list of values.
type counter struct {
	vec    *prometheus.CounterVec
	labels []label
}

// counter makes one that has every combination of its labels' values from the start, so that a first change is seen.
func (m *Metrics) counter(name, help string, labels ...label) *counter {
	c := &counter{labels: labels}
	var names []string
	all := [][]string{nil}
	for _, l := range labels {
		names = append(names, l.name)
		var longer [][]string
		for _, values := range all {
			for _, v := range l.values {
				longer = append(longer, append(slices.Clone(values), v))
			}
		}
		all = longer
	}
	c.vec = promauto.With(m.registry).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, names)
	for _, values := range all {
		c.vec.WithLabelValues(values...)
	}
	return c
}

// add counts n of what has these labels, as many as the counter has.
func (c *counter) add(n int, values ...string) {
	known := make([]string, len(values))
	for i, v := range values {
		known[i] = c.labels[i].known(v)
	}
	c.vec.WithLabelValues(known...).Add(float64(n))
}

// known keeps all out of a label that is not on its list.
func (l label) known(value string) string {
	if slices.Contains(l.values, value) {
		return value
	}
	return other
}

func words[T ~string](all ...T) (list []string) {
	for _, w := range all {
		list = append(list, string(w))
	}
	return list
}

// Processed counts an event of the swarm that has its outcome; why is empty for one that was not rejected.
func (m *Metrics) Processed(event string, why shadow.Reason) {
	if why == "" {
		m.accepted.add(1, event)
		return
	}
	m.rejected.add(1, event, string(why))
}

// Failed counts an event, or a run, whose handling is tried again.
func (m *Metrics) Failed(what string) { m.failed.add(1, what) }

// Stored counts an output, by the name of its event.
func (m *Metrics) Stored(event string) { m.outputs.add(1, event) }

// Sealed counts the criteria of a new envelope, which it took so long to write and store.
func (m *Metrics) Sealed(took time.Duration, written map[string]int) {
	m.sealing.Observe(took.Seconds())
	for author, n := range written {
		m.written.add(n, author)
	}
}

// Judged counts a stored report, which it took so long to come to.
func (m *Metrics) Judged(r *shadow.Report, took time.Duration, _ string) {
	s := &r.Swarm
	cycle := "bundle"
	switch {
	case s.Hardening.TimedOut:
		cycle = "timeout"
	case s.Cycle > 0:
		cycle = "fix"
	}
	m.reports.add(1, cycle, string(s.Verdict))
	m.gates.add(1, string(s.Gate.Action))
	for _, why := range s.Gate.Because {
		m.because.add(1, why)
	}
	if len(s.AdvisoryReasons) > 0 {
		m.advisory.Inc()
	}
	if s.Hardening.TimedOut {
		return // nothing was judged, and the rest is the earlier report's
	}
	m.judging.Observe(took.Seconds())
	for i := range s.Items {
		m.items.add(1, string(s.Items[i].State))
	}
	for i := range s.Judges {
		if s.Judges[i].Excluded != "" {
			m.excluded.add(1, s.Judges[i].Name)
		}
	}
}

// Reviewed counts a review by a person.
func (m *Metrics) Reviewed(v shadow.ReviewVerdict) { m.reviews.add(1, string(v)) }

// SealBroken counts a broken seal, by how it showed.
func (m *Metrics) SealBroken(how string) { m.broken.add(1, how) }

// Withheld counts an output that held sealed text.
func (m *Metrics) Withheld() { m.withheld.Inc() }

// Notified counts a message to a webhook, by what became of it.
func (m *Metrics) Notified(outcome string) { m.notified.add(1, outcome) }

// Votes counts the votes of ballots, and what they cost.
func (m *Metrics) Votes(ballots []shadow.Ballot) {
	for i := range ballots {
		for _, v := range ballots[i].Votes {
			outcome := string(v.Outcome)
			if v.Outcome == shadow.Undecided {
				outcome = "none"
			}
			m.votes.add(1, v.Judge, outcome)
			m.calls.add(v.Calls, v.Judge)
			m.tokens.add(int(v.Tokens), v.Judge)
			if v.Calls > 0 { // else the budget kept it from being asked
				m.voting.WithLabelValues(m.judges.known(v.Judge)).Observe(float64(v.Millis) / 1000)
			}
		}
	}
}
