package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds on a reply's text that is searched for JSON.
const (
	maxText    = 1 << 20
	maxObjects = 100
)

// objects are the JSON objects that stand in a reply side by side. Servers
// that cannot be told the form of a reply let models put words around them.
func objects(text string) []json.RawMessage {
	text = thought(text)
	if len(text) > maxText {
		return nil
	}
	var found []json.RawMessage
	for range maxObjects {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return found
		}
		text = text[at:]
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(text))
		if d.Decode(&raw) != nil {
			text = text[1:]
			continue
		}
		found = append(found, raw)
		text = text[d.InputOffset():]
	}
	return found
}

// thought takes out what a model thought aloud before its reply. Drafts of
// the reply may stand there. The chat templates of some models open the thought
// themselves, so that only its end is in the reply.
func thought(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return text
	}
	if _, after, ok := strings.Cut(text, "</think>"); ok {
		return after
	}
	if strings.HasPrefix(text, "<think>") {
		return ""
	}
	return text
}

// verdict is what a judge says to one question.
type verdict struct{ evidence, reasoning, defect, verdict string }

// answer is a verdict, or why there is none.
type answer struct {
	verdict
	err error
}

var errForm = errors.New("the reply is not of the asked form")

// answersIn reads the reply to n questions. What is wrong with the whole is
// wrong with each answer. Errors quote nothing of the reply.
func answersIn(text string, n int) []answer {
	raw, err := onlyObject(text)
	if err == nil && n > 1 {
		var all []answer
		if all, err = numbered(raw, n); err == nil {
			return all
		}
	}
	one := answer{err: err}
	if err == nil {
		one.verdict, one.err = parseVerdict(raw)
	}
	return slices.Repeat([]answer{one}, n)
}

// onlyObject is the one JSON object of a reply.
func onlyObject(text string) (json.RawMessage, error) {
	switch all := objects(text); len(all) {
	case 0:
		return nil, fmt.Errorf("%w: there is no JSON object in it", errForm)
	case 1:
		return all[0], nil
	default:
		return nil, fmt.Errorf("%w: there are %d JSON objects in it", errForm, len(all))
	}
}

// numbered reads answers with numbers, from 1 to n. A question that is answered
// twice has no answer, since nobody knows which one holds. An answer without
// a number that was asked counts for nothing.
func numbered(raw json.RawMessage, n int) ([]answer, error) {
	whole, err := members(raw, "answers")
	if err != nil {
		return nil, err
	}
	var answers []json.RawMessage
	if json.Unmarshal(whole["answers"], &answers) != nil {
		return nil, fmt.Errorf("%w: answers is no list", errForm)
	}
	out := slices.Repeat([]answer{{err: errors.New("the reply does not answer this question")}}, n)
	seen := map[int]bool{}
	for _, raw := range answers {
		fields, err := members(raw, append([]string{"question"}, verdictFields...)...)
		if err != nil {
			continue
		}
		// Some models write numbers as strings.
		at, err := strconv.Atoi(strings.Trim(string(fields["question"]), `"`))
		if at--; err != nil || at < 0 || at >= n {
			continue
		}
		if out[at].verdict, out[at].err = verdictOf(fields); seen[at] {
			out[at] = answer{err: errors.New("the reply answers this question twice")}
		}
		seen[at] = true
	}
	return out, nil
}

var verdictFields = []string{"evidence", "reasoning", "defect", "verdict"}

// parseVerdict reads what a judge says to one question. Whatever is missing,
// unknown, said twice or contradicts itself makes it an error, which quotes
// nothing of it.
func parseVerdict(raw json.RawMessage) (verdict, error) {
	fields, err := members(raw, verdictFields...)
	if err != nil {
		return verdict{}, err
	}
	return verdictOf(fields)
}

func verdictOf(fields map[string]json.RawMessage) (verdict, error) {
	var v verdict
	for i, to := range []*string{&v.evidence, &v.reasoning, &v.defect, &v.verdict} {
		// A null would pass for an empty string.
		if raw := fields[verdictFields[i]]; raw[0] != '"' || json.Unmarshal(raw, to) != nil {
			return v, fmt.Errorf("%w: %s is no string", errForm, verdictFields[i])
		}
	}
	switch strings.Trim(strings.ToLower(v.defect), " .\n\t") {
	case "", "none", "n/a", "-", "no defect", "null":
		v.defect = ""
	}
	switch {
	case v.verdict == "not_applicable":
		return v, nil // whatever it calls the defect is none
	case v.verdict != "passed" && v.verdict != "failed":
		return v, fmt.Errorf("%w: the verdict is none of those asked for", errForm)
	case v.verdict == "passed" && v.defect != "":
		return v, errors.New("the reply contradicts itself: passed, with a defect")
	case v.verdict == "failed" && v.defect == "":
		return v, errors.New("the reply contradicts itself: failed, without a defect")
	}
	return v, nil
}

// members reads an object that has exactly the named fields, once each.
func members(raw json.RawMessage, names ...string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: it is no JSON object", errForm)
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: it is no valid JSON", errForm)
		}
		name, _ := t.(string)
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%w: it has a field that was not asked for", errForm)
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%w: %s is there twice", errForm, name)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: it is no valid JSON", errForm)
		}
		fields[name] = value
	}
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			return nil, fmt.Errorf("%w: %s is missing", errForm, name)
		}
	}
	return fields, nil
}
