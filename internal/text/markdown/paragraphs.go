package markdown

import "strings"

// prose is the text of a paragraph on one line, without markup.
type prose struct {
	text   string
	code   []Span
	struck []Span
	lines  []int // where its source lines begin in text, nil if there is one only
	breaks []int // where a line begins behind a break that is meant
	low    bool  // sentences begin with a small letter
}

// prose takes the markup out of the paragraph in hand, as one text. Link
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
	if len(s.para) == 0 || s.outline {
		return p, len(s.para) > 0
	}
	text := s.stripped(raw)
	p = prose{text: text, code: s.strip.code, struck: s.strip.struck}
	if len(s.para) > 1 {
		p.lines = make([]int, 1, len(s.para))
		for i := 0; i < len(text); i++ {
			if text[i] != '\n' {
				continue
			}
			if s.para[len(p.lines)-1].hard {
				p.breaks = append(p.breaks, i+1)
			}
			p.lines = append(p.lines, i+1)
		}
		p.text = strings.ReplaceAll(text, "\n", " ")
	}
	return p, true
}

// stripped takes the markup out of a text and keeps what it links to and
// emphasises.
func (s *scanner) stripped(text string) string {
	if s.outline {
		return text
	}
	text = s.strip.strip(text)
	s.t.Links = append(s.t.Links, s.strip.links...)
	s.t.Highlights = append(s.t.Highlights, s.strip.strong...)
	return text
}

// rawText joins the lines of a paragraph.
func rawText(para []piece) string {
	lines := make([]string, len(para))
	for i := range para {
		lines[i] = para[i].raw
	}
	return strings.Join(lines, "\n")
}
