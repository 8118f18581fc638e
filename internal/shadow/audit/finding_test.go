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
