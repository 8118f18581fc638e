package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outline writes a text as one line for each line: kind, source line and what it
// says.
func outline(t *Doc) string {
	var b strings.Builder
	for _, l := range t.Lines {
		fmt.Fprintf(&b, "%s %d %q\n", [...]string{"heading", "sentence", "item", "row", "code"}[l.Kind], l.No, l.Text)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"hard breaks", "**A:** 1  \nB: 2\\\nC: 3<br>\nD", `
sentence 1 "A: 1"
sentence 2 "B: 2"
sentence 3 "C: 3"
sentence 4 "D"
`},
		{"headings", "# A #\n## B\ntext\n\nC\n===\nD\n---\n**E:**\n\nnot # a heading\n#nor this", `
heading 1 "A"
heading 2 "B"
sentence 3 "text"
heading 5 "C"
heading 7 "D"
heading 9 "E"
sentence 11 "not # a heading #nor this"
`},
		{"lists", "Steps:\n1. First\n   - nested *a*\n   more of it. And more\n2. Second\n\n   its paragraph\n\nAfter", `
sentence 1 "Steps:"
item 2 "First"
item 3 "nested a more of it."
item 4 "And more"
item 5 "Second"
item 7 "its paragraph"
sentence 9 "After"
`},
		{"table", "Costs:\n\n| a | `b` |\n|:--|--:|\n| 1 | x \\| y |\n| 2\n\n|no|table|", `
sentence 1 "Costs:"
row 3 "a | b"
row 5 "1 | x | y"
row 6 "2"
sentence 8 "|no|table|"
`},
		{"code", "Run:\n```sh\na\nb\n\nc\nd\ne\n```\n\n    indented\n", `
sentence 1 "Run:"
code 3 "a\nb\n\nc\nd\ne"
code 11 "indented"
`},
	} {
		if got := outline(Parse(c.text)); got != c.want[1:] {
			t.Errorf("%s: got\n%swant%s", c.name, got, c.want)
		}
	}
}

func TestStructures(t *testing.T) {
	x := Parse("3 items:\n\n- [x] a\n- [ ] b\n  * deep\n- c\n\n1) one\n7) seven\n\n# T\n\n| Item | Sum |\n|---|---|\n| **Total** | 5 |\n\n```Go title=x\nx\n```\n\n[site](<https://a.b/c> \"t\")\n")
	var items []string
	for _, l := range x.Lines {
		if l.Kind == Item {
			items = append(items, fmt.Sprintf("%d %c %d %s", l.No, l.Mark, l.Level, l.Text))
		}
	}
	if want := []string{"3 - 0 a", "4 - 0 b", "5 * 1 deep", "6 - 0 c", "8 ) 0 one", "9 ) 0 seven"}; !slices.Equal(items, want) {
		t.Errorf("items: %q, want %q", items, want)
	}
	if tab := x.Tables[0]; x.Lines[tab.Line].No != 13 || tab.RowNos[0] != 15 || tab.Rows[0][0] != "Total" || x.Lines[tab.Line].Text != "Item | Sum" {
		t.Errorf("table: %+v", tab)
	}
	if c := x.Code[0]; c.Lang != "go" || c.Body != "x" {
		t.Errorf("code: %+v", c)
	}
	if k := x.Links[0]; k.Text != "site" || k.URL != "https://a.b/c" {
		t.Errorf("link: %+v", k)
	}
}

// TestSpans: what is struck through or inline code is marked in its line.
func TestSpans(t *testing.T) {
	x := Parse("- [ ] ~~Write `the` guide~~ later\n\nIt is ~~one. And two~~ here. `Code` ends.")
	for i, want := range []string{"true the", "true ", "true ", "true Code"} {
		l := x.Lines[i]
		code := ""
		for _, s := range l.InlineCode {
			code += l.Text[s.From:s.To]
		}
		if got := fmt.Sprint(l.Struck, " ", code); got != want {
			t.Errorf("line %d, %q: %q, want %q", i, l.Text, got, want)
		}
	}
}

// validate checks what every analysis holds, for tests that make up texts.
func validate(t *testing.T, x *Doc) {
	t.Helper()
	lines := strings.Count(x.Source, "\n") + 1
	for i, l := range x.Lines {
		if l.Mark != 0 && l.Kind != Item || l.Kind == Item && x.Lines[l.Item].Mark == 0 {
			t.Fatalf("item %d of %q: %+v", i, x.Source, l)
		}
		if l.No < 1 || l.No > lines {
			t.Fatalf("line %d of %q: %+v", i, x.Source, l)
		}
		for _, c := range l.InlineCode {
			if c.From < 0 || c.From > c.To || c.To > len(l.Text) {
				t.Fatalf("span of line %d of %q: %+v", i, x.Source, l)
			}
		}
	}
	for i, s := range x.Sections {
		if s.From < 0 || s.To < s.From || s.To > len(x.Source) || s.up >= i {
			t.Fatalf("section %d of %q: %+v", i, x.Source, s)
		}
	}
	for _, tab := range x.Tables {
		if len(tab.Rows) != len(tab.RowNos) || x.Lines[tab.Line].Kind != Row {
			t.Fatalf("table of %q: %+v", x.Source, tab)
		}
		for _, r := range tab.Rows {
			if len(r) > len(tab.Header) {
				t.Fatalf("table of %q: row %q", x.Source, r)
			}
		}
	}
}
