// Package input reads what users hand to commands: files and standard input,
// whole or line by line, and in them events, bundles, decompositions and
// attestations. Its errors name the file and the line, and say in a user's
// words what is wrong.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

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

// UTF8 reads what r holds as UTF-8, without the byte order mark that some editors
// put before a text. UTF-16 is known by its own mark: Windows PowerShell writes it.
func UTF8(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// Read reads a file whole, as [UTF8] does; "-" is standard input. It is an error
// if the file has more than limit bytes.
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

// MaxText bounds a file of text in bytes: an event with the largest bundle,
// each of its letters escaped. MaxEvents bounds a file of events.
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
	if at := strict.InvalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("%s:%d: not valid UTF-8 at byte %d of the file: convert it to UTF-8", Name(file), lineAt(data, at), at)
	}
	return data, nil
}

// lineAt is the number of the line that holds a byte.
func lineAt(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// Lines yields the lines of a text that are not blank, without the spaces
// around them, by their numbers.
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

// values calls take with each JSON value of a file. The error names the line on
// which the value begins.
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
