package markdown

import (
	"regexp"
	"strings"
)

// Sentences lists the sentences of paragraphs and list items.
func (t *Doc) Sentences() []string {
	return t.linesOf(func(l *Line) bool { return (l.Kind == Sentence || l.Kind == Item) && l.Text != "" })
}

// Headings lists the headings.
func (t *Doc) Headings() []string { return t.linesOf(func(l *Line) bool { return l.Kind == Heading }) }

func (t *Doc) linesOf(want func(*Line) bool) []string {
	out := []string{}
	for i := range t.Lines {
		if l := &t.Lines[i]; want(l) {
			out = append(out, l.Text)
		}
	}
	return out
}

// Paragraphs lists the paragraphs that stand outside lists, tables and code.
func (t *Doc) Paragraphs() []string {
	out := []string{}
	var parts []string
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Kind != Sentence {
			continue
		}
		parts = append(parts, l.Text)
		if last := i+1 == len(t.Lines) || t.Lines[i+1].Kind != Sentence || t.Lines[i+1].Block != l.Block; last {
			out, parts = append(out, strings.Join(parts, " ")), parts[:0]
		}
	}
	return out
}

var blankLines = regexp.MustCompile(`\n[\s\v\x{85}\pZ]*\n`)

// Blocks lists what blank lines divide, as it is written.
func (t *Doc) Blocks() []string {
	out := []string{}
	for _, block := range blankLines.Split(t.Source, -1) {
		if block = strings.TrimSpace(block); block != "" {
			out = append(out, block)
		}
	}
	return out
}

// Plain gives the text without Markdown: a line for each heading, paragraph,
// item and table row, and code as it is written.
func (t *Doc) Plain() string {
	var b strings.Builder
	b.Grow(len(t.Source))
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Text == "" {
			continue
		}
		if b.Len() > 0 {
			goesOn := i > 0 && t.Lines[i-1].Block == l.Block && (l.Kind == Sentence || l.Kind == Item)
			b.WriteByte("\n "[btoi(goesOn)])
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Items lists the items of numbered or of bulleted lists, or of both, each
// without the items nested in it.
func (t *Doc) Items(numbered, bulleted bool) []string {
	begins := map[int]bool{} // by line, whether the item that begins there is asked for
	for i := range t.Lists {
		for _, it := range t.Lists[i].Items {
			begins[it.Line] = t.Lists[i].Ordered && numbered || !t.Lists[i].Ordered && bulleted
		}
	}
	var items []int
	texts := map[int][]string{}
	for i := range t.Lines {
		l, item := &t.Lines[i], i
		if wanted, ok := begins[i]; wanted {
			items = append(items, i)
		} else if !ok {
			item = l.Parent // a further sentence or paragraph
		}
		if l.Kind == Item && l.Text != "" {
			texts[item] = append(texts[item], l.Text)
		}
	}
	out := make([]string, len(items))
	for i, line := range items {
		out[i] = strings.Join(texts[line], " ")
	}
	return out
}
