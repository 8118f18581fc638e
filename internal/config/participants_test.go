package config

import (
	"strings"
	"testing"
)

func TestAuthorsPrinted(t *testing.T) {
	text, err := YAML(&Config{Seal: Seal{Authors: []Participant{{Model: "rules"}, {File: "a.yml"}}}})
	if err != nil || !strings.Contains(string(text), "authors:\n    - rules\n    - file: a.yml\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
