package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// maxPoints is how many runs a trend shows.
const maxPoints = 60

// plot is a number over runs, drawn from the oldest to the newest.
type plot struct {
	Name, Last, Label string
	Lines             []segment
	Dots              []dot
	Ticks             []tick // from the top to the bottom
}

// tick is a value of the axis with its line.
type tick struct{ Text, Y string }

type segment struct{ X1, Y1, X2, Y2 string }

type dot struct {
	X, Y, Title string
	Hollow      bool
}

// point is the number of a run; ok is false for a run that has none. mark stands
// behind it where it is no plain number.
type point struct {
	run   string
	value float64
	ok    bool
	mark  string
}

// trends are the plots over scored runs, the oldest first.
func trends(runs []*entry) []plot {
	if len(runs) == 0 {
		return nil
	}
	var score, velocity, judged, split, silent []point
	for _, e := range runs {
		median, err := strconv.ParseFloat(string(e.Scored.Median), 64)
		p := point{run: e.ID, value: median, ok: err == nil && len(e.Scored.Domains) > 0}
		if look := render.LookOf(e.Scored.Verdict); look.Open {
			p.mark = ", " + look.Word
		}
		score = append(score, p)
		v, hardened := e.velocity()
		velocity = append(velocity, point{run: e.ID, value: v, ok: hardened})
		n := e.Scored.Counts
		judged = append(judged, point{run: e.ID, value: share(n.Judged(), n.Items), ok: n.Items > 0})
		var all history.Domain
		for _, l := range e.Domains {
			all.Voted, all.Split, all.Asked, all.Silent = all.Voted+l.Voted, all.Split+l.Split, all.Asked+l.Asked, all.Silent+l.Silent
		}
		split = append(split, point{run: e.ID, value: share(all.Split, all.Voted), ok: all.Voted > 0})
		silent = append(silent, point{run: e.ID, value: share(all.Silent, all.Asked), ok: all.Asked > 0})
	}
	return []plot{
		draw("Median score", "%.1f %%", 0, score),
		draw("Velocity", "%+.1f points a cycle", -100, velocity),
		draw("Items judged", "%.0f %%", 0, judged),
		draw("Judges disagree", "%.0f %% of questions", 0, split),
		draw("Judges silent", "%.0f %% of votes", 0, silent),
	}
}

// velocity is how many points of the score a fix brought, on average.
func (e *entry) velocity() (v float64, ok bool) {
	n := 0
	for i := range e.Scored.Domains {
		d := &e.Scored.Domains[i]
		if d.Cycle == 0 || d.TimedOut && d.Cycle == 1 {
			continue
		}
		v += (share(d.Initial.Failed, d.Initial.Total) - share(d.Score.Failed, d.Score.Total)) / float64(d.Cycle)
		n++
	}
	if n == 0 {
		return 0, false
	}
	return v / float64(n), true
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// draw places points between the bounds low and 100.
func draw(name, format string, low float64, points []point) plot {
	const high = 100
	p := plot{Name: name, Last: "no data"}
	at := func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + "%" }
	x := func(i int) float64 {
		if len(points) == 1 {
			return 50
		}
		return 2 + 96*float64(i)/float64(len(points)-1)
	}
	y := func(v float64) float64 { return 94 - 88*(min(max(v, low), high)-low)/(high-low) }
	if low < 0 {
		p.Ticks = []tick{{"+100", at(y(high))}, {"0", at(y(0))}, {"−100", at(y(low))}}
	} else {
		p.Ticks = []tick{{"100 %", at(y(high))}, {"0 %", at(y(low))}}
	}
	before := -1
	var lowest, highest float64
	for i, pt := range points {
		if !pt.ok {
			continue
		}
		if before >= 0 {
			p.Lines = append(p.Lines, segment{at(x(before)), at(y(points[before].value)), at(x(i)), at(y(pt.value))})
			lowest, highest = min(lowest, pt.value), max(highest, pt.value)
		} else {
			lowest, highest = pt.value, pt.value
		}
		before = i
		p.Last = fmt.Sprintf(format, pt.value) + pt.mark
		p.Dots = append(p.Dots, dot{at(x(i)), at(y(pt.value)), pt.run + ": " + p.Last, pt.mark != ""})
	}
	p.Label = name + ": no data"
	if before >= 0 {
		p.Label = fmt.Sprintf("%s over %d runs: last %s, from "+format+" to "+format, name, len(p.Dots), p.Last, lowest, highest)
	}
	return p
}

// heat is the share of failed criteria by category over runs.
type heat struct {
	Label string
	Rows  []heatRow
}

type heatRow struct {
	Name  string
	Total int // criteria that failed
	Cells []heatCell
}

// heatCell is one run; Class grows with the number of criteria that failed.
type heatCell struct{ X, Width, Class, Title string }

// heatOf is which categories fail in which runs, nil where nothing did.
func heatOf(runs []*entry) *heat {
	h := &heat{}
	var words []string
	for _, c := range shadow.Categories() {
		row := heatRow{Name: strings.ReplaceAll(string(c), "_", " ")}
		width := 100 / float64(max(len(runs), 1))
		for i, e := range runs {
			n := 0
			for _, l := range e.Domains {
				n += l.Failed[c]
			}
			row.Total += n
			if n > 0 {
				row.Cells = append(row.Cells, heatCell{strconv.FormatFloat(float64(i)*width, 'f', 2, 64) + "%", strconv.FormatFloat(width*.9, 'f', 2, 64) + "%",
					fmt.Sprintf("heat-%d", min(4, n)), fmt.Sprintf("%s: %d failed", e.ID, n)})
			}
		}
		if row.Total > 0 {
			h.Rows = append(h.Rows, row)
			words = append(words, fmt.Sprintf("%s %d", row.Name, row.Total))
		}
	}
	if len(h.Rows) == 0 {
		return nil
	}
	h.Label = fmt.Sprintf("Failed criteria over %d runs: %s", len(runs), strings.Join(words, ", "))
	return h
}
