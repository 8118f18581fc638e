package shadow

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Ambiguity is how far the authors of an envelope read the decomposition's
// requirements in different ways.
type Ambiguity struct {
	// Disputed are the ids of the requirements of which authors expect what
	// cannot both be.
	Disputed []string `json:"disputed,omitempty"`
	// Requirements is how many the decomposition has.
	Requirements int `json:"requirements"`
}

// ratio is the spec's spec_ambiguity: from 0, nothing is disputed, to 1.
func (a *Ambiguity) ratio() float64 { return float64(len(a.Disputed)) / float64(a.Requirements) }

// number is the ratio as reports show it, with four decimals at most.
func (a *Ambiguity) number() json.Number {
	return json.Number(strconv.FormatFloat(math.Round(a.ratio()*1e4)/1e4, 'f', -1, 64))
}

// disputes finds criteria of different authors that expect incompatible things
// of the same requirement: the indexes of all that take part, and the ids of
// the requirements. An author may expect several things of one requirement, and
// another only some of them. So two criteria contradict each other only where
// neither author has another one that agrees.
func disputes(criteria []Criterion) (parties map[int]bool, ids []string) {
	parties = map[int]bool{}
	for id, here := range byRequirement(criteria) {
		type reading struct {
			criterion int
			author    string
		}
		agreed := map[reading]bool{}
		var against [][2]int
		for _, i := range here {
			for _, k := range here {
				a, b := &criteria[i], &criteria[k]
				if a.Author == b.Author {
					continue
				}
				switch sameKind, incompatible := a.Expects.compare(b.Expects); {
				case incompatible:
					against = append(against, [2]int{i, k})
				case sameKind:
					agreed[reading{i, b.Author}] = true
				}
			}
		}
		for _, pair := range against {
			i, k := pair[0], pair[1]
			if !agreed[reading{i, criteria[k].Author}] && !agreed[reading{k, criteria[i].Author}] {
				parties[i], parties[k] = true, true
				ids = appendNew(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return parties, ids
}

// byRequirement lists the criteria with a structured expectation by the
// requirements that they are about.
func byRequirement(criteria []Criterion) map[string][]int {
	of := map[string][]int{}
	for i := range criteria {
		if criteria[i].Expects == nil {
			continue
		}
		for _, id := range criteria[i].Requirements {
			of[id] = append(of[id], i)
		}
	}
	return of
}

// measured is the ambiguity of a decomposition, or nil where nothing can be
// said: without requirements, or without two authors who say what they expect
// of them. Zero would claim an agreement that nobody looked for.
func (g *gathering) measured() *Ambiguity {
	if len(g.readers) < 2 || len(g.d.Requirements) == 0 {
		return nil
	}
	a := &Ambiguity{Requirements: len(g.d.Requirements)}
	for _, r := range g.d.Requirements {
		if g.disputed[r.ID] {
			a.Disputed = append(a.Disputed, r.ID)
		}
	}
	return a
}

// refuse is the error of a decomposition that is more ambiguous than it may
// be. It names requirements, which the decomposition itself states, and
// nothing that an author made of them.
func (a *Ambiguity) refuse(d *Decomposition, limit float64) error {
	var problems []string
	for _, id := range a.Disputed {
		i := slices.IndexFunc(d.Requirements, func(r Requirement) bool { return r.ID == id })
		problems = append(problems, fmt.Sprintf("%.64q (%s)", id, clip.Line(d.Requirements[i].Text, 120)))
	}
	return fmt.Errorf("%d of %d requirements can be read in ways that exclude each other, and at most a share of %v may be: say more precisely what is meant by %s",
		len(a.Disputed), a.Requirements, limit, firstTen(problems, ", "))
}
