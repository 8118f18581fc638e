package check

import (
	"slices"
	"strings"
)

// index is what reading needs of a text: where each stem stands, and which
// lines decline what they speak of.
type index struct {
	stems map[string]int32 // stem -> id
	hits  [][]hit          // by id, in the order of the text
	words int32            // how many positions there are
	lines []lineFacts
	heads []int32 // by section: line of its heading, -1
	last  []int32 // by section: index behind its last line

	byPrefix map[[4]byte][]int32 // ids of stems of at least four bytes, by their beginning
	long     []int32             // ids of stems long enough to hold another
	names    []string            // by id
}

// hit is one place of a stem. Words that the text does not spell out, such as
// the language of a code block, have position noPlace.
type hit struct{ line, pos int32 }

const noPlace = -10

type lineFacts struct {
	declined string // the words that decline it, "" if none do
	negated  bool
	silent   bool // says nothing: an entry of a table of contents, a heading without a text
}

// indexed gives the index of t, which is built when first asked for.
func (t *Text) indexed() *index {
	t.reading.Do(func() { t.index = newIndex(t) })
	return t.index
}

// posting is a lexeme on its way into the index.
type posting struct {
	id int32
	hit
}

func newIndex(t *Text) *index {
	x := &index{stems: make(map[string]int32, 256), lines: make([]lineFacts, len(t.Lines))}
	b := indexer{x: x, words: make(map[string]word, 512), entries: make([]posting, 0, len(t.Source)/4)}
	for i := range t.Lines {
		l := &t.Lines[i]
		b.line, b.cue = int32(i), false
		tokenise(l.Text, b.add)
		f := &x.lines[i]
		if b.cue || strings.Contains(l.Text, "❌") {
			f.declined, f.negated = cuesOf(l)
		}
		f.silent = l.nav || l.Text == ""
		if l.Kind == Code {
			b.artefacts(&t.Code[l.fence])
		}
		x.words = b.pos
		b.pos++ // lines do not adjoin
	}
	b.finish()
	x.sections(t)
	x.markDeclined(t)
	return x
}

type word struct {
	id  int32
	cue bool
}

type indexer struct {
	x       *index
	words   map[string]word
	entries []posting
	line    int32
	pos     int32
	cue     bool  // the line has a word that can decline
}

func (b *indexer) add(t lexeme) {
	w, ok := b.words[t.word]
	if !ok {
		w = word{b.id(stem(t.word)), cueWords[t.word]}
		b.words[t.word] = w
	}
	b.cue = b.cue || w.cue
	if t.joined {
		b.entries = append(b.entries, posting{w.id, hit{b.line, b.pos - 1}})
		return
	}
	b.entries = append(b.entries, posting{w.id, hit{b.line, b.pos}})
	b.pos++
}

func (b *indexer) id(stem string) int32 {
	id, ok := b.x.stems[stem]
	if !ok {
		id = int32(len(b.x.names))
		b.x.stems[stem] = id
		b.x.names = append(b.x.names, stem)
	}
	return id
}

// artefacts adds the words that a block of code stands for.
func (b *indexer) artefacts(c *CodeBlock) {
	for _, w := range artefactWords(c) {
		b.entries = append(b.entries, posting{b.id(stem(w)), hit{b.line, noPlace}})
	}
}

func artefactWords(c *CodeBlock) []string {
	out := []string{"code", "snippet", "example"}
	switch c.Lang {
	case "":
	case "mermaid", "plantuml", "dot":
		out = append(out, "diagram")
	case "bash", "sh", "shell", "console", "zsh", "powershell":
		out = append(out, "command", "shell", "script")
	case "sql":
		out = append(out, "sql", "database", "schema", "script")
	case "ts":
		out = append(out, "typescript")
	case "js":
		out = append(out, "javascript")
	case "py":
		out = append(out, "python", "script")
	case "json", "jsonc", "yaml", "yml", "toml":
		out = append(out, c.Lang, "configuration")
	default:
		out = append(out, c.Lang)
	}
	if strings.Contains(c.Body, `"type"`) && (strings.Contains(c.Body, "properties") || strings.Contains(c.Body, "required")) {
		out = append(out, "schema")
	}
	if strings.ContainsAny(c.Body, "→▼◄►") || strings.Contains(c.Body, "-->") {
		out = append(out, "diagram")
	}
	return out
}

// finish sorts the entries into the lists of hits.
func (b *indexer) finish() {
	x := b.x
	counts := make([]int32, len(x.names)+1)
	for _, e := range b.entries {
		counts[e.id+1]++
	}
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	all := make([]hit, len(b.entries))
	next := slices.Clone(counts)
	for _, e := range b.entries {
		all[next[e.id]] = e.hit
		next[e.id]++
	}
	x.hits = make([][]hit, len(x.names))
	x.byPrefix = make(map[[4]byte][]int32, len(x.names))
	for id, name := range x.names {
		x.hits[id] = all[counts[id]:counts[id+1]]
		if len(name) >= 4 {
			p := [4]byte{name[0], name[1], name[2], name[3]}
			x.byPrefix[p] = append(x.byPrefix[p], int32(id))
		}
		if len(name) > 8 {
			x.long = append(x.long, int32(id))
		}
	}
}

// sections notes the lines of the sections, and the headings that nothing
// stands under.
func (x *index) sections(t *Text) {
	x.heads = make([]int32, len(t.Sections))
	x.last = make([]int32, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		x.heads[i] = int32(s.Heading)
		x.last[i] = int32(s.Last)
		if s.Heading < 0 || s.Last > s.First+1 {
			continue
		}
		if i+1 == len(t.Sections) || t.Sections[i+1].Up != i {
			x.lines[s.Heading].silent = true
		}
	}
}

// alike lists the stems of the text that resemble stem, with how well they
// stand for it.
func (x *index) alike(stem string, add func(id int32, quality float32)) {
	if len(stem) < 4 || isNumber(stem) {
		return
	}
	for _, id := range x.byPrefix[[4]byte{stem[0], stem[1], stem[2], stem[3]}] {
		other := x.names[id]
		if other == stem {
			continue
		}
		short, long := len(stem), len(other)
		if short > long {
			short, long = long, short
		}
		n := 4
		for n < short && stem[n] == other[n] {
			n++
		}
		switch {
		case n == short && long-short <= 4: // one begins the other: auth, authent
			add(id, qualityPrefix)
		case n >= 5 && 10*n >= 7*long || n == short && short >= 6: // issuanc, issuer
			add(id, qualityShared)
		}
	}
	if len(stem) < 6 {
		return
	}
	for _, id := range x.long {
		if name := x.names[id]; len(name) > len(stem) && !strings.HasPrefix(name, stem) && strings.Contains(name, stem) {
			add(id, qualityShared)
		}
	}
}
