package cloudevent

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// decodeStructured reads an event in the JSON format: an object whose members
// are the attributes and the data.
func decodeStructured(body []byte) (event.Event, error) {
	members, err := readObject(body)
	if err != nil {
		return event.Event{}, err
	}
	// Said first, because data without an event around them have other
	// mistakes too, of which none would help their author.
	if _, ok := members["specversion"]; !ok {
		return newEvent(member, nil, nil)
	}
	attributes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "data" || name == "data_base64" {
			continue
		}
		v, err := attributeValue(members[name])
		if err != nil {
			return event.Event{}, fmt.Errorf("%s: %w", member(name), err)
		}
		if v != nil {
			attributes[name] = v
		}
	}
	data, err := dataOf(members)
	if err != nil {
		return event.Event{}, err
	}
	return newEvent(member, attributes, data)
}

func member(name string) string { return fmt.Sprintf("%.60q", name) }

// readObject splits a JSON object into its members and keeps the bytes of
// each as they are. It refuses two members of one name: programs differ in
// which of them they read.
func readObject(body []byte) (map[string]json.RawMessage, error) {
	d := newDecoder(body)
	switch d.PeekKind() {
	case '{', 0:
	default:
		if err := d.SkipValue(); err != nil {
			return nil, notJSON(err)
		}
		return nil, errors.New("the message is JSON, but not an object")
	}
	if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
		return nil, errors.New("the message is empty")
	} else if err != nil {
		return nil, notJSON(err)
	}
	members := map[string]json.RawMessage{}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, notJSON(err)
		}
		name := t.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, notJSON(err)
		}
		if _, ok := members[name]; ok {
			return nil, fmt.Errorf("%s is there twice", member(name))
		}
		if len(members) == MaxAttributes {
			return nil, fmt.Errorf("more than %d members", MaxAttributes)
		}
		end := d.InputOffset()
		members[name] = body[end-int64(len(value)) : end]
	}
	if _, err := d.ReadToken(); err != nil { // the bracket
		return nil, notJSON(err)
	}
	if err := strict.End(d); err != nil {
		return nil, notJSON(err)
	}
	return members, nil
}

func notJSON(err error) error {
	return fmt.Errorf("the message is not JSON: %w", strict.SyntaxError(err))
}

// newDecoder reads text that is UTF-8. What is in the data is looked at where they
// are held against their schema: names that are there twice, and escapes that
// make no character.
func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// checkSyntax says where data stop being JSON.
func checkSyntax(data []byte) error {
	d := newDecoder(data)
	if err := d.SkipValue(); err != nil {
		return strict.SyntaxError(err)
	}
	return strict.End(d)
}

// attributeValue is a string, a bool or an int32, or nil for null, which the
// JSON format reads as absent.
func attributeValue(raw json.RawMessage) (any, error) {
	if len(raw) > 6*MaxAttributeValue { // no character is written in more
		return nil, fmt.Errorf("too long: at most %d bytes", MaxAttributeValue)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, errors.New("the number is out of range")
	}
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		if _, err := jsontext.AppendUnquote(nil, raw); err != nil {
			return nil, errors.New("half a surrogate pair: write both halves, or the character itself")
		}
		return v, nil
	case float64:
		if n, ok := int32Of(v); ok {
			return n, nil
		}
		return nil, fmt.Errorf("%s is not an integer of 32 bits", raw[:min(len(raw), 60)])
	}
	return nil, errors.New("an attribute is a string, a boolean or an integer")
}

// dataOf finds the data, which must be JSON whichever way they are carried. A
// member that is null is as if it were not there.
func dataOf(members map[string]json.RawMessage) ([]byte, error) {
	there := func(name string) (json.RawMessage, bool) {
		raw, ok := members[name]
		return raw, ok && string(raw) != "null"
	}
	data, plain := there("data")
	encoded, inBase64 := there("data_base64")
	switch {
	case plain && inBase64:
		return nil, errors.New(`"data" and "data_base64" are both there`)
	case plain:
		return data, nil
	case !inBase64:
		return nil, errors.New(`"data" is missing`)
	}
	var s string
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, errors.New(`"data_base64": want a string`)
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf(`"data_base64": %w`, err)
	}
	if err := checkJSON(raw); err != nil {
		return nil, fmt.Errorf(`"data_base64": %w`, err)
	}
	return raw, nil
}

func checkJSON(data []byte) error {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("the data are missing")
	case !utf8.Valid(data):
		return errors.New("the data are not valid UTF-8")
	}
	if err := checkSyntax(data); err != nil {
		return fmt.Errorf("the data are not JSON: %w", err)
	}
	return nil
}
