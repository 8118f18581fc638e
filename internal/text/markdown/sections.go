package markdown

import (
	"strings"
	"unicode"
)

// Section gives the source text under the heading that title names, its
// subsections included, or "". Case, numbering and marks around a title do
// not matter. A heading that is title wins over one that contains its words.
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

// closeSections ends every open section of at least the given level at source
// offset to.
func (s *scanner) closeSections(level, to int) {
	for i := len(s.t.Sections) - 1; i >= 0; i = s.t.Sections[i].Up {
		sec := &s.t.Sections[i]
		if open := i > 0 && sec.Level >= level || i == 0 && sec.To == 0; open {
			sec.To = max(to, sec.From)
		}
	}
}
