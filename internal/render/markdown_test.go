package render

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// markdownPage renders Markdown as GitHub does, raw HTML let through.
func markdownPage(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := md.Convert([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// meant are the elements that the Markdown of a report has.
var meant = map[string]bool{"h2": true, "h3": true, "h4": true, "p": true, "strong": true, "ul": true, "li": true, "code": true, "blockquote": true, "pre": true,
	"table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "details": true, "summary": true}

var tag = regexp.MustCompile(`<([a-z0-9]+)`)

// TestMarkdownIsPlain: rendered, a report has the tables and headings that are
// meant, and nothing of what it quotes becomes markup.
func TestMarkdownIsPlain(t *testing.T) {
	d := everything()
	got := markdownPage(t, rendered(t, "md", d))
	count := map[string]int{}
	for _, m := range tag.FindAllStringSubmatch(got, -1) {
		count[m[1]]++
		if !meant[m[1]] {
			t.Errorf("<%s> is in the page", m[1])
		}
	}
	coverage := 1         // tables beside those of provenance and of criteria and the one of all
	broken, asked := 1, 2 // subjects without criteria, and with questions to judges
	if tables := 2*len(d.Subjects) - broken + 1 + coverage; count["table"] != tables || count["h3"] != len(d.Subjects) || count["details"] != len(d.Subjects)+asked {
		t.Errorf("%v, want %d tables and %d sections", count, tables, len(d.Subjects))
	}
	row := regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	for i, m := range row.FindAllStringSubmatch(got, -1) {
		cells := strings.Count(m[1], "<td") + strings.Count(m[1], "<th")
		if cells != 2 && cells != 4 && cells != 6 {
			t.Errorf("row %d has %d cells: %s", i, cells, m[1])
		}
	}
	// In code a name notifies nobody; elsewhere the @ is parted from it.
	prose := regexp.MustCompile(`(?s)<code>.*?</code>`).ReplaceAllString(got, "")
	if strings.Contains(prose, "@octocat") || !strings.Contains(prose, "octocat") {
		t.Error("somebody is mentioned")
	}
	if !strings.Contains(got, "&lt;script&gt;fetch(") {
		t.Error("the text of an attack is not shown as text")
	}
}
