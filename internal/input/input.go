// Package input reads what users hand to commands, and in it events, bundles, decompositions and attestations. Its errors
// name the file and the line, and say in a user's words what is wrong.
package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Name is what a file is called in messages.
func Name(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// UTF8 reads r as UTF-8, without a byte order mark. UTF-16 is known by its own mark: Windows PowerShell writes it.
func UTF8(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// Read reads a file of at most limit bytes, as [UTF8] does; "-" is standard input.
func Read(file string, stdin io.Reader, limit int64) ([]byte, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	data, err := io.ReadAll(io.LimitReader(UTF8(r), limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", Name(file), err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", Name(file), limit>>20)
	}
	return data, nil
}

// MaxText bounds a file of text: an event with the largest bundle, all escaped. MaxEvents bounds a file of events.
const (
	MaxText   = 16 << 20
	MaxEvents = 256 << 20
)

// Text reads a file of at most [MaxText] bytes of UTF-8.
func Text(file string, stdin io.Reader) ([]byte, error) {
	data, err := Read(file, stdin, MaxText)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not valid UTF-8: convert it to UTF-8", Name(file))
	}
	return data, nil
}

// lineAt is the number of the line that holds a byte.
func lineAt(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// Lines yields the lines of a text that are not blank, without the spaces around them, by their numbers.
func Lines(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		no := 0
		for line := range bytes.Lines(text) {
			no++
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(no, line) {
				return
			}
		}
	}
}

// values calls take with each JSON value of a file. The error names the line on which the value begins.
func values(file string, raw []byte, take func(json.RawMessage) error) error {
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		at := int(dec.InputOffset())
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(value)
		}
		if err != nil {
			at += len(raw[at:]) - len(bytes.TrimLeft(raw[at:], " \t\r\n"))
			return fmt.Errorf("%s:%d: %w", Name(file), lineAt(raw, at), err)
		}
	}
}

// Strict decodes a line of JSON that is one object, with known fields only.
func Strict(line []byte, into any) error {
	return decode(line, into, jsonv2.RejectUnknownMembers(true))
}

// decode decodes JSON, and says in a user's words why it cannot. The case of names does not matter.
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
		return fmt.Errorf("%swant %s, not %s", at, cmp.Or(wanted[wrong.GoType.Kind()], "a number"), kinds[wrong.JSONKind])
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("empty: want a JSON object")
	case syntactic && syntax.JSONPointer == "" && jsontext.Value(data[:syntax.ByteOffset]).IsValid():
		return errors.New("more than one JSON value: give one, such as one line of a replay file")
	case err != nil:
		return fmt.Errorf("not JSON at %w", strict.SyntaxError(err))
	}
	return nil
}

// What JSON calls the types that are wanted, and the values that are not.
var wanted = map[reflect.Kind]string{reflect.String: "a string", reflect.Slice: "a list", reflect.Struct: "an object", reflect.Map: "an object"}

var kinds = map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "an array"}
