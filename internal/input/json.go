package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Strict decodes a line of JSON that is one object, with known fields only.
func Strict(line []byte, into any) error {
	return decode(line, into, jsonv2.RejectUnknownMembers(true))
}

// decode decodes JSON, and says in a user's words why it cannot. The case of names
// does not matter.
func decode(data []byte, into any, more ...jsonv2.Options) error {
	err := jsonv2.Unmarshal(data, into, append(more, jsonv2.MatchCaseInsensitiveNames(true))...)
	wrong, semantic := errors.AsType[*jsonv2.SemanticError](err)
	syntax, syntactic := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case semantic && errors.Is(err, jsonv2.ErrUnknownName):
		return fmt.Errorf("unknown field %q", wrong.JSONPointer.LastToken())
	case semantic:
		at := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
		if at != "" {
			at += ": "
		}
		return fmt.Errorf("%swant %s, not %s", at, wanted(wrong.GoType), kinds[wrong.JSONKind])
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("empty: want a JSON object")
	case syntactic && syntax.JSONPointer == "" && jsontext.Value(data[:syntax.ByteOffset]).IsValid():
		return errors.New("more than one JSON value: give one, such as one line of a replay file")
	case err != nil:
		return fmt.Errorf("not JSON at %w", strict.SyntaxError(err))
	}
	return nil
}

var kinds = map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "an array"}

// wanted is what JSON calls the type that was wanted.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// Domain reads a decomposition's entry of a domain, in JSON or YAML; nil if file is
// empty.
func Domain(file string, stdin io.Reader) (*shadow.Domain, error) {
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
	var d *shadow.Domain
	if err := decode(data, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", Name(file), err)
	}
	if d == nil {
		return nil, fmt.Errorf("%s: empty: want an object", Name(file))
	}
	return d, nil
}
