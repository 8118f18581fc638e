package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

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

// caseResult is the line that answers a case. The id is null where the case's
// own cannot be read.
type caseResult struct {
	ID      json.RawMessage `json:"id"`
	Verdict string          `json:"verdict"` // passed, failed or error
	Actual  []string        `json:"actual"`  // what is wrong, as the check words it
	Error   string          `json:"error"`   // why there is no verdict; begins with the line
}

// answer evaluates the case of a line.
func (e *caseEvaluator) answer(l *caseLine) caseResult {
	c, err := decodeCase(l)
	out := caseResult{ID: c.ID, Actual: []string{}}
	var r check.Result
	if err == nil {
		r, err = e.evaluate(c)
	}
	switch {
	case err != nil:
		out.Verdict, out.Error = "error", fmt.Sprintf("line %d: %v", l.no, err)
	case r.Passed:
		out.Verdict = "passed"
	default:
		out.Verdict = "failed"
		out.Actual = append(out.Actual, r.Problems...)
	}
	return out
}

// decodeCase reads a case. With an error it still gives the id, if there is
// one to be found.
func decodeCase(l *caseLine) (c testCase, err error) {
	if l.long {
		return c, fmt.Errorf("longer than %d bytes", maxLine)
	}
	if err = strictly(l.data, &c); err != nil {
		// What was decoded up to the mistake may lack the id behind it.
		var found struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(l.data, nil))).Decode(&found) // err says it already
		if c.ID = found.ID; !isID(c.ID) {
			c.ID = nil
		}
		return c, err
	}
	switch {
	case len(c.ID) == 0 || string(c.ID) == "null" || string(c.ID) == `""`:
		c.ID, err = nil, errors.New("id is missing")
	case !isID(c.ID):
		c.ID, err = nil, errors.New("id: want a string or a number")
	case c.Check == "":
		err = errors.New("check is missing")
	case c.Text != nil && isSet(c.Bundle):
		err = errors.New("text and bundle are both there: give one of them")
	case c.Text == nil && !isSet(c.Bundle):
		err = errors.New("text or bundle is missing")
	}
	return c, err
}

// strictly decodes JSON that is one object, with known fields only.
func strictly(line []byte, into any) error {
	if at := invalidUTF8(line); at >= 0 {
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
		return explainJSON(line, err)
	}
	return nil
}

func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// evaluate gives the verdict on a case.
func (e *caseEvaluator) evaluate(c testCase) (check.Result, error) {
	program, err := e.compile(c.Check)
	if err != nil {
		return check.Result{}, fmt.Errorf("check: %w", err)
	}
	b := &shadow.Bundle{Status: "success"}
	if c.Text != nil {
		b.Content = *c.Text
	} else if b, err = bundleOf(c.Bundle); err != nil {
		return check.Result{}, fmt.Errorf("bundle: %w", err)
	}
	domain, err := domainOf(c.Domain)
	if err != nil {
		return check.Result{}, fmt.Errorf("domain: %w", err)
	}
	in := shadow.CheckInput(b, domain, c.Material)
	in.Text = e.analyse(b.Content)
	return program.Eval(in)
}
