package audit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/audit.md lists each code in the words of this package.
func TestCodes(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(Codes) < 30 {
		t.Errorf("only %d codes", len(Codes))
	}
	for code, c := range Codes {
		if row := fmt.Sprintf("| `%s` | %s |", code, c.Says); !strings.Contains(string(doc), row) {
			t.Errorf("docs/audit.md lacks\n%s", row)
		}
	}
	if rows := strings.Count(string(doc), "\n| `"); rows != len(Codes) {
		t.Errorf("docs/audit.md has %d rows for %d codes", rows, len(Codes))
	}
}

func TestSome(t *testing.T) {
	ids := strings.Split("a b c d e f g h i j k l", " ")
	if got := some(ids[:10]); got != "a, b, c, d, e, f, g, h, i, j" {
		t.Error(got)
	}
	if got := some(ids); got != "a, b, c, d, e, f, g, h, i, j and 2 more" {
		t.Error(got)
	}
}
