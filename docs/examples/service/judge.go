package main

import "strings"

// question is what a judge is asked: schemas/judge-request.json. It is about
// a criterion, or about an item of the assignment.
type question struct {
	Criterion *struct {
		Assertion string `json:"assertion"`
		Expected  string `json:"expected"`
	} `json:"criterion"`
	Item *struct {
		Text string `json:"text"`
	} `json:"item"`
	// Bundle is somebody's work, who may want to talk its judge round.
	Bundle struct {
		Content string `json:"content"`
	} `json:"bundle"`
}

// verdict is what a judge answers: schemas/judge-reply.json.
type verdict struct {
	Outcome string `json:"outcome"`
	Quote   string `json:"quote,omitempty"`
	Actual  string `json:"actual,omitempty"`
	Model   string `json:"model"`
}

const judgeModel = "example-words 1.0.0"

// judge is no wise one: a bundle passes if one of its lines has every longer
// word of what is asked for. Put your model or grader in its place.
func judge(q question) verdict {
	asked := ""
	switch {
	case q.Item != nil:
		asked = q.Item.Text
	case q.Criterion != nil:
		asked = q.Criterion.Expected
	}
	wanted := strings.FieldsFunc(strings.ToLower(asked), func(r rune) bool { return strings.ContainsRune(" .,:;()", r) })
	for line := range strings.Lines(q.Bundle.Content) {
		missing := 0
		for _, word := range wanted {
			if len(word) > 3 && !strings.Contains(strings.ToLower(line), word) {
				missing++
			}
		}
		if missing == 0 {
			// A pass is counted only if its quote stands in the bundle.
			return verdict{Outcome: "passed", Quote: strings.TrimSpace(line), Model: judgeModel}
		}
	}
	return verdict{Outcome: "failed", Actual: "no line says it in these words", Model: judgeModel}
}
