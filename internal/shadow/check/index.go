package check

import (
	"strings"
	"sync"
)

// index is what reading needs of a text: where each stem stands, and which
// lines decline what they speak of.
type index struct {
	stems  table   // numbers are ids
	hits   []hit   // by id, those of an id in the order of the text
	from   []int32 // by id: its first hit; there is one more than ids
	lines  []lineFacts
	denied []int32 // ids of the stems that a negation stands just before, line by line
	heads  []int32 // by section: line of its heading, -1 for the first

	// Stems of at least four bytes, chained by their first four.
	chains [256]int32 // first of the chain + 1
	next   []int32    // by id: next of the chain + 1
	long   []int32    // ids of stems long enough to hold another
}

// hit is one place of a stem. Words that the text does not spell out, such as
// the language of a code block, have position noPlace.
type hit struct{ line, pos int32 }

const noPlace = -10

type lineFacts struct {
	declined             string // the words that decline it, "" if none do
	heads                string // of a heading: the words that decline what stands under it
	negated              bool
	deniedFrom, deniedTo int32 // its part of denied
	asks                 bool  // is a question
	silent               bool  // says nothing: an entry of a table of contents, a heading without a text
}

// id gives the id of a stem.
func (x *index) id(stem string) (int32, bool) {
	id := x.stems.number(stem, hashOf(stem))
	return id, id >= 0
}

// of gives the hits of an id.
func (x *index) of(id int32) []hit { return x.hits[x.from[id]:x.from[id+1]] }

// indexed gives the index of t, which is built when first asked for.
func (t *Text) indexed() *index {
	t.reading.Do(func() { t.index = newIndex(t) })
	return t.index
}

// asks tells whether a line is a question and so states nothing. A heading
// that asks how, what or why is none: it announces what the section states.
func asks(l *Line) bool {
	if l.Kind == Code || !strings.HasSuffix(l.Text, "?") {
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(l.Text), " ")
	return l.Kind != Heading || !questionWords[first] && first != "why"
}

// posting is a lexeme on its way into the index.
type posting struct {
	id int32
	hit
}

func newIndex(t *Text) *index {
	x := &index{stems: newTable(len(t.Source) / 16), lines: make([]lineFacts, len(t.Lines))}
	b := indexers.Get().(*indexer)
	defer b.release()
	b.x, b.entries, b.pos, b.fence = x, b.entries[:0], 0, -1
	crosses := strings.Contains(t.Source, "❌")
	low, at := b.lowered(t), 0
	for i := range t.Lines {
		l := &t.Lines[i]
		b.begin(int32(i))
		b.low = low[at : at+len(l.Text)]
		at += len(l.Text)
		f := &x.lines[i]
		f.deniedFrom = int32(len(x.denied))
		tokenise(l.Text, b.low, b.add)
		if b.softened {
			x.denied = x.denied[:b.denied]
		}
		f.deniedTo = int32(len(x.denied))
		f.declined = declineCues.find(b.low, b.cues)
		if l.Kind == Heading && f.declined == "" {
			f.heads = declineHeads.find(b.low, b.heads)
		}
		f.negated = b.negated && l.Kind != Code || crosses && strings.Contains(l.Text, "❌")
		f.silent = l.nav || l.Text == ""
		f.asks = asks(l)
		if l.Kind == Code {
			b.artefacts(t, l.fence)
		}
		b.pos++ // lines do not adjoin
	}
	b.finish()
	x.sections(t)
	x.markDeclined(t)
	return x
}

// lowered gives the lines of t one behind the other, with A to Z in lower case.
func (b *indexer) lowered(t *Text) string {
	buf := b.buf[:0]
	for i := range t.Lines {
		buf = append(buf, t.Lines[i].Text...)
	}
	for i, c := range buf {
		if isUpper(c) {
			buf[i] = c + 'a' - 'A'
		}
	}
	b.buf = buf
	return string(buf)
}

// indexer is the scratch space of newIndex.
type indexer struct {
	x       *index
	words   table
	facts   []word // by number of the word
	entries []posting
	buf     []byte
	fence   int     // block of code in hand
	stands  []int32 // ids of the words that it stands for

	// The line in hand.
	line     int32
	low      string
	pos      int32
	before   string  // the word before, "" if a compound cannot begin with it
	cues     []int32 // groups of the cues whose words it has
	heads    []int32 // those of the cues of headings
	negated  bool
	reach    int  // how many more words a negation reaches
	denied   int  // where its part of index.denied begins
	softened bool // it says what holds instead
}

// denyReach is how many words behind a negation it is taken to negate.
const denyReach = 4

// word is what is known of a word of the text.
type word struct {
	*wordFacts
	id     int32
	stands int32 // id of the word that it stands for as well, or -1
}

var indexers = sync.Pool{New: func() any { return &indexer{words: newTable(1024)} }}

// release keeps the scratch space for the next text, unless a large one has
// made it costly to clear.
func (b *indexer) release() {
	if len(b.words.keys) < 8000 {
		clear(b.words.keys)
		clear(b.facts)
		b.words.reset()
		b.x, b.facts, b.low, b.before = nil, b.facts[:0], "", ""
		indexers.Put(b)
	}
}

