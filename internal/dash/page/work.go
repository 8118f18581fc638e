package page

import (
	"context"
	"errors"
	"net/http"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// workPage is the work of a domain as the template sees it.
type workPage struct {
	shell
	Domain string
	Work   *render.Work
	// Whole: the bundle is shown, and not only the passages that somebody quotes.
	Whole   bool
	Problem string
}

var (
	// errUnscored: nothing that a judge said may be shown yet.
	errUnscored = errors.New("the work is shown when the run is scored")
	// errNoWork: there is no such domain, or no bundle of it.
	errNoWork = errors.New("no bundle of such a domain was judged in this run")
)

// work shows the bundle of a domain beside what was said of it.
func (p *Page) work(w http.ResponseWriter, r *http.Request) {
	id, domain := r.PathValue("run"), r.PathValue("domain")
	v := workPage{shell: p.shell(shadow.Printable(domain), id), Domain: shadow.Printable(domain), Whole: p.Whole}
	v.Within = runPath(id)
	status := http.StatusOK
	var err error
	if v.Work, err = p.readWork(r.Context(), id, domain); err != nil {
		v.Problem, status = problem(err)
	}
	p.show(w, status, "work", v)
}

func (p *Page) readWork(ctx context.Context, id, domain string) (*render.Work, error) {
	run, err := p.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.Scored == nil {
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
