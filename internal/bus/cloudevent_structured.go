package bus

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	attributes := map[string]any{}
	for _, name := range sortedKeys(members) {
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
	if _, ok := attributes["specversion"]; !ok {
		return newEvent(member, attributes, nil) // says so
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
	dec := json.NewDecoder(bytes.NewReader(body))
	switch t, err := dec.Token(); {
	case err == io.EOF:
		return nil, errors.New("the message is empty")
	case err != nil:
		return nil, fmt.Errorf("not JSON, and no ce-* headers: %w", err)
	case t != json.Delim('{'):
		return nil, errors.New("the message is JSON, but not an object")
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, syntax(dec, err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, syntax(dec, err)
		}
		if _, ok := members[name]; ok {
			return nil, fmt.Errorf("%s is there twice", member(name))
		}
		if len(members) == maxAttributes {
			return nil, fmt.Errorf("more than %d members", maxAttributes)
		}
		members[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, syntax(dec, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the event's JSON object, at byte %d", dec.InputOffset())
	}
	return members, nil
}

func syntax(dec *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: it ends too early")
	}
	return fmt.Errorf("not JSON, behind byte %d: %w", dec.InputOffset(), err)
}

// attributeValue is a string, a bool or an int32, or nil for null, which the
// JSON format reads as absent.
func attributeValue(raw json.RawMessage) (any, error) {
	if len(raw) > 6*maxAttributeValue { // no character is written in more
		return nil, fmt.Errorf("too long: at most %d bytes", maxAttributeValue)
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
	case !json.Valid(data):
		var v json.RawMessage
		return fmt.Errorf("the data are not JSON: %w", json.Unmarshal(data, &v))
	}
	return nil
}
