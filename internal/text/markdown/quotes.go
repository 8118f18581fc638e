package markdown

// quoted takes the mark of a quote off a line. A quote is read as if it were
// not quoted: the text behind the mark moves to the place of the mark.
func quoted(indent int, text string) (int, string) {
	in, text := indentOf(text[1:], indent+1)
	return indent + max(0, in-1), text
}

// leaveQuotes ends the lists that stand deeper in quotes than this.
func (s *scanner) leaveQuotes(quotes int) {
	s.leave(func(i openItem) bool { return i.quotes > quotes })
}

// leaveItems ends the items that a quote in this column stands outside of.
func (s *scanner) leaveItems(indent, quotes int) {
	s.leave(func(i openItem) bool { return i.quotes <= quotes && indent <= i.indent })
}
