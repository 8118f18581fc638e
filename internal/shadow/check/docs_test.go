package check

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDocs: docs/checks.md has the table of instructions, each function has a row
// whose example gives what it says, and the other examples compile.
func TestDocs(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	page, n := string(raw), 0
	prose := strings.NewReplacer("*", `\*`, "_", `\_`)
	for _, g := range instructions {
		for _, row := range g.rows {
			n++
			if line := fmt.Sprintf("\n| %s | `%s` |\n", prose.Replace(row.asked), row.expr); !strings.Contains(page, line) {
				t.Errorf("the page lacks %s", line)
			}
		}
	}
	if begin, end := strings.Index(page, "<!-- instructions -->"), strings.Index(page, "<!-- /instructions -->"); strings.Count(page[begin:end], "` |\n") != n {
		t.Errorf("the page has other rows than %d instructions", n)
	}
	examples := regexp.MustCompile("(?ms)^```cel\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	if len(examples) < 5 {
		t.Errorf("%d blocks of examples found", len(examples))
	}
	for _, block := range examples {
		for _, expr := range strings.Split(strings.TrimSpace(block[1]), "\n\n") {
			expr = regexp.MustCompile(`(?m) *// .*$`).ReplaceAllString(expr, "")
			if _, err := Compile(expr); err != nil {
				t.Errorf("%s\n%v", expr, err)
			}
		}
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)\\((.*)\\) -> .*?` \\| .+ \\| (`.+`) \\| (`.+`) \\| (`.+`) \\|$").FindAllStringSubmatch(page, -1)
	if len(rows) != len(functions) {
		t.Errorf("%d rows of functions, want %d", len(rows), len(functions))
	}
	code := func(cell string) string {
		return strings.ReplaceAll(strings.TrimSpace(strings.Trim(cell, "`")), `\|`, "|")
	}
	for _, row := range rows {
		f, example := functions[row[1]], code(row[3])
		if f == nil || len(f.args)-1 != len(strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' })) || !strings.Contains(example, row[1]+"(") {
			t.Errorf("no function %s(%s), or its example is of another", row[1], row[2])
			continue
		}
		text, err := strconv.Unquote(code(row[4]))
		if err != nil {
			t.Errorf("%s: %s: %v", row[1], row[4], err)
		}
		r, err := mustCompile(t, fmt.Sprintf("(%s) == %s", example, code(row[5]))).Eval(Input{Text: Analyse(text)})
		if err != nil || !r.Passed {
			t.Errorf("%s on %q does not give %s: %v", example, text, code(row[5]), err)
		}
	}
	for what, limit := range map[string]string{"MaxExpr": grouped(MaxExpr>>10) + " KiB", "MaxText": grouped(MaxText>>20) + " MiB",
		"maxPatterns": grouped(maxPatterns), "maxWords": grouped(maxWords), "MaxCost": grouped(MaxCost), "maxMatches": grouped(maxMatches), "maxAnew": grouped(maxAnew>>20) + " MiB",
		"maxMatching": grouped(maxMatching) + " steps"} {
		if !strings.Contains(page, "| "+limit) {
			t.Errorf("the limits do not name %s, %s", what, limit)
		}
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