func (b *indexer) begin(line int32) {
	b.line, b.before, b.cues, b.heads, b.negated = line, "", b.cues[:0], b.heads[:0], false
	b.reach, b.denied, b.softened = 0, len(b.x.denied), false
}

func (b *indexer) add(t lexeme) {
	w := b.word(t.word)
	if t.joined {
		b.entries = append(b.entries, posting{w.id, hit{b.line, b.pos - 1}})
		return
	}
	if w.cue > 0 {
		b.cues = append(b.cues, w.cue-1)
	}
	if w.head > 0 {
		b.heads = append(b.heads, w.head-1)
	}
	switch {
	case w.softens, w.negates && b.negated:
		b.softened = true
	case w.prohibits:
		b.reach = denyReach
	case b.reach > 0:
		b.reach--
		if !w.stop {
			b.x.denied = append(b.x.denied, w.id)
		}
	}
	b.negated = b.negated || w.negates || t.word == "t" && isContraction(b.low)
	if w.stands >= 0 {
		b.entries = append(b.entries, posting{w.stands, hit{b.line, noPlace}})
	}
	b.entries = append(b.entries, posting{w.id, hit{b.line, b.pos}})
	b.pos++
	if w.second {
		if joined := compound(b.before, t.word); joined != "" {
			b.entries = append(b.entries, posting{b.word(joined).id, hit{b.line, b.pos - 1}})
		}
	}
	b.before = t.word
	if t.part {
		b.before = ""
	}
}

// isContraction tells whether a line that has the word "t" has it in "don't".
func isContraction(low string) bool {
	return strings.Contains(low, "n't") || strings.Contains(low, "n’t")
}

// word gives what is known of a word, which may be new.
func (b *indexer) word(s string) *word {
	hash := hashOf(s)
	n, isNew := b.words.add(s, hash)
	if isNew {
		f := knownWord(s, hash)
		w := word{f, b.id(f.stem), -1}
		if f.stands != "" {
			w.stands = b.id(f.stands)
		}
		b.facts = append(b.facts, w)
	}
	return &b.facts[n]
}

func (b *indexer) id(stem string) int32 {
	id, _ := b.x.stems.add(stem, hashOf(stem))
	return id
}

// artefacts adds the words that a block of code stands for.
func (b *indexer) artefacts(t *Text, fence int) {
	if fence != b.fence {
		b.fence, b.stands = fence, b.stands[:0]
		for _, w := range artefactWords(&t.Code[fence]) {
			b.stands = append(b.stands, b.id(stem(w)))
		}
	}
	for _, id := range b.stands {
		b.entries = append(b.entries, posting{id, hit{b.line, noPlace}})
	}
}

// quantityWords are what units of measure stand for ("within 200 ms" states a
// latency), and what a response code stands for.
var quantityWords = standFor(map[string]string{
	"latency":  "ms millisecond milliseconds percentile",
	"duration": "second seconds minute minutes hour hours day days week weeks",
	"size":     "kb mb gb tb kib mib gib pixels bytes",
	"cost":     "usd eur",
	"status":   "401 403 404 405 409 410 412 413 415 422 429 502 503 504",
})

func standFor(of map[string]string) map[string]string {
	m := map[string]string{}
	for meaning, words := range of {
		for w := range strings.FieldsSeq(words) {
			m[w] = meaning
		}
	}
	return m
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

// finish sorts the entries by id.
func (b *indexer) finish() {
	x := b.x
	n := len(x.stems.keys)
	x.from = make([]int32, n+2) // from[id+1] runs from the first hit of id to its end
	for _, e := range b.entries {
		x.from[e.id+2]++
	}
	for i := 2; i < len(x.from); i++ {
		x.from[i] += x.from[i-1]
	}
	x.hits = make([]hit, len(b.entries))
	for _, e := range b.entries {
		x.hits[x.from[e.id+1]] = e.hit
		x.from[e.id+1]++
	}
	x.from = x.from[:n+1]
	x.next = make([]int32, n)
	for id, name := range x.stems.keys {
		if len(name) >= 4 {
			c := chainOf(name)
			x.next[id], x.chains[c] = x.chains[c], int32(id)+1
		}
		if len(name) > 8 && !falseFriends[name] {
			x.long = append(x.long, int32(id))
		}
	}
}

// chainOf gives the chain of a stem of at least four bytes.
func chainOf(stem string) uint8 {
	h := uint32(stem[0]) | uint32(stem[1])<<8 | uint32(stem[2])<<16 | uint32(stem[3])<<24
	return uint8(h * 2654435761 >> 24)
}

// sections notes the lines of the sections, and the headings that nothing
// stands under.
func (x *index) sections(t *Text) {
	x.heads = make([]int32, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		x.heads[i] = int32(s.Heading)
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
	for id := x.chains[chainOf(stem)] - 1; id >= 0; id = x.next[id] - 1 {
		other := x.stems.keys[id]
		if other[:4] != stem[:4] || other == stem {
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
		if name := x.stems.keys[id]; len(name) > len(stem) && strings.HasSuffix(name, stem) {
			add(id, qualityShared)
		}
	}
}
