package reading

import (
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
	first, last int32 // its words
	box         box
	row         bool // cells of a table
	header      bool // the header row of a table
	gaps        bool // it heads what is missing
	cued        bool // it has a cue of non-delivery
}

// box is the box before an item of a list.
type box byte

const (
	noBox box = iota
	openBox
	tickedBox
)

// vocabulary are the distinct words of a work.
type vocabulary struct {
	ids     map[string]int32
	entries []entry
	success bool // the status of the work
}

type entry struct {
	form string
	in   class
	of   *lexeme // nil if the lexicon does not have it
}

func (v *vocabulary) id(form []byte) int32 {
	id, ok := v.ids[string(form)]
	if ok {
		return id
	}
	e := entry{form: string(form)}
	if l := lexicon[e.form]; l != nil {
		e.of, e.in = l, l.in
	} else if len(form) > 4 && strings.HasSuffix(e.form, "ly") {
		e.in = adverbs
	} else if len(form) > 6 && strings.HasPrefix(e.form, "un") {
		e.of = lexicon["un*"]
	}
	id = int32(len(v.entries))
	v.entries = append(v.entries, e)
	v.ids[e.form] = id
	return id
}

func (v *vocabulary) read(doc *markdown.Doc) *text {
	t := &text{vocabulary: v, doc: doc, lines: make([]line, len(doc.Lines)), words: make([]word, 0, len(doc.Source)/5)}
	for i := range doc.Lines {
		t.lines[i].first = int32(len(t.words))
		l := &doc.Lines[i]
		split(l.Text, func(form []byte, w word) {
			w.id = v.id(form)
			t.words = append(t.words, w)
		})
		t.lines[i].last = int32(len(t.words))
		t.lines[i].row = l.Kind == markdown.Row || strings.HasPrefix(l.Text, "|") // or a row of a table without a header
	}
	for i := range doc.Lists {
		for _, it := range doc.Lists[i].Items {
			if it.Checked != nil {
				t.lines[it.Line].box = openBox
				if *it.Checked {
					t.lines[it.Line].box = tickedBox
				}
			}
		}
	}
	for i := range doc.Tables {
		t.lines[doc.Tables[i].Line].header = true
	}
	for i := range doc.Lines {
		if k := doc.Lines[i].Kind; k != markdown.Code && !t.lines[i].header {
			t.findCues(int32(i))
		}
	}
	return t
}

// entry gives what is known of the word at an index.
func (t *text) entry(at int32) *entry { return &t.entries[t.words[at].id] }

func (t *text) form(at int32) string { return t.entry(at).form }

// is tells whether a word is of one of some classes.
func (t *text) is(at int32, in class) bool { return t.entry(at).in&in != 0 }

// any tells whether a word of some classes stands between two places.
func (t *text) any(from, to int32, in class) bool {
	for k := from; k < to; k++ {
		if t.is(k, in) {
			return true
		}
	}
	return false
}

// share gives the part of the words that is of a class.
func (t *text) share(in class) float64 {
	n := 0
	for k := range t.words {
		if t.is(int32(k), in) {
			n++
		}
	}
	return float64(n) / max(1, float64(len(t.words)))
}
