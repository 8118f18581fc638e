package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// mostReasons is how many reasons for having no vote are shown of a judge.
const mostReasons = 3

// Calibration shows how well judges did in tables.
func Calibration(t *Terminal, r *calibrate.Result) error {
	t.Printf("%d examples: %d labelled pass, %d labelled fail. In brackets the 95 %% interval after Wilson.\n", r.Examples, r.Passing, r.Examples-r.Passing)
	for i := range r.Judges {
		j := &r.Judges[i]
		name := judgeText(&shadow.AuthorRef{Name: j.Name, Model: shadow.Model{Model: j.Model, Family: j.Family}})
		if j.Name == calibrate.Rules {
			name += ": the checks of the criteria that have one"
		}
		t.calibrated(j, name)
	}
	if r.Panel != nil {
		t.calibrated(r.Panel, "panel: strict majority of the judges")
	}
	if len(r.Agreement) > 0 {
		t.heading("agreement, where both voted")
	}
	for i := range r.Agreement {
		t.agreement(&r.Agreement[i])
	}
	if r.Fleiss != nil {
		t.heading("agreement, where all voted")
		t.agreement(r.Fleiss)
	}
	return t.Err()
}

func (t *Terminal) calibrated(j *calibrate.Judge, name string) {
	t.heading("%s", name)
	t.Printf("  %-15s %4s  %-22s %-22s %-22s %s\n", "", "n", "right", "false pass", "false fail", "no vote")
	row := func(name string, a *calibrate.Accuracy) {
		t.Printf("  %-15s %4d  %-22s %-22s %-22s %s\n", name, a.Examples, a.Right, a.FalsePass, a.FalseFail, a.NoVote)
	}
	row("all", &j.Overall)
	if len(j.Categories) > 1 {
		for i := range j.Categories {
			row(string(j.Categories[i].Category), &j.Categories[i].Accuracy)
		}
	}
	for i, r := range j.Reasons {
		if i == mostReasons {
			t.Printf("  no vote: %d other reasons\n", len(j.Reasons)-i)
			break
		}
		t.Printf("  no vote: %d × %s\n", r.N, shadow.Printable(r.Why))
	}
	if j.Calls > 0 {
		took := time.Duration(j.Millis) * time.Millisecond
		t.Printf("  took     %d calls, %d tokens (%d an example), %s\n", j.Calls, j.Tokens, j.Tokens/int64(max(1, j.Overall.Examples)), took.Round(100*time.Millisecond))
	}
}

func (t *Terminal) agreement(a *calibrate.Agreement) {
	kappa := "not defined"
	if a.Kappa != nil {
		kappa = fmt.Sprintf("%.2f", *a.Kappa)
	}
	t.Printf("  %-30s %-22s kappa %s\n", shadow.Printable(strings.Join(a.Judges, ", ")), a.Same, kappa)
}
