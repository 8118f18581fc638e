package markdown

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
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
		if i+1 == len(t.Lines) || t.Lines[i+1].Block != l.Block {
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
			goesOn := t.Lines[i-1].Block == l.Block && (l.Kind == Sentence || l.Kind == Item)
			b.WriteByte("\n "[btoi(goesOn)])
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// Items lists the items of numbered or of bulleted lists, or of both, each
// without the items nested in it.
func (t *Doc) Items(numbered, bulleted bool) []string {
	var items [][]string
	place := make([]int, len(t.Lines)) // in items, of the item that a line begins, or -1
	for i := range t.Lines {
		l := &t.Lines[i]
		if place[i] = -1; l.Kind != Item {
			continue
		}
		if ordered := l.Mark == '.' || l.Mark == ')'; l.Mark != 0 && (ordered && numbered || !ordered && bulleted) {
			place[i] = len(items)
			items = append(items, nil)
		}
		if k := place[l.Item]; k >= 0 && l.Text != "" {
			items[k] = append(items[k], l.Text)
		}
	}
	out := make([]string, len(items))
	for i := range items {
		out[i] = strings.Join(items[i], " ")
	}
	return out
}

// Section gives the source text under the heading that title names, its
// subsections included, or "".
func (t *Doc) Section(title string) string {
	if i := t.FindSection(title); i > 0 {
		return t.Under(i)
	}
	return ""
}

// Under gives the source text of a section, without its heading.
func (t *Doc) Under(i int) string {
	return strings.TrimSpace(t.Source[t.Sections[i].From:t.Sections[i].To])
}

// FindSection gives the index in Sections of the heading that title names, 0 if there is
// none, without case, numbering and marks. One that is title wins over one that holds it.
func (t *Doc) FindSection(title string) int {
	want, part := bareTitle(title), 0
	if want == "" {
		return 0
	}
	for i := 1; i < len(t.Sections); i++ {
		switch have := bareTitle(t.Sections[i].Title); {
		case have == want:
			return i
		case part == 0 && countWord(have, want, true, true) > 0:
			part = i
		}
	}
	return part
}

// bareTitle is a title in lower case without numbering and marks around it.
func bareTitle(s string) string {
	s = strings.ToLower(s)
	bare := strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if bare == "" { // nothing but a number: "2026"
		bare = s
	}
	return strings.TrimRightFunc(bare, func(r rune) bool { return !isWordRune(r) })
}

// Words lists the words of all lines, code included: runs of letters and digits, with
// the signs of [isJoint] between two of them. A Chinese or Japanese character is a word.
func (t *Doc) Words() []string {
	out := make([]string, 0, len(t.Source)/6)
	for i := range t.Lines {
		s, from := t.Lines[i].Text, -1 // where the word in hand begins
		end := func(at int) {
			if from >= 0 {
				out, from = append(out, s[from:at]), -1
			}
		}
		for at, r := range s {
			switch {
			case isIdeograph(r):
				end(at)
				out = append(out, string(r))
			case isWordRune(r):
				if from < 0 {
					from = at
				}
			case from < 0 || !unicode.Is(unicode.M, r) && !isJoint(s, at, r):
				end(at)
			}
		}
		end(len(s))
	}
	return out
}

// isJoint tells whether r, at offset at of s behind a word, joins it to what
// follows.
func isJoint(s string, at int, r rune) bool {
	if !strings.ContainsRune("'’-_.,", r) {
		return false
	}
	next := firstRune(s[at+utf8.RuneLen(r):])
	return isWordRune(next) && !isIdeograph(next) && (r != ',' || isDigit(s[at-1]) && '0' <= next && next <= '9')
}

// Occurrences counts a word or phrase in the lines of the text: whole words,
// in any case. What has no letter or digit is counted in the source as it is.
func (t *Doc) Occurrences(word string) int {
	word = strings.Join(strings.Fields(fold.Case(word)), " ")
	if word == "" {
		return 0
	}
	if strings.IndexFunc(word, isWordRune) < 0 {
		return strings.Count(t.Source, word)
	}
	n := 0
	for i := range t.Lines {
		n += countWord(fold.Case(t.Lines[i].Text), word, true, true)
	}
	return n
}

// countWord counts word in s: where it is to begin or to end with a word, no
// letter, digit or underscore stands beside it there.
func countWord(s, word string, begins, ends bool) int {
	n := 0
	_, size := utf8.DecodeRuneInString(word)
	first, last := firstRune(word), lastRune(word)
	for at := 0; ; {
		j := strings.Index(s[at:], word)
		if j < 0 {
			return n
		}
		from, to := at+j, at+j+len(word)
		if at = to; begins && joins(lastRune(s[:from]), first) || ends && joins(last, firstRune(s[to:])) {
			at = from + size // the next hit may overlap
			continue
		}
		n++
	}
}

// Count tells how often characters stand in the source, inside words too, in
// any case. Letters with marks count as one, however they are encoded.
func (t *Doc) Count(part string) int {
	if part == "" {
		return 0
	}
	return strings.Count(fold.Case(t.Source), fold.Case(part))
}

// Mentions tells whether one of some words stands in the source of the text,
// in any case. A word matches as a whole; a star at its beginning or end says
// that more may stand there: "fail*" is failed and failure.
func (t *Doc) Mentions(words ...string) bool {
	source := fold.Case(t.Source)
	return slices.ContainsFunc(words, func(w string) bool {
		bare := fold.Case(strings.Trim(w, "*"))
		return bare != "" && countWord(source, bare, !strings.HasPrefix(w, "*"), !strings.HasSuffix(w, "*")) > 0
	})
}

// joins tells whether a word goes on from one character to the next. In
// scripts that put no spaces between words it may end anywhere.
func joins(a, b rune) bool { return inWord(a) && inWord(b) && !fold.Unspaced(a) && !fold.Unspaced(b) }

func inWord(r rune) bool { return isWordRune(r) || r == '_' || unicode.Is(unicode.M, r) }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// isWordRune tells whether a character is a letter or a digit of any script.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isIdeograph tells whether a character counts as a word, as in UAX #29.
func isIdeograph(r rune) bool { return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
