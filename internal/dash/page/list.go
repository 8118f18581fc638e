package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// maxRows is how many runs are listed. A search finds the others.
const maxRows = 100

// listPage is the list of runs as the template sees it.
type listPage struct {
	shell
	Query, State string
	AdvisoryOnly bool // only runs that are advisory
	States       []history.RunState
	Rows         []row
	Known, Found int // runs in all, and those that fit
	Trends       []plot
}

// row is a run in the list.
type row struct {
	*history.Summary
	Score         string         // empty while there is none
	Open          bool           // it is no judgement of the whole
	Unread        bool           // and the verdict says so itself
	Gates         []render.Gated // of the domains that have a report
	RejectedCount int
}

func (p *Page) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := listPage{shell: p.shell("Runs", ""), Query: q.Get("q"), State: q.Get("state"), AdvisoryOnly: q.Get("doubt") != "",
		States: []history.RunState{history.RunWaiting, history.RunHardening, history.RunScored, history.RunIncomplete, history.RunRejected}}
	var scored []*entry
	p.index.view(func(all []*entry) {
		v.Known = len(all)
		for _, e := range all {
			row := e.row()
			if !v.fits(&row) {
				continue
			}
			v.Rows = append(v.Rows, row)
			if e.Scored != nil && len(scored) < maxPoints {
				scored = append(scored, e)
			}
		}
		slices.Reverse(scored) // the oldest first
		v.Trends = trends(scored)
	})
	v.Found = len(v.Rows)
	v.Rows = v.Rows[:min(maxRows, v.Found)]
	p.show(w, http.StatusOK, "list", v)
}

// fits tells whether a run is what was asked for.
func (v *listPage) fits(r *row) bool {
	query := strings.ToLower(v.Query)
	return (query == "" || strings.Contains(strings.ToLower(r.RunID), query) || strings.Contains(strings.ToLower(r.Task), query)) &&
		(v.State == "" || v.State == string(r.State)) && (!v.AdvisoryOnly || r.Advisory)
}

// Filtered tells whether not all runs were asked for.
func (v listPage) Filtered() bool { return v.Query != "" || v.State != "" || v.AdvisoryOnly }

// row is the run as the list shows it.
func (e *entry) row() row {
	r := row{Summary: e.Summary(), RejectedCount: len(e.Rejected)}
	domains := slices.Sorted(maps.Keys(e.Reports))
	r.Gates = render.ByGate(domains, func(i int) shadow.Action { return e.Holds(domains[i], e.Last(domains[i]).Swarm.Gate.Action) })
	if e.Scored != nil {
		look := render.LookOf(r.Verdict)
		r.Score, r.Open, r.Unread = look.Score(r.Median.String()), look.Open || r.Advisory, look.Open
	}
	return r
}

// Path is where the run is shown.
func (r row) Path() string { return runPath(r.RunID) }

func runPath(run string) string { return "/runs/" + url.PathEscape(run) }
