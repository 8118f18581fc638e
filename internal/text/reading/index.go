package reading

import (
	"sort"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// text is a document cut into words, with its cues of non-delivery.
type text struct {
	*vocabulary
	doc   *markdown.Doc
	words []word
	lines []line // as long as doc.Lines
	cues  []cue
}

// line is what reading adds to a line of a document.
type line struct {
	first, last int32  // its words
	in          class  // the classes of them all
	opening     int32  // the first line of its block
	row         bool   // cells of a table
	ticked      bool   // the box before it is ticked
	cued        bool   // it has a cue of non-delivery
	lists       string // what its entries say, if it heads what is missing
}

// vocabulary are the distinct words of a work.
type vocabulary struct {
	known   []int32          // by the number of a word of the lexicon: its index here + 1
	ids     map[string]int32 // the index of other words
	entries []entry
	success bool // the status of the work
}

type entry struct {
	form string
	in   class
	of   *lexeme // nil if the lexicon does not have it
}

// id gives the index of a word.
func (v *vocabulary) id(form string) int32 {
	of, in, next := lexicon[form], class(0), int32(len(v.entries))
	if of != nil {
		known := &v.known[of.number]
		if *known > 0 {
			return *known - 1
		}
		*known, in = next+1, of.in
	} else {
		if known, ok := v.ids[form]; ok {
			return known
		}
		v.ids[form] = next
		if len(form) > 4 && strings.HasSuffix(form, "ly") {
			in = adverbs
		}
	}
	v.entries = append(v.entries, entry{form, in, of})
	return next
}

// read cuts a document into words and finds its cues.
func (v *vocabulary) read(doc *markdown.Doc) *text {
	t := &text{vocabulary: v, doc: doc, lines: make([]line, len(doc.Lines)), words: make([]word, 0, len(doc.Source)/5)}
	words := newSplitter()
	for i := range doc.Lines {
		l := &doc.Lines[i]
		t.lines[i].first = int32(len(t.words))
		in, tokens := class(0), words.split(l.Text)
		for k := range tokens {
			w := &tokens[k]
			w.id = v.id(w.form)
			e := &v.entries[w.id]
			if w.caps == 2 {
				e.in |= capitals
			}
			in |= e.in
			t.words = append(t.words, w.word)
		}
		t.lines[i].in = in
		t.lines[i].last = int32(len(t.words))
		if t.lines[i].opening = int32(i); i > 0 && doc.Lines[i-1].Block == l.Block {
			t.lines[i].opening = t.lines[i-1].opening
		}
		t.lines[i].row = l.Kind == markdown.Row || strings.HasPrefix(l.Text, "|") // or a row of a table without a header
	}
	for i := range doc.Lines {
		if box := doc.Lines[i].Box; box == ' ' {
			t.entryCue(int32(i), "leaves its box empty")
		} else {
			t.lines[i].ticked = box != 0
		}
	}
	tables := doc.Tables
	for i := range doc.Lines {
		if len(tables) > 0 && tables[0].Line == i {
			tables = tables[1:] // its header
		} else if l := &t.lines[i]; doc.Lines[i].Kind != markdown.Code && !(l.row && l.last-l.first > longestRow) {
			t.readLine(int32(i))
		}
	}
	return t
}

// readLine finds what a line says of non-delivery, by its form and its words.
func (t *text) readLine(n int32) {
	l := &t.doc.Lines[n]
	if len(l.Struck) > 0 && l.Kind != markdown.Row { // in a table it is as often done
		t.struckCue(n)
	}
	for _, k := range [...]int{t.doc.Sections[l.Section].Heading, l.Parent} {
		if k >= 0 && t.lines[k].lists != "" && l.Kind != markdown.Heading {
			t.entryCue(n, t.lines[k].lists)
		}
	}
	t.findCues(n)
}

// entryCue makes a line an entry of what is missing.
func (t *text) entryCue(n int32, why string) {
	l := &t.lines[n]
	t.cues = append(t.cues, cue{pattern: &pattern{kind: listed}, line: n, from: l.first, to: l.first, lo: l.first, hi: min(l.last, l.first+maxWindow), why: why})
}

// struckCue makes what a line strikes through an entry of what is missing,
// unless the line says that it is done.
func (t *text) struckCue(n int32) {
	l := &t.lines[n]
	for from := l.first; from < l.last; from++ {
		to := from
		for to < l.last && t.struck(n, to) {
			to++
		}
		end := to
		for end < l.last && to > from && !t.struck(n, end) && !(t.is(end, dones) && !t.is(end-1, negators)) {
			end++
		}
		if to > from && (end == l.last || t.struck(n, end)) {
			t.entryCue(n, "has it struck through")
			c := &t.cues[len(t.cues)-1]
			c.from, c.to, c.lo, c.hi = from, from, from, to
		}
		from = max(from, to-1)
	}
}

// struck tells whether a word of a line is struck through.
func (t *text) struck(n, at int32) bool {
	spans := t.doc.Lines[n].Struck
	if len(spans) == 0 || at == t.lines[n].last { // a line without words, "~~!~~"
		return false
	}
	offset := int(t.words[at].at)
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To > offset })
	return i < len(spans) && spans[i].From <= offset
}

// entry gives what is known of the word at an index.
func (t *text) entry(at int32) *entry { return &t.entries[t.words[at].id] }

func (t *text) form(at int32) string { return t.entry(at).form }

// is tells whether a word is of one of some classes.
func (t *text) is(at int32, in class) bool { return t.entry(at).in&in != 0 }

// behind gives the byte behind a word of a line, 0 at its end.
func (t *text) behind(n, at int32) byte {
	text, end := t.doc.Lines[n].Text, int(t.words[at].at)+len(t.form(at))
	if end >= len(text) {
		return 0
	}
	return text[end]
}

// count counts the words between two places that are of one of some classes.
func (t *text) count(from, to int32, in class) int {
	n := 0
	for k := from; k < to; k++ {
		if t.is(k, in) {
			n++
		}
	}
	return n
}

// windowStart gives the first word of the line of a cue that is read for it.
func (t *text) windowStart(c *cue) int32 { return max(t.lines[c.line].first, c.lo-maxWindow) }

// firstWords gives the first words of a line.
func (t *text) firstWords(n int32) []word {
	l := &t.lines[n]
	return t.words[l.first:min(l.last, l.first+maxWindow)]
}
