package history

import (
	"fmt"
	"maps"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Outline gathers what the events of a run say of it, in a few words and without
// sealed text. They may come in any order.
type Outline struct {
	ID         string
	Started    time.Time // when the first event of it was stored
	Commitment *shadow.Commitment
	Scored     *shadow.RunData
	Domains    map[string]*Domain           // by domain, of those with a report
	Reviews    map[string]shadow.ReviewLine // by domain, the last of each

	sealed      *time.Time
	tasks       map[string]string // by the digest of the decomposition: a run may be decomposed twice
	task        string            // of the first decomposition
	domainCount int               // of the first decomposition
	refused     string            // why the decomposition was rejected
}

// Domain is a domain of a run, after its last report so far.
type Domain struct {
	shadow.DomainSummary
	Final         bool
	Voted, Split  int             // questions on which a judge had a vote, and those on which they did not agree
	Asked, Silent int             // judges that were asked, over all questions, and those that had no vote
	Judged        map[uint64]bool // the sequences in IN of all that was judged
}

// NewOutline is that of a run of which an event was stored at a time.
func NewOutline(run string, at time.Time) *Outline {
	return &Outline{ID: run, Started: at, Domains: map[string]*Domain{}, Reviews: map[string]shadow.ReviewLine{}, tasks: map[string]string{}}
}

// maxTasks bounds how many decompositions of one run are kept, and taskShown
// how many characters of the task of each.
const (
	maxTasks  = 8
	taskShown = 200
)

// Take takes in an event of the run. Its error says that it cannot be read.
func (r *Outline) Take(o Output) error {
	if o.Time.Before(r.Started) {
		r.Started = o.Time
	}
	switch o.Name {
	case shadow.DecompositionDone:
		in, _, err := shadow.Decode(o.Name, o.Event.Data())
		if err != nil || len(r.tasks) == maxTasks {
			return nil // what is not well formed is or will be rejected
		}
		d := in.(*shadow.Decomposition)
		task := clip.To(d.Task, taskShown)
		if len(r.tasks) == 0 {
			r.task, r.domainCount = task, len(d.Domains)
		}
		r.tasks[shadow.Digest(o.Event.Data())] = task
	case shadow.EnvelopeSealed:
		var c shadow.Commitment
		if err := o.decode(&c); err != nil || r.Commitment != nil {
			return err
		}
		r.Commitment, r.sealed = &c, &o.Time
	case shadow.GapReport:
		var rep shadow.Report
		if err := o.decode(&rep); err != nil {
			return err
		}
		r.report(&rep)
	case shadow.RunReviewed:
		var d shadow.ReviewedData
		if err := o.decode(&d); err != nil {
			return err
		}
		if line := d.Line(); line.Sequence > r.Reviews[d.Domain].Sequence {
			r.Reviews[d.Domain] = line
		}
	case shadow.RunScored:
		r.Scored = &shadow.RunData{}
		return o.decode(r.Scored)
	case shadow.EventRejected: // one of a second decomposition does not touch a sealed run
		if o.Author == layout.AuthorNexus && r.refused == "" {
			r.refused = fmt.Sprintf("%s: %s", o.Rejection.Reason, o.Rejection.Message)
		}
	}
	return nil
}

// report keeps the few words of a report that are no sealed text.
func (r *Outline) report(rep *shadow.Report) {
	s := &rep.Swarm
	l := r.Domains[s.Domain]
	if l == nil {
		l = &Domain{Judged: map[uint64]bool{}}
		r.Domains[s.Domain] = l
	}
	l.Judged[s.In.Sequence] = true
	if s.Cycle < l.Cycle {
		return
	}
	*l = Domain{DomainSummary: rep.Summary(), Final: s.Final, Judged: l.Judged}
	for i := range s.Ballots {
		b := &s.Ballots[i]
		if b.Cast > 0 {
			l.Voted++
		}
		if b.Agreed < b.Cast {
			l.Split++
		}
		l.Asked += len(b.Votes)
		l.Silent += len(b.Votes) - b.Cast
	}
}

// Begun tells whether it was seen how the run began.
func (r *Outline) Begun() bool { return r.domainCount > 0 || r.Commitment != nil || r.refused != "" }

// Summary is what is known by now.
func (r *Outline) Summary() *Summary {
	s := &Summary{RunID: r.ID, Task: r.task, State: RunWaiting, Started: r.Started, Sealed: r.sealed, Domains: r.domainCount}
	if len(r.Reviews) > 0 {
		s.Reviews = maps.Clone(r.Reviews)
	}
	if c := r.Commitment; c != nil {
		s.Domains, s.Observed = len(c.CriteriaByDomain), !c.Policy.EnforceGates
		if task, ok := r.tasks[c.DecompositionDigest]; ok {
			s.Task = task
		}
	} else if r.refused != "" {
		s.State, s.Reason = RunRejected, r.refused
	}
	if r.Scored != nil {
		r.score(s)
		return s
	}
	for _, l := range r.Domains {
		if l.Final {
			s.Final++
		} else {
			s.State = RunHardening
		}
		s.Advisory = s.Advisory || l.Advisory
		s.Counts.Add(l.Counts)
		r.gate(s, &l.DomainSummary)
	}
	return s
}

// score adds what a run's sum says.
func (r *Outline) score(s *Summary) {
	sum := r.Scored
	if s.State = RunScored; sum.Incomplete {
		s.State = RunIncomplete
	}
	s.Final, s.Domains = len(sum.Domains), len(sum.Domains)+len(sum.Missing)
	s.Median, s.Verdict, s.Advisory, s.Counts = sum.Median, sum.Verdict, sum.Advisory, sum.Counts
	for i := range sum.Domains {
		r.gate(s, &sum.Domains[i])
	}
}

// gate adds what the gate of a domain says.
func (r *Outline) gate(s *Summary, d *shadow.DomainSummary) {
	s.Gate = shadow.Harsher(s.Gate, d.Gate)
	if len(r.Reviews) > 0 {
		s.GateAfterReview = shadow.Harsher(s.GateAfterReview, r.Holds(d))
	}
}

// Holds is the gate of a domain that holds: that of its last review, or else of its
// report.
func (r *Outline) Holds(d *shadow.DomainSummary) shadow.Action {
	if v, ok := r.Reviews[d.Domain]; ok {
		return v.Gate
	}
	return d.Gate
}
