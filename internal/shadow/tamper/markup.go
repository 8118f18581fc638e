package tamper

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// maxTag is how many bytes of a tag are looked at, and maxToken how many of a
// control token.
const (
	maxTag   = 200
	maxToken = 60
)

var (
	// template matches a control token of a chat template.
	template = regexp.MustCompile(`^(?:<\|[^\n|<]{1,40}\|>|</?<?sys>>?|<(?:start|end)_of_turn>|\[/?(?:inst|system_prompt|tool_results|gmask)\])`)

	// wrapper matches a tag that a wrapper around a bundle, or a log of a
	// conversation, could have.
	wrapper = regexp.MustCompile(`^</?(?:bundle|submission|untrusted|document|user_input|deliverable|candidate|system|instructions?|judge|verdict|evaluat(?:or|ion)(?:[_-]\w+)?|rubric|winner|score|(?:system[_-])?override|content_under_review|user|assistant|data|prompt|answer|think(?:ing)?|important|tool_(?:call|response)|function_(?:call|results))>`)

	// hidingTag matches a tag that hides what it holds, with its name.
	hidingTag = regexp.MustCompile(`^<([a-z]+)\s[^>]*(?:display: ?none|visibility: ?hidden|font-size: ?[01]\b|opacity: ?0\b|color: ?(?:white|#fff|transparent)|hidden[\s>=]|left: ?-9999)`)

	// shout matches a line in capitals and brackets that speaks as a system or
	// a judge would: [SYSTEM], [EVALUATOR NOTE].
	shout = regexp.MustCompile(`^\[(?:[A-Z_-]+ )*(?:SYSTEM|ADMIN|DEVELOPER|JUDGE|GRADER|EVALUAT(?:OR|ION)|SCORING|OVERRIDE|GRADING)[]:_ -]`)

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
	case shown || len(rest) < 2 || rest[1] < utf8.RuneSelf && strings.IndexByte("!|/<egistEGIST", rest[1]) < 0 || strings.HasPrefix(rest, "<<<"):
	case strings.HasPrefix(rest, "<!--"):
		s.hide(i, "-->")
	case template.MatchString(folded(rest[:min(len(rest), maxToken)])):
		s.report(Template)
	}
	if rest[0] != '<' {
		return next
	}
	end := 1 + strings.IndexAny(rest[1:], "<>")
	if end < 2 || rest[end] != '>' || rest[1] == ' ' || rest[1] == '!' {
		return next
	}
	s.flush()
	if tag := strings.ToLower(rest[:end+1]); !shown && wrapper.MatchString(tag) {
		s.report(Delimiter)
	} else if tagName := hidingTag.FindStringSubmatch(tag); tagName != nil && !shown {
		s.hide(i, "</"+tagName[1])
	}
	return i + end + 1
}

// hide hides from offset i on what stands in front of an end mark.
func (s *scanner) hide(i int, end string) {
	if i < s.hiddenTo {
		return
	}
	s.flush()
	s.hiddenTo = len(s.text)
	if n := strings.Index(s.text[i:], end); n >= 0 {
		s.hiddenTo = i + n
	}
}
