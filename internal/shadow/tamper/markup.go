package tamper

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// maxTag is how many bytes of a tag are looked at, and maxToken how many of a
// control token.
const (
	maxTag   = 200
	maxToken = 60
	// maxCode is how many bytes a control sequence of a terminal has.
	maxCode = 12
)

var (
	// template matches a control token of a chat template.
	template = regexp.MustCompile(`^(?:<\|[^\n|<]{1,40}\|>|</?<?sys>>?|<(?:start|end)_of_turn>|\[/?(?:inst|system_prompt|tool_results|gmask)\])`)

	// wrapper matches a tag that a wrapper around a bundle, or a log of a
	// conversation, could have.
	wrapper = regexp.MustCompile(`^</?(?:bundle|submission|untrusted|document|user_input|deliverable|candidate|system|instructions?|judge|verdict|evaluat(?:or|ion)|content_under_review|user|assistant|data|prompt|answer|think(?:ing)?|important|tool_(?:call|response)|function_(?:call|results))>`)

	// veiler matches a tag that hides what it holds, with its name.
	veiler = regexp.MustCompile(`^<([a-z]+)\s[^>]*(?:display: ?none|visibility: ?hidden|font-size: ?[01]\b|opacity: ?0\b|color: ?(?:white|#fff|transparent)|hidden[\s>=]|left: ?-9999)`)

	// delimiter matches a line that is drawn with a rule of signs as the
	// marks around a bundle are. Bold text has no rule.
	delimiter = regexp.MustCompile(`^(?:<{2,}|={2,}|[*_]{3,}|[<>=~\[({/《》═━─▬«‹-]{3,}|\[) *(?:\w+ +)?(?:end|eof|begin|beginning|start|stop)\b(?:.{0,60}\b(?:bundle|submission|untrusted|prompt|system|candidate|deliverable|evaluation|document|content|input|data|judge|evaluator|instructions?|transcript|verdict|answer|work|text|context|response)\b|[^a-z]*$)`)
)

// folded is a text as a reader's eye takes it.
func folded(text string) string {
	if fold.IsASCII(text) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		if fold.Unseen(r) {
			return -1
		}
		return fold.Rune(r)
	}, text)
}

// markup reads a sign that may begin markup and gives where to read on.
func (s *scanner) markup(i, next int) int {
	rest := s.text[i:min(len(s.text), i+maxTag)]
	shown := s.quote != 0 || s.fence != ""
	switch {
	case rest[0] == '&':
		s.reference(i)
	case rest[0] == 0x1b: // colours stand in pasted logs; what moves the cursor hides text
		if n := strings.IndexFunc(rest[:min(len(rest), maxCode)], unicode.IsLetter); n > 0 && rest[n] != 'm' {
			s.report(Hidden, i)
		}
	case shown || len(rest) < 2 || rest[1] < utf8.RuneSelf && !unicode.IsLetter(rune(rest[1])) && strings.IndexByte("!|/<", rest[1]) < 0:
	case strings.HasPrefix(rest, "<!--"):
		s.veil(i, "-->")
	case template.MatchString(folded(rest[:min(len(rest), maxToken)])):
		s.report(Template, i)
	}
	end := 1 + strings.IndexAny(rest[1:], "<>")
	if rest[0] != '<' || end < 2 || rest[end] != '>' || rest[1] == ' ' || rest[1] == '!' {
		return next
	}
	s.flush()
	if tag := strings.ToLower(rest[:end+1]); !shown && wrapper.MatchString(tag) {
		s.report(Delimiter, i)
	} else if veil := veiler.FindStringSubmatch(tag); veil != nil && !shown {
		s.veil(i, "</"+veil[1])
	}
	return i + end + 1
}

// veil hides from offset i on what stands in front of an end mark.
func (s *scanner) veil(i int, end string) {
	if i < s.veiledTo {
		return
	}
	s.flush()
	s.veiledTo = len(s.text)
	if n := strings.Index(s.text[i:], end); n >= 0 {
		s.veiledTo = i + n
	}
}

// reference reads a line with character references as it is shown.
func (s *scanner) reference(i int) {
	if s.decoded || i < s.tried || !strings.HasPrefix(s.text[i:], "&#") {
		return
	}
	line, _, _ := strings.Cut(s.text[i:min(len(s.text), i+maxDecoded)], "\n")
	s.tried = i + len(line)
	if len(find(html.UnescapeString(line), true)) > 0 {
		s.report(Encoded, i)
	}
}
