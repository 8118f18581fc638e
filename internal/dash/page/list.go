package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// rowsPerPage is how many runs a page lists.
const rowsPerPage = 50

// listPage is the list of runs as the template sees it.
type listPage struct {
	shell
	Query, State string
	Doubt        bool // only runs that are advisory
	States       []history.RunState
	Rows         []row
	Known, Found int // runs in all, and those that fit
	Older, Newer string
	Trends       []plot
	Heat         *heat
}

// row is a run in the list.
type row struct {
	ID, Task      string
	State         history.RunState
	Begun         time.Time
	Median        json.Number
	Level         string
	Domains       int
	Final         int
	Cells         []cell
	More          int // domains without a cell
	Read          shadow.Read
	Advisory      bool
	Unread        int // domains of which too little was read
	Observed      bool
	Reason        string
	RejectedCount int
}

// cell is a domain in a row.
type cell struct{ Class, Title string }

// mostCells is how many domains a row shows one by one.
const mostCells = 30

func (p *Page) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v := listPage{shell: p.shell("Runs", ""), Query: q.Get("q"), State: q.Get("state"), Doubt: q.Get("doubt") != "",
		States: []history.RunState{history.RunWaiting, history.RunHardening, history.RunScored, history.RunIncomplete, history.RunRejected}}
	page, _ := strconv.Atoi(q.Get("page")) // nonsense is the first page
	page = max(page, 1)
	var scored []*entry
	p.index.list(func(e *entry) {
		v.Known++
		row := e.row()
		if !v.fits(&row) {
			return
		}
		if v.Found++; v.Found > (page-1)*rowsPerPage && v.Found <= page*rowsPerPage {
			v.Rows = append(v.Rows, row)
		}
		if e.scored != nil && len(scored) < mostPoints {
			scored = append(scored, e)
		}
	}, func() {
		slices.Reverse(scored) // the oldest first
		v.Trends, v.Heat = trends(scored), heatOf(scored)
	})
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
	return (query == "" || strings.Contains(strings.ToLower(r.ID), query) || strings.Contains(strings.ToLower(r.Task), query)) &&
		(v.State == "" || v.State == string(r.State)) && (!v.Doubt || r.Advisory)
}

// Filtered tells whether not all runs were asked for.
func (v listPage) Filtered() bool { return v.Query != "" || v.State != "" || v.Doubt }

// row is the run as the list shows it.
func (e *entry) row() row {
	r := row{ID: e.id, Task: shadow.Printable(e.text()), State: e.state(), Begun: e.begun, Domains: e.domains, RejectedCount: len(e.rejected)}
	if e.commitment != nil {
		r.Observed = !e.commitment.Policy.EnforceGates
	}
	if r.State == history.RunRejected {
		r.Reason = shadow.Printable(e.refused)
	}
	for _, l := range e.sorted() {
		if l.final {
			r.Final++
		}
		unread := e.unread(l.read)
		if unread {
			r.Unread++
		}
		r.Read.Add(l.read)
		r.Advisory = r.Advisory || l.advisory
		if len(r.Cells) == mostCells {
			r.More++
			continue
		}
		level := render.LookOf(l.level, unread).Word
		c := cell{"level-" + level, fmt.Sprintf("%s: %s %% %s, %s", l.domain, l.score.Percent(), level, l.gate)}
		if l.advisory {
			c.Class += " unsure"
			c.Title += ", advisory"
		}
		r.Cells = append(r.Cells, c)
	}
	if s := e.scored; s != nil {
		r.Median, r.Advisory, r.Read = s.Median, s.Advisory, s.Read
		r.Domains = len(s.Domains) + len(s.Missing)
		r.Level = render.MedianLook(s.Level, r.Unread, len(s.Domains)).Word
	}
	return r
}

// unread tells whether too little was read, by the policy of the run.
func (e *entry) unread(r shadow.Read) bool {
	return e.commitment != nil && r.Below(e.commitment.Policy.MinRead)
}

// sorted are the domains with a report, by name.
func (e *entry) sorted() []*line {
	var all []*line
	for _, l := range e.lines {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *line) int { return cmp.Compare(a.domain, b.domain) })
	return all
}

// Awaited is how many domains have no report yet.
func (r row) Awaited() int { return max(0, r.Domains-len(r.Cells)-r.More) }

// Summary says of the cells what a reader cannot see.
func (r row) Summary() string {
	var titles []string
	for _, c := range r.Cells {
		titles = append(titles, c.Title)
	}
	return strings.Join(titles, "; ")
}

// Path is where the run is shown.
func (r row) Path() string { return "/runs/" + url.PathEscape(r.ID) }
