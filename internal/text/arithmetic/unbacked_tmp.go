package arithmetic

import "github.com/swarmspeed/shadowd/internal/text/markdown"

func Unbacked(doc *markdown.Doc, summary string) []Finding { return nil }
