package cloudevent

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/cloudevents/sdk-go/v2/event"
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
	if len(body) == 0 {
		return nil, errors.New("the message is empty")
	}
	if err := checkSyntax(body); err != nil {
		return nil, fmt.Errorf("the message is not JSON: %w", err)
	}
	rest := skipSpace(body)
	if rest[0] != '{' {
		return nil, errors.New("the message is JSON, but not an object")
	}
	members := map[string]json.RawMessage{}
	for rest = skipSpace(rest[1:]); rest[0] != '}'; {
		var quoted, value []byte
		quoted, rest = cutValue(rest)
		var name string
		if err := json.Unmarshal(quoted, &name); err != nil {
			return nil, fmt.Errorf("the name of a member: %w", err)
		}
		value, rest = cutValue(skipSpace(rest)[1:]) // behind the colon
		if _, ok := members[name]; ok {
			return nil, fmt.Errorf("%s is there twice", member(name))
		}
		if len(members) == MaxAttributes {
			return nil, fmt.Errorf("more than %d members", MaxAttributes)
		}
		members[name] = value
		if rest = skipSpace(rest); rest[0] == ',' {
			rest = skipSpace(rest[1:])
		}
	}
	return members, nil
}

func skipSpace(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// cutValue cuts the first value off b, which is the inside of valid JSON: with
// the syntax checked, strings and brackets tell where a value ends. The
// standard decoder would do, but it takes four times as long and copies the
// data.
func cutValue(b []byte) (value, rest []byte) {
	b = skipSpace(b)
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			// A number or a word ends where something else begins.
			if depth == 0 && !bytes.ContainsAny(b[i+1:i+2], ",}] \t\r\n") {
				continue
			}
		}
		if depth == 0 {
			return b[:i+1], b[i+1:]
		}
	}
}

// checkSyntax says where data stop being JSON.
func checkSyntax(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	var v json.RawMessage
	err := json.Unmarshal(data, &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
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
	case nil, string, bool:
		return v, nil
	case float64:
		if n, ok := int32Of(v); ok {
			return n, nil
		}
		return nil, fmt.Errorf("%s is not an integer of 32 bits", raw[:min(len(raw), 60)])
	}
	return nil, errors.New("an attribute is a string, a boolean or an integer")
}

// dataOf finds the data, which must be JSON whichever way they are carried.
func dataOf(members map[string]json.RawMessage) ([]byte, error) {
	data, plain := members["data"]
	encoded, inBase64 := members["data_base64"]
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
	case len(data) == 0:
		return errors.New("the data are missing")
	case !utf8.Valid(data):
		return errors.New("the data are not valid UTF-8")
	}
	if err := checkSyntax(data); err != nil {
		return fmt.Errorf("the data are not JSON: %w", err)
	}
	return nil
}
