// Package cases evaluates checks over texts and bundles, one case a line of
// JSON, and answers each with one line.
package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// testCase is a line of a file of cases.
type testCase struct {
	ID       json.RawMessage `json:"id"` // a string or a number, given back as it is
	Check    string          `json:"check"`
	Text     *string         `json:"text"`
	Bundle   json.RawMessage `json:"bundle"`
	Material map[string]any  `json:"material"`
	Domain   map[string]any  `json:"domain"`
}

// Answer is the line that answers a case.
type Answer struct {
	ID      json.RawMessage `json:"id"`      // null where the case's own cannot be read
	Verdict string          `json:"verdict"` // passed, failed or error
	Actual  []string        `json:"actual"`  // what is wrong, as the check words it
	Error   string          `json:"error"`   // why there is no verdict; begins with the line
}

// ErrRead marks an error of the input.
var ErrRead = errors.New("the cases cannot be read")

// Run evaluates the lines of r that are not blank, in their order, and writes
// an answer for each with encode. It counts the cases, and those that have no
// verdict. flush is called when the next line is not there yet, since somebody
// may be waiting for the answers. Its error is ErrRead, or one of encode, flush
// or ctx.
func Run(ctx context.Context, r io.Reader, encode func(any) error, flush func() error) (total, bad int, err error) {
	var e evaluator
	br := bufio.NewReaderSize(input.UTF8(r), 64<<10)
	for no := 1; ; no++ {
		if br.Buffered() == 0 {
			if err := flush(); err != nil {
				return total, bad, err
			}
		}
		line, readErr := br.ReadBytes('\n')
		if err := ctx.Err(); err != nil {
			return total, bad, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			a := e.answer(no, line)
			if total++; a.Verdict == "error" {
				bad++
			}
			if err := encode(a); err != nil {
				return total, bad, err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return total, bad, flush()
		case readErr != nil:
			return total, bad, fmt.Errorf("%w: %w", ErrRead, readErr)
		}
	}
}

// evaluator remembers the last check: files of cases try many texts on one.
type evaluator struct {
	expr    string
	program *check.Check
	err     error
}

// answer evaluates the case of a line.
func (e *evaluator) answer(no int, line []byte) Answer {
	var c testCase
	err := fmt.Errorf("longer than %d bytes", input.MaxText)
	if len(line) <= input.MaxText {
		c, err = decode(line)
	}
	a := Answer{ID: c.ID, Actual: []string{}}
	var r check.Result
	if err == nil {
		r, err = e.evaluate(c)
	}
	switch {
	case err != nil:
		a.Verdict, a.Error = "error", fmt.Sprintf("line %d: %v", no, err)
	case r.Passed:
		a.Verdict = "passed"
	default:
		a.Verdict = "failed"
		a.Actual = append(a.Actual, r.Problems...)
	}
	return a
}

// decode reads a case. With an error it still gives the id, if there is one to
// be found.
func decode(line []byte) (c testCase, err error) {
	var found struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(line, nil))).Decode(&found) // Strict says what is wrong
	err = input.Strict(line, &c)
	hasBundle := len(c.Bundle) > 0 && string(c.Bundle) != "null"
	switch c.ID = found.ID; {
	case err != nil:
	case len(c.ID) == 0 || string(c.ID) == "null" || string(c.ID) == `""`:
		err = errors.New("id is missing")
	case !isID(c.ID):
		err = errors.New("id: want a string or a number")
	case c.Check == "":
		err = errors.New("check is missing")
	case c.Text != nil && hasBundle:
		err = errors.New("text and bundle are both there: give one of them")
	case c.Text == nil && !hasBundle:
		err = errors.New("text or bundle is missing")
	}
	if !isID(c.ID) || string(c.ID) == `""` {
		c.ID = nil
	}
	return c, err
}

func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// evaluate gives the verdict on a case.
func (e *evaluator) evaluate(c testCase) (check.Result, error) {
	if e.expr != c.Check {
		e.expr = c.Check
		e.program, e.err = check.Compile(c.Check)
	}
	if e.err != nil {
		return check.Result{}, fmt.Errorf("check: %w", e.err)
	}
	b := &shadow.Bundle{Status: "success"}
	var err error
	if c.Text != nil {
		b.Content = *c.Text
	} else if b, err = input.Bundle(c.Bundle); err != nil {
		return check.Result{}, fmt.Errorf("bundle: %w", err)
	}
	domain, err := input.Domain(c.Domain)
	if err != nil {
		return check.Result{}, fmt.Errorf("domain: %w", err)
	}
	return e.program.Eval(shadow.CheckInput(b, domain, c.Material))
}
