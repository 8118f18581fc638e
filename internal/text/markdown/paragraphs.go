package markdown

import (
	"strings"
	"unicode"
)

// prose is the text of a paragraph on one line, without markup.
type prose struct {
	text   string
	code   []Span
	struck []Span
	lines  []int // where its source lines begin in text, nil if there is one only
	breaks []int // where a line begins behind a break that is meant
	low    bool  // sentences begin with a small letter
}

// prose takes the markup out of the current paragraph, as one text. Link
// definitions at its beginning are no text. It tells whether any text is left.
func (s *scanner) prose() (p prose, ok bool) {
	raw := rawText(s.para)
	for strings.HasPrefix(raw, "[") {
		n, name, url := definition(raw)
		if n == 0 {
			break
		}
		s.define(name, url)
		s.para = s.para[strings.Count(raw[:n], "\n")+1:]
		raw = raw[min(n+1, len(raw)):]
	}
	if len(s.para) == 0 {
		return p, false
	}
	text := s.stripped(raw)
	p = prose{text: text, code: s.strip.code, struck: s.strip.struck}
	p.low = !capitalised(text)
	if len(s.para) > 1 {
		s.cutLines(&p)
	}
	return p, true
}

// minWidth is the least number of bytes that a writer or a program wraps lines
// at.
const minWidth = 60

// cutLines finds where the source lines of a paragraph begin, and which breaks
// are meant: those that are marked, and where the lines were not wrapped but
// stand as in a list without marks, those before the beginning of a sentence.
func (s *scanner) cutLines(p *prose) {
	wrapped := s.wrapped()
	p.lines = make([]int, 1, len(s.para))
	for i := 0; ; {
		n := strings.IndexByte(p.text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		r := firstRune(p.text[i:])
		begins := unicode.IsLetter(r) && (p.low || !unicode.IsLower(r)) || r > unicode.MaxASCII && unicode.IsSymbol(r)
		if s.para[len(p.lines)-1].hard || begins && !wrapped {
			p.breaks = append(p.breaks, i)
		}
		p.lines = append(p.lines, i)
	}
	p.text = strings.ReplaceAll(p.text, "\n", " ")
}

// wrapped tells whether the lines of the current paragraph were broken because
// they were full: none had room for the first word of the next.
func (s *scanner) wrapped() bool {
	width := minWidth
	for i := range s.para {
		width = max(width, len(s.para[i].raw))
	}
	for i := range s.para[1:] {
		word, _, _ := strings.Cut(s.para[i+1].raw, " ")
		if !s.para[i].hard && len(s.para[i].raw)+1+len(word) <= width {
			return false
		}
	}
	return true
}

// stripped takes the markup out of a text and keeps what it links to and
// emphasises.
func (s *scanner) stripped(text string) string {
	text = s.strip.strip(text)
	s.t.Links = append(s.t.Links, s.strip.links...)
	s.t.Highlights = append(s.t.Highlights, s.strip.strong...)
	return text
}

// rawText joins the lines of a paragraph.
func rawText(para []piece) string {
	if len(para) == 1 {
		return para[0].raw
	}
	lines := make([]string, len(para))
	for i := range para {
		lines[i] = para[i].raw
	}
	return strings.Join(lines, "\n")
}

// piece is one source line of a paragraph.
type piece struct {
	raw  string // as written
	no   int
	hard bool // ends in a line break
}

// maxParagraph is how many source lines make a paragraph. Longer ones are
// data, and are cut so that memory stays small.
const maxParagraph = 500

// take adds a line to the current paragraph or item. Its markup is taken out at
// the paragraph's end, because markup may go on over line ends.
func (s *scanner) take(text string, hard bool) {
	hard = hard || strings.HasSuffix(text, "\\") || strings.HasSuffix(text, "<br>")
	s.para = append(s.para, piece{raw: text, no: s.no, hard: hard})
	if len(s.para) == maxParagraph {
		s.endParagraph()
	}
}

// endParagraph turns the current paragraph or item into lines.
func (s *scanner) endParagraph() {
	p, ok := s.prose()
	if ok && s.item < 0 && len(s.para) == 1 && len(s.items) == 0 && isBoldAlone(s.para[0].raw) {
		no := s.para[0].no
		s.para = s.para[:0]
		s.headingLine(strings.TrimRight(p.text, ": "), 7, no, s.at)
		return
	}
	if ok {
		s.lines(&p)
	}
	s.block += btoi(ok || s.item >= 0)
	s.para, s.item = s.para[:0], -1
}

// lines adds the sentences of a paragraph or item.
func (s *scanner) lines(p *prose) {
	l := Line{Kind: Sentence, Section: len(s.t.Sections) - 1, Header: -1, Block: s.block, Level: len(s.items),
		Nav: len(s.para) == 1 && isNavigation(s.para[0].raw)}
	if len(s.items) > 0 {
		l.Kind, l.Level = Item, l.Level-1
	}
	l.Parent = s.above()
	free := s.item >= 0 // the item's first sentence takes the place kept for it
	if free {
		l.Parent = s.t.Lines[s.item].Parent
	}
	p.sentences(func(text string, line int, code, struck []Span) {
		l.Text, l.No, l.InlineCode, l.Struck = text, s.para[line].no, code, struck
		if free {
			s.t.Lines[s.item] = l
			free, l.Parent = false, s.item
			return
		}
		s.t.Lines = append(s.t.Lines, l)
	})
	if s.lead = -1; s.item < 0 && strings.HasSuffix(strings.TrimSpace(p.text), ":") {
		s.lead = len(s.t.Lines) - 1
	}
}

// isNavigation tells whether raw is nothing but a link into the document, as
// in a table of contents.
func isNavigation(raw string) bool {
	return strings.HasPrefix(raw, "[") && strings.HasSuffix(raw, ")") && strings.Count(raw, "](") == 1 && strings.Contains(raw, "](#")
}
