package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

func (c *calibration) json(w io.Writer) error {
	enc := render.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(c)
}

// mostReasons is how many reasons for having no vote are told of a judge.
const mostReasons = 3

// text tells the calibration in tables for a terminal.
func (c *calibration) text(w io.Writer) error {
	var b strings.Builder
	good := 0
	for i := range c.examples {
		if c.examples[i].passes {
			good++
		}
	}
	fmt.Fprintf(&b, "%d examples: %d labelled pass, %d labelled fail. In brackets the 95 %% interval after Wilson.\n", c.Examples, good, c.Examples-good)
	for i := range c.Judges {
		c.Judges[i].text(&b)
	}
	if c.Panel != nil {
		c.Panel.text(&b)
	}
	if len(c.Agreement) > 0 {
		b.WriteString("\nagreement, where both voted\n")
	}
	for i := range c.Agreement {
		c.Agreement[i].text(&b)
	}
	if c.Fleiss != nil {
		b.WriteString("agreement, where all voted\n")
		c.Fleiss.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (j *calibratedJudge) text(b *strings.Builder) {
	who := strings.Trim(j.Model+", "+j.Family, ", ")
	if j.Name == config.BuiltIn {
		who = "the checks of the criteria that have one"
	}
	if j.Name == "panel" && j.Model == "" {
		who = "strict majority of the judges"
	}
	fmt.Fprintf(b, "\n%s  %s\n", shadow.Printable(j.Name), shadow.Printable(who))
	fmt.Fprintf(b, "  %-15s %4s  %-22s %-22s %-22s %s\n", "", "n", "right", "false pass", "false fail", "no vote")
	row := func(name string, a *accuracy) {
		fmt.Fprintf(b, "  %-15s %4d  %-22s %-22s %-22s %s\n", name, a.Examples, a.Right, a.FalsePass, a.FalseFail, a.NoVote)
	}
	row("all", &j.Overall)
	if len(j.Categories) > 1 {
		for i := range j.Categories {
			row(string(j.Categories[i].Category), &j.Categories[i].accuracy)
		}
	}
	for i, r := range j.Reasons {
		if i == mostReasons {
			fmt.Fprintf(b, "  no vote: %d other reasons\n", len(j.Reasons)-i)
			break
		}
		fmt.Fprintf(b, "  no vote: %d × %s\n", r.N, shadow.Printable(r.Why))
	}
	if j.Calls > 0 {
		fmt.Fprintf(b, "  took     %d calls, %d tokens (%d an example), %s\n", j.Calls, j.Tokens, j.Tokens/int64(max(1, j.Overall.Examples)), took(j.Millis).Round(100*time.Millisecond))
	}
}

// String is a share in percent, as "3/40 8 % [3, 20]", or a dash of nothing.
func (s share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d %.0f %% [%.0f, %.0f]", s.N, s.Of, 100*s.Rate, 100*s.Low, 100*s.High)
}

func (a *agreement) text(b *strings.Builder) {
	kappa := "not defined"
	if a.Kappa != nil {
		kappa = fmt.Sprintf("%.2f", *a.Kappa)
	}
	fmt.Fprintf(b, "  %-30s %-22s kappa %s\n", shadow.Printable(strings.Join(a.Judges, ", ")), a.Same, kappa)
}
