package markdown

import "strings"

// stripParagraph takes the markup out of the paragraph in hand, as one text,
// and cuts it into its lines again. Link definitions at its beginning are no
// text. It tells whether any text is left.
func (s *scanner) stripParagraph() bool {
	if len(s.para) == 0 {
		return false
	}
	text := s.para[0].raw
	if len(s.para) > 1 && s.isPlain() {
		for i := range s.para {
			s.para[i].text = s.para[i].raw
		}
		return true
	}
	if len(s.para) > 1 {
		text = rawText(s.para)
	}
	for len(s.strip.refs) > 0 && strings.HasPrefix(text, "[") {
		n, _, _ := definition(text)
		if n == 0 {
			break
		}
		s.para = s.para[strings.Count(text[:n], "\n")+1:]
		if len(s.para) == 0 {
			return false
		}
		text = text[n+1:]
	}
	text = s.strip.strip(text)
	for _, l := range s.strip.links {
		l.No = s.para[l.No].no
		s.t.Links = append(s.t.Links, l)
	}
	if len(s.para) == 1 {
		p := &s.para[0]
		p.text, p.code, p.struck = text, s.strip.code, s.strip.struck
		return true
	}
	code, struck := s.strip.code, s.strip.struck
	for i, at := 0, 0; i < len(s.para); i++ {
		end := len(text)
		if j := strings.IndexByte(text[at:], '\n'); j >= 0 {
			end = at + j
		}
		p := &s.para[i]
		p.text = text[at:end]
		p.code = cutLine(&code, at, end)
		p.struck = cutLine(&struck, at, end)
		at = min(end+1, len(text))
	}
	return true
}

// isPlain tells whether the paragraph in hand has no markup.
func (s *scanner) isPlain() bool {
	for i := range s.para {
		if raw := s.para[i].raw; nextMarkup(raw, 0) < len(raw) {
			return false
		}
	}
	return true
}

// rawText joins the lines of a paragraph.
func rawText(para []piece) string {
	n := 0
	for i := range para {
		n += len(para[i].raw) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for i := range para {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(para[i].raw)
	}
	return b.String()
}

// cutLine takes the parts of spans that lie in a line off their front and
// gives them as offsets from its beginning.
func cutLine(spans *[]Span, from, to int) []Span {
	out := clipSpans(*spans, from, to)
	for len(*spans) > 0 && (*spans)[0].To <= to {
		*spans = (*spans)[1:]
	}
	return out
}

func joined(para []piece) string {
	if len(para) == 1 {
		return strings.TrimSpace(para[0].text)
	}
	var b strings.Builder
	for i, p := range para {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimSpace(p.text))
	}
	return b.String()
}
