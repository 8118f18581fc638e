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

// emphasised gives the emphasised parts of a line. The stripper pairs the
// marks; here its pairs are found again.
func (s *stripper) emphasised(line string) []string {
	text := s.strip(line)
	var out []string
	var open []delim
	gone := 0 // bytes of marks that were taken out so far
	for _, d := range s.delims {
		if !d.drop {
			continue
		}
		at := d.at - gone
		gone += d.n
		k := len(open) - 1
		for k >= 0 && (!d.close || open[k].mark != d.mark || open[k].n != d.n) {
			k--
		}
		if k < 0 {
			open = append(open, delim{at: at, n: d.n, mark: d.mark})
			continue
		}
		if from := open[k].at; d.mark != '~' && from < at && at <= len(text) {
			out = append(out, text[from:at])
		}
		open = append(open[:k], open[k+1:]...)
	}
	return out
}
