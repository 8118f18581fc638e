package markdown

import "strings"

// maxLabel is how long the name of a link definition may be.
const maxLabel = 200

// define notes a link definition, "[name]: target". The first one of a name
// counts.
func (s *scanner) define(name, url string) {
	if _, ok := s.strip.refs[name]; !ok {
		s.strip.refs[name] = url
	}
}

// definition reads the link definition that s begins with and gives its
// length without the line end, 0 if there is none.
func definition(s string) (n int, name, url string) {
	end := labelEnd(s)
	if end < 2 || s[1] == '^' || !strings.HasPrefix(s[end+1:], ":") {
		return 0, "", ""
	}
	name = labelName(s[1:end])
	s = s[:min(len(s), end+maxLinkTarget)]
	i := end + 2
	gap := blanks(s[i:])
	i += gap
	k, url := destination(s[i:])
	if name == "" || k <= 0 || strings.Count(s[end+2:i], "\n") > 1 {
		return 0, "", ""
	}
	i += k
	end = len(s) - len(strings.TrimLeft(s[i:], " \t\r")) // without a title
	untitled := end == len(s) || s[end] == '\n'
	if b := blanks(s[i:]); b > 0 && strings.Count(s[i:i+b], "\n") < 2 {
		if t := titleAt(s[i+b:]); t > 0 && !strings.Contains(s[i+b:i+b+t], "\n\n") {
			behind := i + b + t
			line, _, _ := strings.Cut(s[behind:], "\n")
			if strings.TrimSpace(line) == "" {
				return behind + len(line), name, url
			}
		}
	}
	if !untitled {
		return 0, "", ""
	}
	return end, name, url
}

// labelEnd gives the offset of the bracket that closes the one s begins with,
// -1 if there is none or a bracket opens before it.
func labelEnd(s string) int {
	for i := 1; i < min(len(s), maxLabel+2); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return -1
		case ']':
			return i
		}
	}
	return -1
}

// labelName is the name of a definition in lower case, its spaces folded.
func labelName(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
