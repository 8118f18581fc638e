package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// maxCheckFile bounds a file in bytes that check reads whole: an event with
// the largest text, each of its letters escaped.
const maxCheckFile = 16 << 20

// input reads the files that the flags name.
func (cmd checkCmd) input(a *app) (check.Input, error) {
	var none check.Input
	b := &shadow.Bundle{Status: "success"}
	file := cmd.Text + cmd.Bundle // one of them is empty
	data, err := readUTF8(file, a.Stdin)
	if err != nil {
		return none, err
	}
	if cmd.Text != "" {
		b.Content = string(data)
	} else if b, err = bundleOf(data); err != nil {
		return none, fmt.Errorf("%s: %w", file, err)
	}
	if b.Content == "" {
		a.Warn(file + ": the text is empty")
	}
	material, err := readObject(cmd.Material, a.Stdin)
	if err != nil {
		return none, err
	}
	entry, err := readObject(cmd.Domain, a.Stdin)
	if err != nil {
		return none, err
	}
	domain, err := domainOf(entry)
	if err != nil {
		return none, fmt.Errorf("%s: %w", cmd.Domain, err)
	}
	return shadow.CheckInput(b, domain, material), nil
}

// readUTF8 reads a file whole, without the byte order mark that some editors
// put before it.
func readUTF8(file string, stdin io.Reader) ([]byte, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	data, err := io.ReadAll(io.LimitReader(r, maxCheckFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxCheckFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", file, maxCheckFile)
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("%s:%d: not valid UTF-8 at byte %d of the file: convert it to UTF-8", file, 1+bytes.Count(data[:at], []byte("\n")), at)
	}
	return bytes.TrimPrefix(data, byteOrderMark), nil
}

var byteOrderMark = []byte("\ufeff")

// invalidUTF8 is the place of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// readObject reads an object in JSON or YAML. Its numbers are what an
// envelope makes of them, since that is where checks get their material from.
func readObject(file string, stdin io.Reader) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	data, err := readUTF8(file, stdin)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if !json.Valid(data) {
		if err := yaml.Unmarshal(data, &object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if data, err = json.Marshal(object); err != nil {
			return nil, fmt.Errorf("%s: not what JSON can hold: %w", file, err)
		}
		object = nil
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", file, explainJSON(data, err))
	}
	if object == nil {
		return nil, fmt.Errorf("%s: empty: want an object", file)
	}
	return object, nil
}

// domainOf reads a decomposition's entry.
func domainOf(object map[string]any) (*shadow.Domain, error) {
	if object == nil {
		return nil, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var d shadow.Domain
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, explainJSON(data, err)
	}
	return &d, nil
}

// bundleOf finds the bundle in JSON: the bundle itself, the data of an event,
// the event, or the line of a replay file.
func bundleOf(data []byte) (*shadow.Bundle, error) {
	return unwrap(data, 3) // the line of a fix: line, event, fix
}

// unwrap takes at most so many objects from around a bundle.
func unwrap(data []byte, wrapped int) (*shadow.Bundle, error) {
	var shape struct {
		Event       json.RawMessage `json:"event"`
		SpecVersion *string         `json:"specversion"`
		Bundle      json.RawMessage `json:"bundle"`
		Content     *string         `json:"content"`
	}
	if err := json.Unmarshal(data, &shape); err != nil {
		return nil, explainJSON(data, err)
	}
	switch {
	case shape.Content != nil: // a bundle, whatever fields of its own it has
	case shape.Event != nil && wrapped > 0:
		return unwrap(shape.Event, wrapped-1)
	case shape.SpecVersion != nil && wrapped > 0:
		ev, err := bus.Decode(nil, data)
		if err != nil {
			return nil, err
		}
		if t := ev.Type(); t != shadow.Type(shadow.BundleComplete) && t != shadow.Type(shadow.FixSubmitted) {
			return nil, fmt.Errorf("an event of type %.80q carries no bundle: want %s or %s", t, shadow.BundleComplete, shadow.FixSubmitted)
		}
		return unwrap(ev.Data(), wrapped-1)
	case shape.Bundle != nil && wrapped > 0:
		return unwrap(shape.Bundle, wrapped-1)
	default:
		return nil, errors.New("no bundle: it has no content, and is neither an event nor a line of a replay file")
	}
	var b shadow.Bundle
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, explainJSON(data, err)
	}
	return &b, nil
}

// explainJSON says in a user's words why data could not be decoded.
func explainJSON(data []byte, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		if kind.Field == "" {
			return fmt.Errorf("want an object, not %s %s", article(kind.Value), kind.Value)
		}
		return fmt.Errorf("%s: want %s, not %s %s", kind.Field, jsonKind(kind), article(kind.Value), kind.Value)
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

// jsonKind is what JSON calls the type that was wanted.
func jsonKind(e *json.UnmarshalTypeError) string {
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

func article(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiou") {
		return "an"
	}
	return "a"
}
