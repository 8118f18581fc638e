package render

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The part of SARIF 2.1.0 that is written: a run with a rule for each category
// and a result for each test that was not passed.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results    []sarifResult  `json:"results"`
		Properties map[string]any `json:"properties,omitempty"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Kind      string          `json:"kind"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		// Fingerprints let a viewer follow a result from run to run.
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// sarifRules say what the categories of the spec are.
var sarifRules = func() (rules []sarifRule) {
	for _, c := range allCategories() {
		rules = append(rules, sarifRule{string(c), sarifText{c.Says()}})
	}
	return rules
}()

// SARIF writes a document as SARIF 2.1.0, a run for each subject. A location is
// in the bundle, whose name its address is, with the line where one is known; of
// a test suite it is the file of results.
func SARIF(w io.Writer, d *Document) error {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{}}
	for i := range d.Subjects {
		log.Runs = append(log.Runs, sarifRunOf(&d.Subjects[i]))
	}
	e := NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(&log); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}

func sarifRunOf(s *Subject) sarifRun {
	head := &s.Score.Report
	run := sarifRun{Results: []sarifResult{}, Properties: map[string]any{
		"name": shadow.Printable(s.Name), "shadowScore": head.ShadowScore, "level": head.Level, "advisory": s.Advisory() != "",
	}}
	if why := s.Advisory(); why != "" {
		run.Properties["advisoryReason"] = why
	}
	if g := s.GateText(); g != "" {
		run.Properties["gate"] = g
	}
	if s.Swarm != nil {
		run.Properties["final"], run.Properties["itemsRead"] = s.Swarm.Final, s.Read()
	}
	run.Tool.Driver = sarifDriver{"shadowd", "https://github.com/swarmspeed/shadowd", sarifRules}
	level := "warning"
	if s.stopped() {
		level = "error"
	}
	for i := range s.Score.Failures {
		f := &s.Score.Failures[i]
		r := sarifResult{RuleIndex: len(sarifRules) - 1, Level: level, Kind: "fail", Locations: []sarifLocation{sarifLocationOf(s, f)}}
		for k, rule := range sarifRules {
			if rule.ID == string(f.Category) {
				r.RuleIndex = k
			}
		}
		r.RuleID = sarifRules[r.RuleIndex].ID
		if s.outcome(i) != results.Failed { // it could not be judged
			r.Kind, r.Level = "open", "none"
		}
		r.Message.Text = shadow.Printable(f.TestName)
		if text := shadow.Printable(f.Message); text != "" {
			r.Message.Text += ": " + text
		}
		r.Fingerprints = map[string]string{"test/v1": shadow.Printable(s.Name + "/" + f.TestName)}
		run.Results = append(run.Results, r)
	}
	return run
}

func sarifLocationOf(s *Subject, f *shadow.Failure) (l sarifLocation) {
	l.Physical.Artifact.URI = (&url.URL{Path: shadow.Printable(s.Name)}).EscapedPath()
	if s.Swarm != nil {
		l.Physical.Artifact.URI += ".md"
	}
	if n := lineOf(s, f); n > 0 {
		l.Physical.Region = &sarifRegion{n}
	}
	l.Logical = []sarifLogical{{shadow.Printable(f.TestName)}}
	return l
}

var linePrefix = regexp.MustCompile(`^line ([0-9]{1,9})\b`)

// lineOf is the line of the bundle that a failure is about, from 1; 0 where none
// is known.
func lineOf(s *Subject, f *shadow.Failure) int {
	if s.Swarm == nil {
		return 0
	}
	if m := linePrefix.FindStringSubmatch(f.Actual); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	for i := range s.Swarm.Items {
		v := &s.Swarm.Items[i]
		for _, id := range v.Criteria {
			if id == f.TestName && v.Line > 0 && v.Verdict != "found" {
				return v.Line
			}
		}
	}
	return 0
}
