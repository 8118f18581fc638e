package render

import (
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// writeSARIF writes a document as SARIF 2.1.0: one run, since GitHub refuses a file
// with several of a tool, with a rule for each category and a result for each test
// that was not passed. Viewers make an alert of every result, so what is unread or
// does not apply, and counts as passed, stands in the properties of the run, by
// report. A location is in the bundle, whose name its address is, with the line
// where one is known; of a test suite it is the file of results.
func writeSARIF(w io.Writer, d *Document) error {
	runs, rules, failures, reports := []object{}, []object{}, []object{}, []object{}
	for _, c := range allCategories() {
		rules = append(rules, object{"id": c, "shortDescription": object{"text": c.Says()}})
	}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		reports = append(reports, sarifReport(s))
		for k := range s.Score.Failures {
			failures = append(failures, sarifResult(s, k))
		}
	}
	if len(reports) > 0 { // a run without results would say that there are no failures
		driver := object{"name": "shadowd", "informationUri": "https://github.com/swarmspeed/shadowd", "rules": rules}
		runs = append(runs, object{"tool": object{"driver": driver}, "results": failures, "properties": object{"reports": reports}})
	}
	return WriteJSON(w, object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": runs})
}

// sarifReport is what a subject's results do not say.
func sarifReport(s *Subject) object {
	report := object{"name": shadow.Printable(s.Name), "shadowScore": s.Score.Report.ShadowScore, "level": s.Look().Word, "advisory": s.Advisory() != ""}
	for name, text := range map[string]string{"advisoryReason": s.Advisory(), "unread": s.UnreadText(), "notApplicable": s.NotApplicableText()} {
		if text != "" {
			report[name] = text
		}
	}
	if s.Swarm != nil {
		report["gate"], report["final"], report["itemsRead"] = s.GateText(), s.Swarm.Final, s.Read()
	}
	return report
}

// sarifResult is the i-th failure. Its fingerprint lets a viewer follow it from
// run to run.
func sarifResult(s *Subject, i int) object {
	f := &s.Score.Failures[i]
	kind, level := "fail", "warning"
	switch {
	case s.outcome(i) != results.Failed: // it could not be judged
		kind, level = "open", "none"
	case s.stopped():
		level = "error"
	}
	rule := slices.Index(allCategories(), f.Category)
	if rule < 0 {
		rule = len(allCategories()) - 1
	}
	name, text := shadow.Printable(f.TestName), shadow.Printable(f.TestName)
	if message := shadow.Printable(f.Message); message != "" {
		text += ": " + message
	}
	return object{"ruleId": allCategories()[rule], "ruleIndex": rule, "level": level, "kind": kind, "message": object{"text": text},
		"locations":           []object{{"physicalLocation": sarifPlace(s, f), "logicalLocations": []object{{"fullyQualifiedName": name}}}},
		"partialFingerprints": object{"test/v1": shadow.Printable(s.Name + "/" + f.TestName)}}
}

func sarifPlace(s *Subject, f *shadow.Failure) object {
	uri := (&url.URL{Path: shadow.Printable(s.Name)}).EscapedPath()
	if s.Swarm != nil {
		uri += ".md"
	}
	place := object{"artifactLocation": object{"uri": uri}}
	if n := lineOf(s, f); n > 0 {
		place["region"] = object{"startLine": n}
	}
	return place
}

var linePrefix = regexp.MustCompile(`^line ([0-9]{1,9})\b`)

// lineOf is the line of the bundle that a failure is about, from 1; 0 where none
// is known.
func lineOf(s *Subject, f *shadow.Failure) int {
	if m := linePrefix.FindStringSubmatch(f.Actual); m != nil && s.Swarm != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	for i := range s.swarm().Items {
		v := &s.Swarm.Items[i]
		if v.Line > 0 && v.Verdict != reading.Found && slices.Contains(v.Criteria, f.TestName) {
			return v.Line
		}
	}
	return 0
}
