package main

import (
	"math"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// calibration is how well judges did on labelled examples.
type calibration struct {
	Examples int               `json:"examples"`
	Judges   []calibratedJudge `json:"judges"`
	// Panel is the strict majority of the judges but rules; nil with fewer
	// than two.
	Panel     *calibratedJudge `json:"panel,omitempty"`
	Agreement []agreement      `json:"agreement"` // of each two
	// Fleiss is the agreement of all judges but rules; nil with fewer than
	// three.
	Fleiss *agreement `json:"fleiss,omitempty"`

	examples []example
	votes    [][]shadow.Vote // by judge
	panel    [][]shadow.Vote // of the judges but rules
}

// calibratedJudge is what one judge did.
type calibratedJudge struct {
	Name       string       `json:"name"`
	Model      string       `json:"model,omitempty"`
	Family     string       `json:"family,omitempty"`
	Overall    accuracy     `json:"overall"`
	Categories []byCategory `json:"categories"`
	Reasons    []countedBy  `json:"no_vote_reasons"` // the most frequent first
	Calls      int          `json:"calls"`
	Tokens     int64        `json:"tokens"`
	Millis     int64        `json:"ms"` // of all votes, added up
}

// byCategory is the accuracy on the examples of one category, or on the items of
// one kind.
type byCategory struct {
	Category shadow.Category `json:"category"`
	accuracy
}

// countedBy is how often something was said.
type countedBy struct {
	Why string `json:"why"`
	N   int    `json:"n"`
}

// accuracy counts right and wrong votes.
type accuracy struct {
	Examples int `json:"examples"`
	// Right is among the votes that were cast. FalsePass is among the examples
	// that are labelled fail, FalseFail among those that are labelled pass, and
	// NoVote among all.
	Right     share `json:"right"`
	FalsePass share `json:"false_pass"`
	FalseFail share `json:"false_fail"`
	NoVote    share `json:"no_vote"`
}

// share is a part of a whole, with the 95 % interval after Wilson. Of nothing
// it is 0, from 0 to 1.
type share struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func shareOf(n, of int) share {
	s := share{N: n, Of: of, High: 1}
	if of == 0 {
		return s
	}
	const z = 1.959964 // of 95 %
	p, m := float64(n)/float64(of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	s.Rate, s.Low, s.High = rounded(p), rounded(max(0, mid-half)), rounded(min(1, mid+half))
	return s
}

// rounded keeps four decimals, so that outputs are the same everywhere.
func rounded(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// agreement is how far judges say the same, on the examples on which all of
// them voted: two judges (kappa after Cohen) or more (after Fleiss).
type agreement struct {
	Judges []string `json:"judges"`
	Same   share    `json:"same"`
	// Kappa is the agreement beyond chance: 1 is full, 0 what chance gives;
	// nil where chance alone explains all, as when everybody always passes.
	Kappa *float64 `json:"kappa"`
}

// measure compares votes with labels, on the examples that are chosen.
func measure(examples []example, votes []shadow.Vote, chosen func(*example) bool) accuracy {
	var n, right, cast, good, bad, falsePass, falseFail int
	for i := range examples {
		e := &examples[i]
		if !chosen(e) {
			continue
		}
		n++
		if e.passes {
			good++
		} else {
			bad++
		}
		switch v := &votes[i]; {
		case v.Outcome == shadow.Undecided:
			continue
		case passes(v) == e.passes:
			right++
		case passes(v):
			falsePass++
		default:
			falseFail++
		}
		cast++
	}
	return accuracy{n, shareOf(right, cast), shareOf(falsePass, bad), shareOf(falseFail, good), shareOf(n-cast, n)}
}

// passes reports whether a vote lets the work pass: what does not apply counts
// as passed.
func passes(v *shadow.Vote) bool {
	return v.Outcome == shadow.Passed || v.Outcome == shadow.NotApplicable
}

// judged sums up what one judge, or a panel, did.
func (c *calibration) judged(name string, m shadow.Model, votes []shadow.Vote) calibratedJudge {
	j := calibratedJudge{Name: name, Model: m.Model, Family: m.Family, Categories: []byCategory{}, Reasons: []countedBy{}}
	j.Overall = measure(c.examples, votes, func(*example) bool { return true })
	groups := append(shadow.Categories(), noCategory)
	for _, kind := range itemKinds {
		groups = append(groups, shadow.Category(kind))
	}
	for _, k := range groups {
		of := func(e *example) bool { return e.category() == k }
		if slices.ContainsFunc(c.examples, func(e example) bool { return of(&e) }) {
			j.Categories = append(j.Categories, byCategory{k, measure(c.examples, votes, of)})
		}
	}
	why := map[string]int{}
	for i := range votes {
		v := &votes[i]
		j.Calls += v.Calls
		j.Tokens += v.Tokens
		j.Millis += v.Millis
		if v.Outcome == shadow.Undecided && v.Why != "" {
			why[v.Why]++
		}
	}
	for w, n := range why {
		j.Reasons = append(j.Reasons, countedBy{w, n})
	}
	slices.SortFunc(j.Reasons, func(a, b countedBy) int {
		if a.N != b.N || a.Why == b.Why {
			return b.N - a.N
		}
		if a.Why < b.Why {
			return -1
		}
		return 1
	})
	return j
}

// add takes in what one judge said.
func (c *calibration) add(name string, m shadow.Model, votes []shadow.Vote) {
	c.Judges = append(c.Judges, c.judged(name, m, votes))
	c.votes = append(c.votes, votes)
}

// finish compares the judges with each other.
func (c *calibration) finish() {
	c.Agreement = []agreement{}
	for i := range c.votes {
		for j := i + 1; j < len(c.votes); j++ {
			a := agree(c.votes[i], c.votes[j])
			a.Judges = []string{c.Judges[i].Name, c.Judges[j].Name}
			c.Agreement = append(c.Agreement, a)
		}
	}
	if len(c.panel) > 1 {
		p := c.judged("panel", shadow.Model{}, majority(c.panel))
		for _, votes := range c.panel { // what all of them took
			for i := range votes {
				p.Calls += votes[i].Calls
				p.Tokens += votes[i].Tokens
				p.Millis += votes[i].Millis
			}
		}
		c.Panel = &p
	}
	if len(c.panel) > 2 {
		a := agree(c.panel...)
		for _, j := range c.Judges[len(c.Judges)-len(c.panel):] {
			a.Judges = append(a.Judges, j.Name)
		}
		c.Fleiss = &a
	}
}

// majority is what a panel of all judges decides.
func majority(votes [][]shadow.Vote) []shadow.Vote {
	out := make([]shadow.Vote, len(votes[0]))
	for i := range out {
		var cast []shadow.Vote
		for j := range votes {
			cast = append(cast, votes[j][i])
		}
		out[i].Outcome, _ = shadow.Tally(cast, len(votes))
		if out[i].Outcome == shadow.Undecided {
			out[i].Why = "no majority"
		}
	}
	return out
}

// agree compares judges on the examples on which all of them voted. Of two,
// kappa is Cohen's, which knows what each of them leans to; of more, Fleiss'.
func agree(votes ...[]shadow.Vote) agreement {
	k := len(votes)
	passed := make([]int, k) // by judge
	n, unanimous, pairs := 0, 0, 0.0
	for i := range votes[0] {
		p, all := 0, true
		for j := range votes {
			all = all && votes[j][i].Outcome != shadow.Undecided
			if passes(&votes[j][i]) {
				p++
			}
		}
		if !all {
			continue
		}
		n++
		if p == 0 || p == k {
			unanimous++
		}
		pairs += float64(p*(p-1)+(k-p)*(k-p-1)) / float64(k*(k-1))
		for j := range votes {
			if passes(&votes[j][i]) {
				passed[j]++
			}
		}
	}
	a := agreement{Same: shareOf(unanimous, n)}
	if n == 0 {
		return a
	}
	m := float64(n)
	var chance float64
	if k == 2 {
		x, y := float64(passed[0])/m, float64(passed[1])/m
		chance = x*y + (1-x)*(1-y)
	} else {
		var all float64
		for _, p := range passed {
			all += float64(p)
		}
		x := all / (m * float64(k))
		chance = x*x + (1-x)*(1-x)
	}
	if observed := pairs / m; chance < 1 {
		kappa := rounded((observed - chance) / (1 - chance))
		a.Kappa = &kappa
	}
	return a
}

// took is a time that was counted in milliseconds.
func took(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
