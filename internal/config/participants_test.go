package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestAuthorsPrinted(t *testing.T) {
	text, err := YAML(&Config{Seal: Seal{Authors: []Participant{{Model: "openai:gpt"}, {File: "a.yml"}}}})
	if err != nil || !strings.Contains(string(text), "authors:\n    - openai:gpt\n    - file: a.yml\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestJudgesBounded: --judge names as many judges as judging.panel may.
func TestJudgesBounded(t *testing.T) {
	words := make([]string, maxNamed)
	for i := range words {
		words[i] = fmt.Sprintf("ollama:m%d", i)
	}
	c := Default()
	if _, err := c.Judges(words); err != nil {
		t.Error(err)
	}
	panel := `judging: {panel: ["` + strings.Join(words, `", "`) + `"]}`
	if _, err := Parse("c.yml", []byte(panel), nil); err != nil {
		t.Error(err)
	}
	if _, err := c.Judges(append(words, "ollama:more")); err == nil || err.Error() != "26 are named: at most 25 are allowed" {
		t.Error(err)
	}
}
