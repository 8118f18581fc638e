package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Words lists the words of all lines, code included. A word is a run of
// letters and digits; an apostrophe, hyphen, underscore, full stop or comma
// between two of them belongs to it, the comma only between digits. A Chinese
// or Japanese character is a word, as in UAX #29.
func (t *Doc) Words() []string {
	out := make([]string, 0, len(t.Source)/6)
	for i := range t.Lines {
		s := t.Lines[i].Text
		for at := 0; ; {
			from, to := nextWord(s, at)
			if from == to {
				break
			}
			out = append(out, s[from:to])
			at = to
		}
	}
	return out
}

// nextWord finds the first word of s at or behind offset at; from == to means
// that there is none.
func nextWord(s string, at int) (from, to int) {
	for at < len(s) {
		if c := s[at]; c < utf8.RuneSelf {
			if isAlnum(c) {
				break
			}
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if isIdeograph(r) {
			return at, at + n
		}
		if isWordRune(r) {
			break
		}
		at += n
	}
	from = at
	for at < len(s) {
		if isAlnum(s[at]) {
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if isIdeograph(r) {
			break
		}
		if isWordRune(r) || unicode.Is(unicode.M, r) {
			at += n
			continue
		}
		if r == ' ' || r != '\'' && r != '’' && r != '-' && r != '_' && r != '.' && r != ',' || at == from {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[at+n:])
		if !isWordRune(next) || isIdeograph(next) || r == ',' && !(isDigit(s[at-1]) && isDigit(s[at+n])) {
			break
		}
		at += n
	}
	return from, at
}

// Sentences lists the sentences of paragraphs and list items.
func (t *Doc) Sentences() []string {
	return t.linesOf(func(l *Line) bool { return (l.Kind == Sentence || l.Kind == Item) && l.Text != "" })
}

// Headings lists the headings.
func (t *Doc) Headings() []string {
	return t.linesOf(func(l *Line) bool { return l.Kind == Heading })
}

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
	for i := 0; i < len(t.Lines); i++ {
		if t.Lines[i].Kind != Sentence {
			continue
		}
		first := i
		for i+1 < len(t.Lines) && t.Lines[i+1].Kind == Sentence && t.Lines[i+1].Block == t.Lines[first].Block {
			i++
		}
		parts := make([]string, 0, i+1-first)
		for k := first; k <= i; k++ {
			parts = append(parts, t.Lines[k].Text)
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

// Blocks lists what blank lines divide, as it is written.
func (t *Doc) Blocks() []string {
	out := []string{}
	from := -1
	for at := 0; at < len(t.Source); {
		line, next := nextLine(t.Source, at)
		switch blank := strings.TrimSpace(line) == ""; {
		case blank && from >= 0:
			out = append(out, strings.TrimSpace(t.Source[from:at]))
			from = -1
		case !blank && from < 0:
			from = at
		}
		at = next
	}
	if from >= 0 {
		out = append(out, strings.TrimSpace(t.Source[from:]))
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

// Section gives the source text under the heading that title names, its
// subsections included, or "". Case, numbering and marks around a title do
// not matter. A heading that is title wins over one that contains its words.
func (t *Doc) Section(title string) string {
	i := t.FindSection(title)
	if i == 0 {
		return ""
	}
	return t.Under(i)
}

// Under gives the source text of a section, without its heading.
func (t *Doc) Under(i int) string {
	return strings.TrimSpace(t.Source[t.Sections[i].From:t.Sections[i].To])
}

// FindSection gives the index in Sections of the heading that title names, 0
// if there is none.
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

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

// joins tells whether a word goes on from one character to the next. In
// scripts that put no spaces between words it may end anywhere.
func joins(a, b rune) bool { return inWord(a) && inWord(b) && !isSpaceless(a) && !isSpaceless(b) }

func inWord(r rune) bool { return isWordRune(r) || r == '_' || unicode.Is(unicode.M, r) }

func isSpaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isIdeograph tells whether a character counts as a word, as in UAX #29.
func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana)
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
