package markdown

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed testdata/commonmark.txt
var corpusFile string

// example is a case of the corpus. Tag names the reason why the scanner reads
// it in another way than goldmark, "" if both must agree.
type example struct{ name, tag, text string }

// corpus reads testdata/commonmark.txt, whose head explains how it is written.
func corpus(t testing.TB) (cases []example, reasons map[string]string) {
	reasons = map[string]string{}
	head, body, _ := strings.Cut(corpusFile, "\n== ")
	for line := range strings.Lines(head) {
		if tag, reason, ok := strings.Cut(strings.TrimPrefix(line, "!"), ":"); ok && line[0] == '!' {
			reasons[strings.TrimSpace(tag)] = strings.TrimSpace(reason)
		}
	}
	visible := strings.NewReplacer("→", "\t", "␣", " ")
	for c := range strings.SplitSeq(body, "\n== ") {
		name, text, _ := strings.Cut(c, "\n")
		name, tag, _ := strings.Cut(name, " !")
		if tag != "" && reasons[tag] == "" {
			t.Fatalf("%s: the tag %q has no reason", name, tag)
		}
		cases = append(cases, example{name, tag, visible.Replace(strings.TrimSuffix(text, "\n")) + "\n"})
	}
	return cases, reasons
}

// TestCommonMark: the scanner and goldmark say the same about every case of
// the corpus, and differ where the corpus says so.
func TestCommonMark(t *testing.T) {
	cases, reasons := corpus(t)
	if len(cases) < 150 {
		t.Fatalf("%d cases", len(cases))
	}
	agree, used := 0, map[string]int{}
	for _, c := range cases {
		got, want := ours(c.text), oracle(c.text)
		used[c.tag]++
		switch {
		case c.tag == "" && got != want:
			t.Errorf("%s: %q\ngot\n%swant\n%s", c.name, c.text, got, want)
		case c.tag != "" && got == want:
			t.Errorf("%s: agrees, but is marked %q", c.name, c.tag)
		case got == want:
			agree++
		}
	}
	for tag := range reasons {
		if used[tag] == 0 {
			t.Errorf("no case shows the deviation %q", tag)
		}
	}
	t.Logf("%d of %d cases agree; the others by tag: %v", agree, len(cases), used)
}

// facts collects what a document says: its blocks in order, its blocks of
// code, its links.
type facts struct{ blocks, code, links strings.Builder }

func (f *facts) String() string { return f.blocks.String() + f.code.String() + f.links.String() }

func (f *facts) block(kind, text string) {
	fmt.Fprintf(&f.blocks, "  %s %q\n", kind, words(text))
}

func (f *facts) para(inItem bool, text string) {
	if words(text) != "" { // what is nothing but definitions says nothing
		f.block(fmt.Sprint("paragraph in item=", inItem), text)
	}
}

func (f *facts) span(kind, text string) {
	if text = strings.Join(strings.Fields(text), ""); text != "" {
		fmt.Fprintf(&f.blocks, "    %s %q\n", kind, text)
	}
}

func (f *facts) addLink(text, url string) {
	fmt.Fprintf(&f.links, "  link %q %q\n", words(text), url)
}

func (f *facts) item(ordered bool, level int, text string) {
	f.block(fmt.Sprintf("item ordered=%v level=%d", ordered, level), text)
}

// words makes all runs of spaces and line ends one space.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// ours is what the scanner says about a document.
func ours(source string) string {
	d := Parse(source)
	var f facts
	tables := map[int]Table{}
	for _, tab := range d.Tables {
		tables[tab.Line] = tab
	}
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		switch l.Kind {
		case Heading:
			f.block(fmt.Sprintf("heading %d", l.Level), l.Text)
		case Row:
			if tab, ok := tables[i]; ok {
				f.table(append([][]string{tab.Header}, tab.Rows...))
			}
		case Sentence, Item:
			var text, code strings.Builder
			struck := false
			for ; i < len(d.Lines) && d.Lines[i].Kind == l.Kind && d.Lines[i].Block == l.Block; i++ {
				k := d.Lines[i]
				text.WriteString(k.Text + " ")
				struck = struck || k.Struck
				for _, s := range k.InlineCode {
					code.WriteString(k.Text[s.From:s.To])
				}
			}
			i--
			if l.Mark != 0 {
				f.item(l.Mark == '.' || l.Mark == ')', l.Level, text.String())
			} else {
				f.para(l.Kind == Item, text.String())
			}
			f.span("struck", strings.Repeat("yes", btoi(struck)))
			f.span("code", code.String())
		}
	}
	for _, c := range d.Code {
		fmt.Fprintf(&f.code, "  code %q %q\n", c.Lang, strings.TrimRight(c.Body, "\n"))
	}
	for _, l := range d.Links {
		f.addLink(l.Text, l.URL)
	}
	return f.String()
}

