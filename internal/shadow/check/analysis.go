package check

import (
	"sync"

	"github.com/swarmspeed/shadowd/internal/text/language"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Text is an analysed document, shared by all checks of a bundle. What a check
// does not ask for is not analysed. It is safe for concurrent use.
type Text struct {
	Doc *markdown.Doc

	words    func() []string // shared, not to be changed
	figures  func() *quantity.Figures
	reader   func() *reading.Reader
	language func() string // ISO 639-1, "" if it cannot be told
}

// Analyse reads the structure of a document.
func Analyse(source string) *Text {
	doc := markdown.Parse(source)
	return &Text{
		Doc:      doc,
		words:    sync.OnceValue(doc.Words),
		figures:  sync.OnceValue(func() *quantity.Figures { return quantity.Index(doc) }),
		reader:   sync.OnceValue(func() *reading.Reader { return reading.New(&reading.Work{Content: doc, Status: "success"}) }),
		language: sync.OnceValue(func() string { return language.Of(doc) }),
	}
}
