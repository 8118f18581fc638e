package check

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update", false, "write the tables of docs/checks.md anew")

const docsFile = "../../../docs/checks.md"

// TestDocs: the table of instructions in docs/checks.md is that of the code, each
// function has a row whose example gives what it says, and the other examples
// compile.
func TestDocs(t *testing.T) {
	raw, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	want := withTable(t, page, "instructions", instructionTables())
	if want != page && *updateDocs {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != page {
		t.Errorf("the tables of %s are stale: go test ./internal/shadow/check -run TestDocs -update", docsFile)
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

// withTable puts a table between the markers of its name.
func withTable(t *testing.T, page, name, table string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	i, j := strings.Index(page, begin), strings.Index(page, end)
	if i < 0 || j < i {
		t.Fatalf("%s has no markers %s", docsFile, strings.TrimSpace(begin))
	}
	return page[:i+len(begin)] + table + page[j:]
}

func instructionTables() string {
	var b strings.Builder
	for _, g := range instructions {
		fmt.Fprintf(&b, "\n### %s\n\n| asked for | check |\n|---|---|\n", g.group)
		for _, row := range g.rows {
			fmt.Fprintf(&b, "| %s | %s |\n", textCell(row.asked), codeCell(row.expr))
		}
	}
	return b.String() + "\n"
}

// codeCell writes code for a table: within enough backticks, bars escaped.
func codeCell(code string) string {
	fence := "`"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	if len(fence) > 1 || strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return fence + strings.ReplaceAll(code, "|", `\|`) + fence
}

// textCell writes prose for a table.
func textCell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace(s)
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
