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
		case (v.Outcome == shadow.Passed) == e.Passes:
			right++
		case v.Outcome == shadow.Passed:
			falsePass++
		default:
			falseFail++
		}
		cast++
	}
	return Accuracy{n, shareOf(right, cast), shareOf(falsePass, n-good), shareOf(falseFail, good), shareOf(n-cast, n)}
}

// Agreement is how far two judges say the same, on the examples on which both
// voted.
type Agreement struct {
	Judges []string `json:"judges"`
	Same   Share    `json:"same"`
	// Kappa is Cohen's, the agreement beyond chance: 1 is full, 0 what chance gives;
	// nil where chance alone explains all, as when both always pass.
	Kappa *float64 `json:"kappa"`
}

// agree compares two judges on the examples on which both voted. By chance they
// agree as often as if each threw dice, for as many passes as it has.
func agree(first, second []shadow.Vote) (a Agreement) {
	n, same, x, y := 0, 0, 0, 0
	for i := range first {
		v, w := first[i].Outcome, second[i].Outcome
		if v == shadow.Undecided || w == shadow.Undecided {
			continue
		}
		n++
		same += btoi(v == w)
		x += btoi(v == shadow.Passed)
		y += btoi(w == shadow.Passed)
	}
	a.Same = shareOf(same, n)
	all := float64(n * n)
	if chance := float64(x*y+(n-x)*(n-y)) / all; n > 0 && chance < 1 {
		kappa := rounded((float64(same)/float64(n) - chance) / (1 - chance))
		a.Kappa = &kappa
	}
	return a
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// String is a share in percent, as "3/40 8 % [3, 20]", or a dash of nothing.
func (s Share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d %.0f %% [%.0f, %.0f]", s.N, s.Of, 100*s.Rate, 100*s.Low, 100*s.High)
}
