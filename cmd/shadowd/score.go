package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/results"
)

// scoreCmd scores the results of a test suite, with the interface of the spec's public validators.
type scoreCmd struct {
	Sealed    string   `required:"" placeholder:"FILE" help:"Results of the sealed tests; - reads standard input."`
	Open      string   `placeholder:"FILE" help:"Results of the tests that the implementer could see, to compare by category."`
	Threshold *float64 `placeholder:"N" help:"Exit with 1 if the score is above this percentage."`
	Strict    bool     `help:"Exit with 1 also if the score is advisory."`
	Spec      string   `enum:"1.0.0,2.0.0" default:"2.0.0" help:"Version of the Shadow Score Spec that json follows: 1.0.0 or 2.0.0."`
	Format    string   `enum:"${suite_formats}" default:"json" help:"${suite_formats_help}."`
}

func (cmd scoreCmd) Run(_ context.Context, a *app) error {
	if cmd.Sealed == "-" && cmd.Open == "-" {
		return hint.Usage(errors.New("--sealed and --open cannot both be standard input"), "")
	}
	if cmd.Threshold != nil && !(*cmd.Threshold >= 0 && *cmd.Threshold <= 100) { // NaN is neither
		return hint.Usage(fmt.Errorf("--threshold: %v is not a percentage from 0 to 100", *cmd.Threshold), "")
	}
	sealed, err := readResults(cmd.Sealed, a.Stdin)
	if err != nil {
		return hint.Usage(err, "results are {\"tests\": [{\"name\", \"status\", \"category\", …}]}, JUnit XML, or the output of go test -json")
	}
	var open *results.Suite
	if cmd.Open != "" {
		if open, err = readResults(cmd.Open, a.Stdin); err != nil {
			return hint.Usage(err, "")
		}
	}
	subject := &render.Subject{Name: input.Name(cmd.Sealed), Score: results.Score(sealed, open)}
	subject.Score.SpecVersion = cmd.Spec
	for _, t := range sealed.Tests {
		if t.Status == results.Passed {
			subject.Passed = append(subject.Passed, t.Name)
		} else {
			subject.Outcomes = append(subject.Outcomes, t.Status)
		}
	}
	if err := renderAs(a, cmd.Format, &render.Document{Subjects: []*render.Subject{subject}}); err != nil {
		return hint.Failed(err, "")
	}
	return cmd.verdict(subject)
}

// verdict is an error where the exit code has to be 1.
func (cmd scoreCmd) verdict(s *render.Subject) error {
	if s.Score.SealedTests.Total == 0 && (cmd.Threshold != nil || cmd.Strict) {
		return hint.Usage(fmt.Errorf("%s has no tests, so there is nothing to hold against a gate", s.Name), "")
	}
	// As shown: 2 of 18 is not above 11.1.
	shown, err := s.Score.Report.ShadowScore.Float64()
	if err != nil {
		return err
	}
	if cmd.Threshold != nil && shown > *cmd.Threshold {
		return hint.Failed(fmt.Errorf("the shadow score of %s is %s %%, above the threshold of %v %%", s.Name, s.Score.Report.ShadowScore, *cmd.Threshold), "")
	}
	if why := s.Advisory(); cmd.Strict && why != "" {
		return hint.Failed(fmt.Errorf("the shadow score of %s is advisory: %s", s.Name, why), "")
	}
	return nil
}

// maxResults bounds a file of results in bytes.
const maxResults = 256 << 20

func readResults(file string, stdin io.Reader) (*results.Suite, error) {
	data, err := input.Read(file, stdin, maxResults)
	if err != nil {
		return nil, err
	}
	return results.Read(input.Name(file), data)
}

// renderAs writes a document in a format of the command line; text is in colour on a terminal.
func renderAs(a *app, format string, d *render.Document) error {
	if format == "text" {
		return render.Summary(a.Terminal(), d)
	}
	all := slices.Concat(render.RunFormats, render.SuiteFormats)
	return all[slices.IndexFunc(all, func(f render.Format) bool { return f.Name == format })].Write(a.Stdout, d)
}
