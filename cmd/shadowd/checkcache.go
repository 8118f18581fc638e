package main

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// caseEvaluator remembers what cases have in common: files of cases try many
// texts on a few checks, or many checks on a few texts. It may be used
// concurrently.
type caseEvaluator struct {
	checks *lru.Cache[string, compiledCheck]
	texts  *lru.Cache[string, *check.Text]
}

type compiledCheck struct {
	program *check.Check
	err     error
}

func newCaseEvaluator() *caseEvaluator {
	return &caseEvaluator{newCache[compiledCheck](1024), newCache[*check.Text](16)}
}

func newCache[V any](size int) *lru.Cache[string, V] {
	c, err := lru.New[string, V](size)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return c
}

func (e *caseEvaluator) compile(expr string) (*check.Check, error) {
	c, ok := e.checks.Get(expr)
	if !ok {
		c.program, c.err = check.Compile(expr)
		e.checks.Add(expr, c)
	}
	return c.program, c.err
}

// analyse gives nil for a text that is too long, so that it is refused before
// it costs anything.
func (e *caseEvaluator) analyse(text string) *check.Text {
	if len(text) > check.MaxText {
		return nil
	}
	t, ok := e.texts.Get(text)
	if !ok {
		t = check.Analyse(text)
		e.texts.Add(text, t)
	}
	return t
}
