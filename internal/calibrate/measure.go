package calibrate

import (
	"fmt"
	"math"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Accuracy counts right and wrong votes.
type Accuracy struct {
	Examples int `json:"examples"`
	// Right is among the votes that were cast. FalsePass is among the examples
	// that are labelled fail, FalseFail among those that are labelled pass, and
	// NoVote among all.
	Right     Share `json:"right"`
	FalsePass Share `json:"false_pass"`
	FalseFail Share `json:"false_fail"`
	NoVote    Share `json:"no_vote"`
}

// Share is a part of a whole, with the 95 % interval after Wilson. Of nothing
// it is 0, from 0 to 1.
type Share struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func shareOf(n, of int) Share {
	s := Share{N: n, Of: of, High: 1}
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

// measure compares votes with labels, on the examples that are chosen.
func measure(examples []Example, votes []shadow.Vote, chosen func(*Example) bool) Accuracy {
	var n, right, cast, good, falsePass, falseFail int
	for i := range examples {
		e := &examples[i]
		if !chosen(e) {
			continue
		}
		n++
		if e.Passes {
			good++
		}
		switch v := &votes[i]; {
		case v.Outcome == shadow.Undecided:
			continue
		case passes(v) == e.Passes:
			right++
		case passes(v):
			falsePass++
		default:
			falseFail++
		}
		cast++
	}
	return Accuracy{n, shareOf(right, cast), shareOf(falsePass, n-good), shareOf(falseFail, good), shareOf(n-cast, n)}
}

// passes reports whether a vote lets the work pass: what does not apply counts
// as passed.
func passes(v *shadow.Vote) bool {
	return v.Outcome == shadow.Passed
}

// Agreement is how far judges say the same, on the examples on which all of
// them voted: two judges (kappa after Cohen) or more (after Fleiss).
type Agreement struct {
	Judges []string `json:"judges"`
	Same   Share    `json:"same"`
	// Kappa is the agreement beyond chance: 1 is full, 0 what chance gives;
	// nil where chance alone explains all, as when everybody always passes.
	Kappa *float64 `json:"kappa"`
}

// agree compares judges on the examples on which all of them voted. Of two,
// kappa is Cohen's, which knows what each of them leans to; of more, Fleiss'.
func agree(votes ...[]shadow.Vote) Agreement {
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
	a := Agreement{Same: shareOf(unanimous, n)}
	if n == 0 {
		return a
	}
	if observed, chance := pairs/float64(n), byChance(passed, n); chance < 1 {
		kappa := rounded((observed - chance) / (1 - chance))
		a.Kappa = &kappa
	}
	return a
}

// byChance is how often judges who pass so many of n examples would agree if
// they threw dice.
func byChance(passed []int, n int) float64 {
	if len(passed) == 2 {
		x, y := float64(passed[0])/float64(n), float64(passed[1])/float64(n)
		return x*y + (1-x)*(1-y)
	}
	all := 0
	for _, p := range passed {
		all += p
	}
	x := float64(all) / float64(n*len(passed))
	return x*x + (1-x)*(1-x)
}

// String is a share in percent, as "3/40 8 % [3, 20]", or a dash of nothing.
func (s Share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d %.0f %% [%.0f, %.0f]", s.N, s.Of, 100*s.Rate, 100*s.Low, 100*s.High)
}
