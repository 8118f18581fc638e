package review

import (
	"encoding/json"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Diff compares two runs by the last report of each domain. Their criteria were
// drawn apart, so it counts them by category and does not compare them one by
// one. It holds no sealed text.
type Diff struct {
	Before RunSide `json:"before"`
	After  RunSide `json:"after"`
	// SameTask: both were decomposed alike. It is false where that is not known.
	SameTask   bool            `json:"same_task"`
	Domains    []*DomainDiff   `json:"domains"`
	Categories []*CategoryDiff `json:"categories"`
}

// RunSide is one of the two runs.
type RunSide struct {
	Run    string       `json:"run_id"`
	Median json.Number  `json:"median,omitempty"` // in percent; absent until it is scored
	Level  shadow.Level `json:"level,omitempty"`
	// Domains have a report.
	Domains int         `json:"domains"`
	Read    shadow.Read `json:"read"`
	// Unread counts the domains of which too little was read for a level.
	Unread int `json:"unread_domains"`
}

// DomainDiff is a domain of either run. A side is nil without a report.
type DomainDiff struct {
	Domain string                `json:"domain"`
	Before *shadow.DomainSummary `json:"before"`
	After  *shadow.DomainSummary `json:"after"`
}

// CategoryDiff counts the criteria of a category over all domains.
type CategoryDiff struct {
	Category shadow.Category `json:"category"`
	Before   shadow.Score    `json:"before"`
	After    shadow.Score    `json:"after"`
}

// Compare says what changed from one run to another.
func Compare(before, after *history.Run) *Diff {
	d := &Diff{Domains: []*DomainDiff{}, Categories: []*CategoryDiff{}}
	if a, b := before.Commitment, after.Commitment; a != nil && b != nil {
		d.SameTask = a.TaskHash == b.TaskHash
	}
	d.Before = d.side(before, false)
	d.After = d.side(after, true)
	return d
}

// side takes in one of the runs.
func (d *Diff) side(r *history.Run, after bool) RunSide {
	s := RunSide{Run: r.ID}
	if r.Scored != nil {
		s.Median, s.Level = r.Scored.Median, r.Scored.Level
	}
	for _, name := range r.Domains() {
		row := d.domain(name)
		rep := r.Last(name)
		if rep == nil {
			continue
		}
		side := rep.Summary()
		if after {
			row.After = &side
		} else {
			row.Before = &side
		}
		s.Domains++
		s.Read.Add(side.Read)
		if side.Unread {
			s.Unread++
		}
		for _, c := range rep.Swarm.Categories {
			d.category(c, after).Total++
		}
		for _, f := range rep.Failures {
			d.category(f.Category, after).Failed++
		}
	}
	return s
}

func (d *Diff) domain(name string) *DomainDiff {
	i := slices.IndexFunc(d.Domains, func(x *DomainDiff) bool { return x.Domain == name })
	if i < 0 {
		i = len(d.Domains)
		d.Domains = append(d.Domains, &DomainDiff{Domain: name})
	}
	return d.Domains[i]
}

// category is the tally of a category on one side.
func (d *Diff) category(c shadow.Category, after bool) *shadow.Score {
	i := slices.IndexFunc(d.Categories, func(x *CategoryDiff) bool { return x.Category == c })
	if i < 0 {
		i = len(d.Categories)
		d.Categories = append(d.Categories, &CategoryDiff{Category: c})
	}
	if after {
		return &d.Categories[i].After
	}
	return &d.Categories[i].Before
}
