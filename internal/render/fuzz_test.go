package render

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// FuzzUntrusted puts text into every place that a bundle can reach. Whatever it is, Markdown gets no markup from it,
// XML stays well formed, and the page has as many elements as without it.
func FuzzUntrusted(f *testing.F) {
	seeds := []string{attack, "", "plain", "a\nb", "<!--", "]]>", "`", "``` x", "| a | b |", "- item\n\n    code", "http://a.example", "www.a.example", "me@a.example",
		"&#60;b&#62;", "\\<b>", "[a]: http://x", "~~~", "$$", "1. x", "***", "\x00\xff", "::error::x", "%0A", "{{.}}", "</style><script>"}
	if len(seeds) < 20 {
		f.Fatal("few seeds")
	}
	for _, s := range seeds {
		f.Add(s)
	}
	document := func(text string) *Document {
		r := report("d", 2, func(r *shadow.Report) {
			r.Report.Specification = "task " + text
			for i := range r.Failures {
				r.Failures[i].Message, r.Failures[i].Expected, r.Failures[i].Actual = "m"+text, "e"+text, "a"+text
			}
			doubt(r, "why "+text)
		})
		return &Document{Subjects: []*Subject{Of(r)}}
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := document(text)
		for _, m := range tag.FindAllStringSubmatch(markdownPage(t, rendered(t, "md", d)), -1) {
			if !meant[m[1]] {
				t.Errorf("<%s> in the Markdown", m[1])
			}
		}
		decoder := xml.NewDecoder(strings.NewReader(rendered(t, "xml", d)))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("the XML: %v", err)
			}
		}
		if got, want := strings.Count(rendered(t, "html", d), "<"), strings.Count(rendered(t, "html", document("x")), "<"); got != want {
			t.Errorf("%d tags in the page, want %d", got, want)
		}
	})
}
