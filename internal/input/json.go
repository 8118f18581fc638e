package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/strict"
	"gopkg.in/yaml.v3"
)

// Strict decodes a line of JSON that is one object, with known fields only.
func Strict(line []byte, into any) error {
	if at := strict.InvalidUTF8(line); at >= 0 {
		return fmt.Errorf("not valid UTF-8 at byte %d of the line", at)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	switch {
	case err == nil && dec.InputOffset() < int64(len(line)):
		return errors.New("more than one JSON value in the line")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: it ends too early")
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field"):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case err != nil:
		return explain(line, err)
	}
	return nil
}

// decode decodes JSON, and says in a user's words why it cannot.
func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return explain(data, err)
	}
	return nil
}

// Object reads an object in JSON or YAML; nil if file is empty. Its numbers are
// what an envelope makes of them, since that is where checks get their material
// from.
func Object(file string, stdin io.Reader) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	data, err := Text(file, stdin)
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		var value any
		if err := yaml.Unmarshal(data, &value); err != nil {
			return nil, fmt.Errorf("%s: %w", Name(file), err)
		}
		if data, err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("%s: not what JSON can hold, as keys that are text and finite numbers: %w", Name(file), err)
		}
	}
	var object map[string]any
	if err := decode(data, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", Name(file), err)
	}
	if object == nil {
		return nil, fmt.Errorf("%s: empty: want an object", Name(file))
	}
	return object, nil
}

// explain says in a user's words why data could not be decoded.
func explain(data []byte, err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		got := withArticle(kind.Value)
		if kind.Field == "" {
			return fmt.Errorf("want an object, not %s", got)
		}
		return fmt.Errorf("%s: want %s, not %s", kind.Field, wanted(kind), got)
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("empty: want a JSON object")
	}
	if json.Valid(bytes.TrimSpace(data[:max(syntax.Offset-1, 0)])) {
		return errors.New("more than one JSON value: give one bundle, say one line of a replay file")
	}
	return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
}

// wanted is what JSON calls the type that was wanted.
func wanted(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}
