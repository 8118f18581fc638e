package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/arithmetic"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// limited tells whether the phrases or words of a call are too many or too long.
func limited(phrases ...string) error {
	if len(phrases) > MaxPhrases {
		return fmt.Errorf("%w: %d phrases, at most %d are accepted in one call", ErrLimit, len(phrases), MaxPhrases)
	}
	for _, p := range phrases {
		if len(p) > MaxPhrase {
			return fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, len(p), MaxPhrase)
		}
	}
	return nil
}

// read tells what a text says of phrases.
func (c *call) read(phrases ...string) ([]reading.Reading, error) {
	if slices.ContainsFunc(phrases, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		return nil, errors.New("a phrase is empty")
	}
	if err := limited(phrases...); err != nil {
		return nil, err
	}
	return c.analysis().reader().Read(reading.Prepare(phrases)), nil
}

func reads(c *call) (any, error) {
	r, err := c.read(c.args[0])
	if err != nil {
		return nil, err
	}
	return string(r[0].Verdict), nil
}

func missing(c *call) (any, error) {
	readings, err := c.read(c.list...)
	out := []string{}
	for i, r := range readings {
		if r.Verdict == reading.Missing || r.Verdict == reading.Declined {
			out = append(out, c.list[i]+": "+r.Why)
		}
	}
	return out, err
}

func mentions(c *call) (any, error) {
	if err := limited(c.list...); err != nil {
		return nil, err
	}
	return c.analysis().Doc.Mentions(c.list...), nil
}

// errNoQuantity is the error of a phrase that states looks in vain for.
func errNoQuantity(phrase string) error {
	return fmt.Errorf("%q has no quantity that states can look for: ask has_quantity first", clip.Line(phrase, maxSide))
}

func states(c *call) (any, error) {
	phrase := c.args[0]
	if err := limited(phrase); err != nil {
		return nil, err
	}
	stated, asked := c.analysis().figures().States(phrase)
	if !asked {
		return nil, errNoQuantity(phrase)
	}
	return stated, nil
}

func messages(findings []arithmetic.Finding) []string {
	return each(findings, func(f arithmetic.Finding) string { return f.Message() })
}
