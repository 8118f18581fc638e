package audit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every code that there is says what it means, and docs/audit.md lists each of
// them in the same words.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	consts := map[Code]bool{}
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if name, _ := v.Type.(*ast.Ident); name == nil || name.Name != "Code" {
				continue
			}
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil || consts[Code(s)] {
				t.Errorf("%s: %v, or it is there twice", s, err)
			}
			consts[Code(s)] = true
		}
	}
	if len(consts) < 30 || len(consts) != len(Codes) {
		t.Errorf("%d constants, %d in Codes", len(consts), len(Codes))
	}
	doc, err := os.ReadFile("../../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	for code := range consts {
		c, ok := Codes[code]
		if !ok || c.Severity != Error && c.Severity != Note {
			t.Errorf("%s: %+v", code, c)
		}
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
