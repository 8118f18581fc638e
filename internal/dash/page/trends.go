package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/swarmspeed/shadowd/internal/render"
)

// maxPoints is how many runs a trend shows.
const maxPoints = 20 // so that their dots do not overlap

// plot is a number over runs, drawn from the oldest to the newest.
type plot struct {
	Name, Last, Label string
	Lines             []segment
	Dots              []dot
}

type segment struct{ X1, Y1, X2, Y2 string }

type dot struct {
	X, Y, Title string
	Hollow      bool
}

// point is the number of a run, if ok. mark stands behind it where it is no plain number.
type point struct {
	run   string
	value float64
	ok    bool
	mark  string
}

// trends are the plots over scored runs, the oldest first, of what at least two of them say.
func trends(runs []*entry) []plot {
	var score, judged []point
	for _, e := range runs {
		median, err := strconv.ParseFloat(string(e.Scored.Median), 64)
		p := point{run: e.ID, value: median, ok: err == nil && len(e.Scored.Domains) > 0}
		if look := render.LookOf(e.Scored.Verdict); look.Open {
			p.mark = ", " + look.Word
		}
		score = append(score, p)
		n := e.Scored.Counts
		judged = append(judged, point{run: e.ID, value: 100 * float64(n.Judged()) / float64(max(n.Items, 1)), ok: n.Items > 0})
	}
	all := []plot{draw("Median score", "%.1f %%", score), draw("Items judged", "%.0f %%", judged)}
	return slices.DeleteFunc(all, func(p plot) bool { return len(p.Dots) < 2 })
}

// draw places points between 0 and 100.
func draw(name, format string, points []point) plot {
	p := plot{Name: name}
	at := func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + "%" }
	x := func(i int) float64 { return 2 + 96*float64(i)/float64(max(len(points)-1, 1)) }
	y := func(v float64) float64 { return 94 - .88*v }
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
	p.Label = fmt.Sprintf("%s over %d runs: last %s, from "+format+" to "+format, name, len(p.Dots), p.Last, lowest, highest)
	return p
}