// table writes the rows of a table, short ones filled with empty cells.
func (f *facts) table(rows [][]string) {
	for i, row := range rows {
		cells := make([]string, len(rows[0]))
		for k := range cells {
			if k < len(row) {
				cells[k] = words(row[k])
			}
		}
		f.block(fmt.Sprintf("row %d", i), fmt.Sprintf("%q", cells))
	}
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()

// reader walks over what goldmark makes of a document.
type reader struct {
	facts
	source []byte
}

// oracle is what goldmark says about a document.
func oracle(source string) string {
	r := reader{source: []byte(source)}
	root := gfm.Parse(text.NewReader(r.source))
	r.walk(root, -1)
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			r.addLink(r.plain(n), resolved(n.Destination))
		case *ast.Image:
			r.addLink(r.plain(n), resolved(n.Destination))
		case *ast.AutoLink:
			r.addLink(string(n.Label(r.source)), string(n.URL(r.source)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		panic(err)
	}
	return r.String()
}

// walk reads the blocks below n; level is that of the list around them.
func (r *reader) walk(n ast.Node, level int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			r.block(fmt.Sprintf("heading %d", c.Level), r.plain(c))
		case *ast.Paragraph, *ast.TextBlock:
			if _, ok := n.(*ast.ListItem); ok && c == n.FirstChild() {
				continue // it is the item's text
			}
			r.para(level >= 0, r.plain(c))
			r.spans(c)
		case *ast.List:
			r.list(c, level+1)
		case *ast.FencedCodeBlock:
			fmt.Fprintf(&r.code, "  code %q %q\n", strings.ToLower(string(c.Language(r.source))), r.body(c))
		case *ast.CodeBlock:
			fmt.Fprintf(&r.code, "  code \"\" %q\n", r.body(c))
		case *ast.HTMLBlock:
			if c.HTMLBlockType != ast.HTMLBlockType2 { // a comment says nothing
				r.block("html", r.body(c))
			}
		case *east.Table:
			var rows [][]string
			for row := c.FirstChild(); row != nil; row = row.NextSibling() {
				var cells []string
				for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
					cells = append(cells, r.plain(cell))
				}
				rows = append(rows, cells)
			}
			r.table(rows)
		default:
			r.walk(c, level)
		}
	}
}

func (r *reader) list(l *ast.List, level int) {
	for it := l.FirstChild(); it != nil; it = it.NextSibling() {
		title := ""
		first := it.FirstChild()
		if first != nil && (first.Kind() == ast.KindParagraph || first.Kind() == ast.KindTextBlock) {
			title = r.plain(first)
		}
		r.item(l.IsOrdered(), level, title)
		if title != "" {
			r.spans(first)
		}
		r.walk(it, level)
	}
}

// spans writes what is struck through in n, and what is code.
func (r *reader) spans(n ast.Node) {
	var code strings.Builder
	struck := false
	var find func(ast.Node)
	find = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c.Kind() {
			case east.KindStrikethrough:
				struck = true
			case ast.KindCodeSpan:
				code.WriteString(r.plain(c))
			}
			find(c)
		}
	}
	find(n)
	r.span("struck", strings.Repeat("yes", btoi(struck)))
	r.span("code", code.String())
}

func (r *reader) body(n ast.Node) string {
	return strings.TrimRight(string(n.Lines().Value(r.source)), "\n")
}

// plain is the text in n without markup. A tag parts words, as a space does.
func (r *reader) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			if value := c.Value(r.source); c.IsRaw() {
				b.Write(value)
			} else {
				b.WriteString(resolved(value))
			}
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.RawHTML:
			b.WriteByte(' ')
		case *ast.AutoLink:
			b.Write(c.Label(r.source))
		default:
			b.WriteString(r.plain(c))
		}
	}
	return b.String()
}

// resolved is text without backslash escapes and character references.
func resolved(value []byte) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	ghtml.DefaultWriter.Write(w, value)
	_ = w.Flush() // a builder takes all
	return html.UnescapeString(b.String())
}
