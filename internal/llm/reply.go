package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	for tries := 0; tries < maxObjects; tries++ {
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
// the reply may stand there.
func thought(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<think>") {
		if _, after, ok := strings.Cut(text, "</think>"); ok {
			return after
		}
		return ""
	}
	return text
}

// verdict is a judge's reply.
type verdict struct{ evidence, reasoning, defect, verdict string }

var errForm = errors.New("the reply is not of the asked form")

// parseVerdict reads a judge's reply. Whatever is missing, unknown, said twice
// or contradicts itself makes it an error, which quotes nothing of it.
func parseVerdict(text string) (verdict, error) {
	var v verdict
	all := objects(text)
	switch {
	case len(all) == 0:
		return v, fmt.Errorf("%w: there is no JSON object in it", errForm)
	case len(all) > 1:
		return v, fmt.Errorf("%w: there are %d JSON objects in it", errForm, len(all))
	}
	fields, err := flat(all[0], "evidence", "reasoning", "defect", "verdict")
	if err != nil {
		return v, err
	}
	v = verdict{fields["evidence"], fields["reasoning"], fields["defect"], fields["verdict"]}
	switch strings.Trim(strings.ToLower(v.defect), " .\n\t") {
	case "", "none", "n/a", "-", "no defect", "null":
		v.defect = ""
	}
	switch {
	case v.verdict != "passed" && v.verdict != "failed":
		return v, fmt.Errorf("%w: the verdict is neither passed nor failed", errForm)
	case v.verdict == "passed" && v.defect != "":
		return v, errors.New("the reply contradicts itself: passed, with a defect")
	case v.verdict == "failed" && v.defect == "":
		return v, errors.New("the reply contradicts itself: failed, without a defect")
	}
	return v, nil
}

// flat reads an object that has exactly the named fields, once each, all of
// them strings.
func flat(raw json.RawMessage, names ...string) (map[string]string, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: it is no JSON object", errForm)
	}
	fields := map[string]string{}
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
		if t, err = d.Token(); err != nil {
			return nil, fmt.Errorf("%w: it is no valid JSON", errForm)
		}
		value, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%w: %s is no string", errForm, name)
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
