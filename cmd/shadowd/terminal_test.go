package main

import (
	"strings"
	"testing"
)

// wantLines reports the lines that are not in a text.
func wantLines(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
}
