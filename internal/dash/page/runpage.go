package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runPage is a run as the template sees it.
type runPage struct {
	shell
	Report   *render.Page
	Rejected []history.Rejected
	// Formats are what can be downloaded, none while the run is under way.
	Formats []render.Format
	// Problem is said where there is no run to show.
	Problem string
}

func (p *Page) run(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("run")
	v := runPage{shell: p.shell(shadow.Printable(id), id)}
	run, err := p.read(r.Context(), id)
	status := http.StatusOK
	p.index.of(id, func(e *entry) { v.Rejected = slices.Clone(e.Rejected) })
	if err != nil {
		v.Problem, status = problem(err)
		p.show(w, status, "run", v)
		return
	}
	v.Report = render.NewPage(p.document(run))
	v.Title = v.Report.Title
	for i := range v.Report.Sections {
		if sec := &v.Report.Sections[i]; shown(run, sec.Swarm.Final, dash.Reviewer(r.Context())) {
			sec.Work = runPath(id) + "/work/" + url.PathEscape(sec.Swarm.Domain)
		}
	}
	if run.Scored != nil {
		v.Formats = slices.Clone(render.RunFormats)
		if len(run.Attested) == 0 {
			v.Formats = slices.DeleteFunc(v.Formats, func(f render.Format) bool { return f.Name == render.InToto })
		}
	}
	p.show(w, status, "run", v)
}

// errBusy: as many runs are read as may be at once.
var errBusy = errors.New("too many pages are asked for at once")

// read reads a run from the log.
func (p *Page) read(ctx context.Context, id string) (*history.Run, error) {
	log := p.log.Load()
	if log == nil {
		return nil, errStarting
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-ctx.Done():
		return nil, errBusy
	}
	return history.ReadRun(ctx, log.Subjects, log.JS, id, log.Signers...)
}

// readTimeout bounds how long a run is read.
const readTimeout = 20 * time.Second

var errStarting = errors.New("shadowd is starting")

// problem says in words why there is no run to show.
func problem(err error) (string, int) {
	switch {
	case errors.Is(err, history.ErrNoRun), errors.Is(err, layout.ErrRunName):
		return "there is no such run in the log", http.StatusNotFound
	case errors.Is(err, history.ErrNotSealed):
		return "the run is not sealed, so nothing of it is judged", http.StatusOK
	case errors.Is(err, errNoWork):
		return err.Error(), http.StatusNotFound
	case errors.Is(err, errUnscored):
		return err.Error(), http.StatusConflict
	case errors.Is(err, errStarting), errors.Is(err, errBusy):
		return err.Error() + ": try again in a moment", http.StatusServiceUnavailable
	}
	return "the run cannot be read: " + err.Error(), http.StatusServiceUnavailable
}

// document makes of a run what is shown. Until it is scored nothing sealed is in it.
func (p *Page) document(run *history.Run) *render.Document {
	withheld := run.Scored == nil
	if withheld {
		run = withhold(run)
	}
	var last []*shadow.Report
	for _, d := range run.Domains() {
		if rep := run.Last(d); rep != nil {
			last = append(last, rep)
		}
	}
	doc := render.OfRun(run, last)
	doc.Run.Withheld = withheld
	return doc
}

// shown tells whether the work of a domain is: to all when the run is scored, to a reviewer when the report is final.
func shown(run *history.Run, final bool, reviewer string) bool {
	return run.Scored != nil || final && reviewer != ""
}

// download writes the reports of a scored run in one of the formats.
func (p *Page) download(w http.ResponseWriter, r *http.Request) {
	id, file := r.PathValue("run"), r.PathValue("file")
	run, err := p.read(r.Context(), id)
	if err != nil {
		text, status := problem(err)
		http.Error(w, text, max(status, http.StatusNotFound))
		return
	}
	if run.Scored == nil {
		http.Error(w, "the run is not scored yet; its reports hold sealed text, so they are given out when it is", http.StatusConflict)
		return
	}
	var b bytes.Buffer
	i := slices.IndexFunc(render.RunFormats, func(f render.Format) bool { return file == "report."+f.Ext })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	if err := render.RunFormats[i].Write(&b, p.document(run)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", render.RunFormats[i].Media)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id+"."+file))
	_, _ = w.Write(b.Bytes()) // whoever asked may have gone
}

// withhold is a run without sealed text.
func withhold(r *history.Run) *history.Run {
	open := *r
	open.Requests = nil // one names what a criterion asks, and so what colleagues may be asked
	open.Reports = map[string][]*shadow.Report{}
	for domain, reports := range r.Reports {
		for _, rep := range reports {
			open.Reports[domain] = append(open.Reports[domain], withoutSealed(rep))
		}
	}
	open.Reviews = nil
	for _, v := range r.Reviews {
		bare := *v // what a person found and why may say what a criterion asks
		bare.Review.Found, bare.Review.Because = nil, ""
		open.Reviews = append(open.Reviews, &bare)
	}
	return &open
}

// withoutSealed copies of a report what shows nothing of its criteria but their number, category and outcome.
func withoutSealed(r *shadow.Report) *shadow.Report {
	s := &r.Swarm
	bare := &shadow.Report{
		ScoreReport: shadow.ScoreReport{
			SpecVersion: r.SpecVersion,
			Report:      r.Report,
			SealedTests: r.SealedTests,
			OpenTests:   r.OpenTests,
			Coverage:    r.Coverage,
			Hardening:   r.Hardening,
		},
		Swarm: shadow.Swarm{
			RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID, Scale: s.Scale,
			Domains: s.Domains, Cycle: s.Cycle, Final: s.Final, Score: s.Score, Gate: s.Gate, AcceptedCycle: s.AcceptedCycle, Cycles: s.Cycles, Hardening: s.Hardening,
			SealBroken: s.SealBroken, AdvisoryReasons: s.AdvisoryReasons, Verdict: s.Verdict,
			Counts: s.Counts, Controls: s.Controls, Cost: s.Cost, CheckerVersion: s.CheckerVersion, Unwalled: s.Unwalled,
			In: s.In, BundleDigest: s.BundleDigest,
		},
	}
	for _, c := range s.Criteria {
		bare.Swarm.Criteria = append(bare.Swarm.Criteria, shadow.CriterionVerdict{ID: c.ID, Category: c.Category, Outcome: c.Outcome})
	}
	for _, it := range s.Items {
		// Which criterion asks for an item is sealed. Its text is the swarm's own.
		bare.Swarm.Items = append(bare.Swarm.Items, shadow.ItemVerdict{Item: it.Item, State: it.State, By: it.By, Line: it.Line})
	}
	for _, j := range s.Judges {
		// Why one has no vote may quote what it was asked.
		bare.Swarm.Judges = append(bare.Swarm.Judges, shadow.JudgeRef{AuthorRef: j.AuthorRef, Recorded: j.Recorded})
	}
	return bare
}
