package markdown

import "strings"

// Highlights lists what is emphasised with stars or underscores, in the order
// in which it ends, without markup. Emphasis ends on the line it begins on,
// and what is code is no emphasis.
func (t *Doc) Highlights() []string {
	out := []string{}
	if !strings.ContainsAny(t.Source, "*_") {
		return out
	}
	code := t.codeLines()
	var s stripper
	for no, at := 1, 0; at < len(t.Source); no++ {
		line, next := nextLine(t.Source, at)
		if at = next; !code[no] && strings.ContainsAny(line, "*_") {
			out = append(out, s.emphasised(line)...)
		}
	}
	return out
}

// codeLines tells which source lines are code.
func (t *Doc) codeLines() map[int]bool {
	lines := map[int]bool{}
	for i := range t.Lines {
		if l := &t.Lines[i]; l.Kind == Code {
			for n := range strings.Count(l.Text, "\n") + 1 {
				lines[l.No+n] = true
			}
		}
	}
	return lines
}

// emphasised gives the emphasised parts of a line. What is both emphasis and
// strong, "***x***", counts once.
func (s *stripper) emphasised(line string) []string {
	text := s.strip(line)
	var out []string
	last := Span{-1, -1}
	for _, p := range s.pairs {
		if in := s.inside(p); p.char != '~' && in != last && in.From < in.To {
			out = append(out, text[in.From:in.To])
			last = in
		}
	}
	return out
}
