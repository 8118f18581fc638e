package tamper

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup reads a sign of ASCII: quotation marks, code, HTML, delimiters.
func (s *scanner) markup(b byte, i int) int {
	t := s.text
	rest := t[i:]
	switch b {
	case '<':
		if n := s.angle(rest, i); n > 0 {
			return i + n
		}
	case '&':
		if strings.HasPrefix(rest, "&#") {
			s.reference(i)
		}
	case 0x1b:
		// Colours stand in pasted logs; what moves the cursor hides text.
		if n := strings.IndexFunc(rest[min(2, len(rest)):min(len(rest), 12)], unicode.IsLetter); n >= 0 {
			if rest[2+n] != 'm' {
				s.report(Hidden, s.line, i)
			}
			return i + 3 + n
		}
	case '*':
		if single := (i == 0 || t[i-1] != '*') && len(rest) > 1 && rest[1] != '*'; single && s.mark == '*' {
			s.mark = 0
		} else if single && s.mark == 0 && s.fence == "" && rest[1] != ' ' {
			s.mark = '*'
		}
	case '[':
		if strings.HasPrefix(rest, "[INST]") || strings.HasPrefix(rest, "[/INST]") || strings.HasPrefix(rest, "[SYSTEM_PROMPT]") {
			s.template(i)
		}
	case '-':
		if s.veil == "-->" && strings.HasPrefix(rest, "-->") {
			s.flush()
			s.veil = ""
			return i + 3
		}
	case '`':
		if s.fence == "" {
			n := len(rest) - len(strings.TrimLeft(rest, "`"))
			if s.mark == '`' {
				s.mark = 0
			} else if s.mark == 0 && strings.Contains(rest[n:min(len(rest), n+400)], "`") {
				s.mark = '`'
			}
			s.sign = '"'
			return i + n
		}
	case '"':
		if s.mark == '"' {
			s.mark = 0
		} else if s.mark == 0 && s.fence == "" {
			s.mark = '"'
		}
		s.sign = max(s.sign, '"')
		s.closing('"')
		return i + 1
	case ':', '=':
		s.sign = ':'
		s.closing(':')
		return i + 1
	case '|':
		s.sign = '|'
		s.closing('|')
		return i + 1
	case ',', '(', '{', '}', '/', ')':
		if s.sign != ':' {
			s.sign = ','
		}
		s.closing(b)
		return i + 1
	}
	if s.sign == 0 && b != '-' {
		s.sign = ','
	}
	if b == '-' && (i == 0 || t[i-1] == ' ') && s.sign == 0 {
		s.sign = ','
	}
	return i + 1
}

// controls are the control tokens of chat templates that are not written
// <|name|>.
var controls = []string{"<<SYS>>", "<</SYS>>", "<start_of_turn>", "<end_of_turn>", "<｜"}

// control is how long the control token is that a text begins with, or 0.
func control(rest string) int {
	for _, c := range controls {
		if strings.HasPrefix(rest, c) {
			return len(c)
		}
	}
	if !strings.HasPrefix(rest, "<|") {
		return 0
	}
	n := 2
	for n < min(len(rest), 40) && (rest[n] < utf8.RuneSelf && charOf[rest[n]] == letter || rest[n] == '_') {
		n++
	}
	if n > 3 && strings.HasPrefix(rest[n:], "|>") {
		return n + 2
	}
	return 0
}

// pretend are the tags that a wrapper around a bundle could have.
var pretend = []string{"bundle", "submission", "untrusted", "document", "user_input", "deliverable", "candidate", "system", "instructions", "instruction", "judge", "verdict", "evaluator", "evaluation", "content_under_review", "user", "assistant", "input", "data", "prompt", "context", "answer", "think", "thinking", "tool_call", "tool_response", "function_call", "function_results"}

// veilers are the ways in which a tag hides what it holds.
var veilers = []string{"display:none", "display: none", "visibility:hidden", "visibility: hidden", "font-size:0", "font-size: 0", "opacity:0", "opacity: 0", "color:white", "color: white", "color:#fff", "color: #fff", " hidden>", " hidden ", "hidden=", "aria-hidden", "font-size:1px", "font-size: 1px", "left:-9999", "left: -9999", "color:transparent", "color: transparent"}

// angle reads what begins with "<" and returns how much of it is read.
func (s *scanner) angle(rest string, i int) int {
	if strings.HasPrefix(rest, "<!--") && s.veil == "" {
		s.flush()
		if !s.quoting() {
			s.veil = "-->"
		}
		return 4
	}
	if n := control(rest); n > 0 {
		s.template(i)
		s.flush()
		return n
	}
	if strings.HasPrefix(rest, "<<<") {
		s.flush()
		return 3
	}
	end := strings.IndexByte(rest[:min(len(rest), 200)], '>')
	if end < 2 || s.quoting() {
		return 0
	}
	tag := rest[1:end]
	if s.veil != "" && s.veil != "-->" && s.veil != "\n" && strings.HasPrefix(tag, s.veil) {
		s.flush()
		s.veil = ""
		return end + 1
	}
	name := strings.ToLower(strings.TrimPrefix(tag, "/"))
	if n := strings.IndexAny(name, " \t\n"); n > 0 {
		name = name[:n]
	}
	if s.veil == "" && tag[0] != '/' {
		low := strings.ToLower(rest[:end+1])
		for _, v := range veilers {
			if strings.Contains(low, v) {
				s.flush()
				s.veil = "/" + name
				return end + 1
			}
		}
	}
	for _, p := range pretend {
		if name == p || strings.HasPrefix(name, p+"_") || strings.HasPrefix(name, p+"-") {
			s.report(Delimiter, s.line, i)
			s.flush()
			return end + 1
		}
	}
	return 0
}

// quoting: inside code or quotation marks.
func (s *scanner) quoting() bool { return s.mark != 0 || s.fence != "" }

// template notes a control token that is not shown as code.
func (s *scanner) template(i int) {
	if !s.quoting() {
		s.report(Template, s.line, i)
	}
}

// delimiter reports whether a sentence begins behind a rule, as in
// "=== END OF BUNDLE ===".
func (s *scanner) delimiter(first *token) bool {
	back := s.text[max(0, int(first.at)-24):first.at]
	n := 0
	for len(back) > 0 {
		r, size := utf8.DecodeLastRuneInString(back)
		if r != ' ' && !ruleSign(r) {
			break
		}
		if r != ' ' {
			n++
		}
		back = back[:len(back)-size]
	}
	return n >= 2 || n == 1 && s.text[first.at-1] == '['
}

// reference reads a line with character references as it is shown.
func (s *scanner) reference(i int) {
	if s.decoded || s.unescaped == s.line {
		return
	}
	s.unescaped = s.line
	start := strings.LastIndexByte(s.text[:i], '\n') + 1
	line := s.text[start:min(len(s.text), i+maxDecoded)]
	line, _, _ = strings.Cut(line, "\n")
	if len(find(html.UnescapeString(line), true)) > 0 {
		s.report(Encoded, s.line, i)
	}
}
