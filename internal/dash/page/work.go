package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// workPage is the work of a domain as the template sees it.
type workPage struct {
	shell
	Domain string
	Work   *render.Work
	// Whole: the bundle is shown, and not only the passages that somebody quotes.
	Whole bool
	// Reviewer is who may review, or empty. Sent is what they have sent, and NotTaken why it was not taken.
	Reviewer string
	Sent     shadow.Review
	NotTaken string
	Problem  string
}

var (
	// errUnscored: nothing that a judge said may be shown yet.
	errUnscored = errors.New("the work is shown when the run is scored")
	// errNoWork: there is no such domain, or no bundle of it.
	errNoWork = errors.New("no bundle of such a domain was judged in this run")
)

// work shows the bundle of a domain beside what was said of it.
func (p *Page) work(w http.ResponseWriter, r *http.Request) {
	v, status := p.workOf(r)
	p.show(w, status, "work", v)
}

func (p *Page) workOf(r *http.Request) (v workPage, status int) {
	id, domain := r.PathValue("run"), r.PathValue("domain")
	v = workPage{shell: p.shell(shadow.Printable(domain), id), Domain: shadow.Printable(domain), Whole: p.Whole, Reviewer: dash.Reviewer(r.Context()), Sent: shadow.Review{Verdict: shadow.ReviewItems}}
	v.Within = runPath(id)
	var err error
	if v.Work, err = p.readWork(r.Context(), id, domain, v.Reviewer); err != nil {
		v.Problem, status = problem(err)
		return v, status
	}
	return v, http.StatusOK
}

func (p *Page) readWork(ctx context.Context, id, domain, reviewer string) (*render.Work, error) {
	run, err := p.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if last := run.Last(domain); !shown(run, last != nil && last.Swarm.Final, reviewer) {
		return nil, errUnscored
	}
	sub, err := history.Choose(run, domain, nil)
	if err != nil {
		return nil, errNoWork
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := sub.Read(ctx, p.log.Load().JS); err != nil {
		return nil, err
	}
	return render.NewWork(sub), nil
}

// maxReview bounds a form with a review, in bytes.
const maxReview = 1 << 20

// review takes what a reviewer says of the work of a domain.
func (p *Page) review(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxReview)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	v, status := p.workOf(r)
	if v.Problem == "" {
		err := v.take(r.PostForm)
		if err == nil {
			err = p.Review(r.Context(), &v.Sent)
		}
		if err == nil {
			http.Redirect(w, r, r.URL.EscapedPath(), http.StatusSeeOther)
			return
		}
		v.NotTaken, status = shadow.Printable(err.Error()), http.StatusConflict
	}
	p.show(w, status, "work", v)
}

// take reads the form into the review that is sent. It is of the report that the reviewer has seen.
func (v *workPage) take(form url.Values) (wrong error) {
	s := &v.Sent
	s.RunID, s.Domain, s.By = v.Work.Run.ID, v.Work.Domain, v.Reviewer
	s.Cycle, _ = strconv.Atoi(form.Get("cycle")) // which fits no report, if it is no number
	s.ReportDigest, s.Verdict, s.Because = form.Get("report"), shadow.ReviewVerdict(form.Get("verdict")), strings.TrimSpace(form.Get("because"))
	for _, q := range slices.Concat(v.Work.Open, v.Work.Settled) {
		f := shadow.Reviewed{About: q.About, State: shadow.ItemState(form.Get("state " + q.About)), Because: strings.TrimSpace(form.Get("because " + q.About))}
		if f.State == "" {
			continue
		}
		if line := form.Get("line " + q.About); line != "" {
			var err error
			if f.Line, err = strconv.Atoi(line); err != nil || f.Line < 1 {
				wrong = fmt.Errorf("the line for %s is no number of a line", q.About)
			}
		}
		s.Found = append(s.Found, f)
	}
	return wrong
}

// asked is a question with what a reviewer has sent of it.
type asked struct {
	render.Question
	Form bool
	Sent shadow.Reviewed
}

// Asked is a question as the template shows it.
func (v workPage) Asked(q render.Question) asked {
	a := asked{Question: q, Form: v.Reviewer != ""}
	if i := slices.IndexFunc(v.Sent.Found, func(f shadow.Reviewed) bool { return f.About == q.About }); i >= 0 {
		a.Sent = v.Sent.Found[i]
	}
	return a
}
