package page

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
)

// rowsPerPage is how many runs a page lists.
const rowsPerPage = 50

// listPage is the list of runs as the template sees it.
type listPage struct {
	shell
	Query, State string
	AdvisoryOnly bool // only runs that are advisory
	States       []history.RunState
	Rows         []row
	Known, Found int // runs in all, and those that fit
	Older, Newer string
	Trends       []plot
	Heat         *heat
}

// row is a run in the list.
type row struct {
	*history.Summary
	Word          string // of the verdict; empty while there is none
	Cells         []cell
	More          int // domains without a cell
	RejectedCount int
}

// cell is a domain in a row.
type cell struct{ Class, Title string }

// maxCells is how many domains a row shows one by one.
const maxCells = 30

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
		v.Trends, v.Heat = trends(scored), heatOf(scored)
	})
	v.Found = len(v.Rows)
	page, _ := strconv.Atoi(q.Get("page")) // nonsense is the first page
	page = max(1, min(page, (v.Found+rowsPerPage-1)/rowsPerPage))
	v.Rows = v.Rows[(page-1)*rowsPerPage : min(page*rowsPerPage, v.Found)]
	other := func(n int) string {
		q.Set("page", strconv.Itoa(n))
		return "/?" + q.Encode()
	}
	if page > 1 {
		v.Newer = other(page - 1)
	}
	if v.Found > page*rowsPerPage {
		v.Older = other(page + 1)
	}
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
	r := row{Summary: e.Summary(), RejectedCount: len(e.rejected)}
	for _, domain := range slices.Sorted(maps.Keys(e.Domains)) {
		if len(r.Cells) == maxCells {
			r.More++
			continue
		}
		l := e.Domains[domain]
		word := render.LookOf(l.Verdict).Word
		c := cell{"level-" + strings.ReplaceAll(word, " ", "-"), fmt.Sprintf("%s: %s %% %s, %s; %s", domain, l.Score.Percent(), word, l.Gate, l.Counts)}
		if l.Advisory {
			c.Class += " unsure"
			c.Title += ", advisory"
		}
		r.Cells = append(r.Cells, c)
	}
	if e.Scored != nil {
		r.Word = render.LookOf(r.Verdict).Word
	}
	return r
}

// Awaited is how many domains have no report yet.
func (r row) Awaited() int { return max(0, r.Domains-len(r.Cells)-r.More) }

// InWords says of the cells what a reader cannot see.
func (r row) InWords() string {
	var titles []string
	for _, c := range r.Cells {
		titles = append(titles, c.Title)
	}
	if r.More > 0 {
		titles = append(titles, fmt.Sprintf("and %d more", r.More))
	}
	return strings.Join(titles, "; ")
}

// Path is where the run is shown.
func (r row) Path() string { return "/runs/" + url.PathEscape(r.RunID) }
