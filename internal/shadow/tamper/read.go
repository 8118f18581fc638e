package tamper

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

const (
	// maxSentence is how many words are looked at together.
	maxSentence = 64
	// manyTopics is how many words a text has that is about judges; one about
	// an attack counts as many. What such a text quotes is an example.
	manyTopics = 3
)

var (
	// numbered matches the beginning of a line of a numbered list.
	numbered = regexp.MustCompile(`^[0-9]+[.)] `)
	// emphasis matches a single star that opens emphasis.
	emphasis = regexp.MustCompile(`^[^*]?\*[^*\s]`)
	// comment matches a link definition that Markdown does not show.
	comment = regexp.MustCompile(`^\[(?://|_|comment)\]: `)
)

// scanner reads a text once, from its beginning to its end.
type scanner struct {
	text    string
	line    int
	decoded bool // the text was encoded inside another one
	found   []Finding
	quoted  []Finding // in code or quotation marks
	topics  int       // how much the text says of attacks and judges

	sentence  []token
	scale     float64 // the number in the sentence, 0 for none
	ranged    bool    // it has several
	sign      rune    // since the last word
	fence     string  // what closes the block of code, or empty
	quote     rune    // what closes the quotation or inline code, or 0
	hiddenTo  int     // up to where a reader of the rendered text sees nothing
	addressed int     // sentences in which a judge that was addressed is spoken to
	unseen    int     // characters in a row that nobody sees
	tried     int     // up to where was looked for encoded text
}

func (s *scanner) run() {
	s.startLine(0)
	for i := 0; i < len(s.text) && len(s.found) < MaxFindings; {
		switch c := s.text[i]; {
		case c == ' ':
			s.unseen, i = 0, i+1
			continue
		case isLetter(c):
			s.unseen, i = 0, s.word(i)
			continue
		case apart[c]:
			s.unseen, i = 0, s.mark(rune(c), i, i+1)
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r >= utf8.RuneSelf && fold.Unseen(r) && !unicode.Is(unicode.Co, r) { // a font shows private characters
			s.invisible(r, i)
			i += size
			continue
		}
		s.unseen = 0
		switch {
		case unspaced(r):
			i = s.unspacedWord(i, r)
		case !wordRune(r):
			i = s.mark(r, i, i+size)
		default:
			i = s.word(i)
		}
	}
	s.flush()
	for _, f := range s.quoted {
		if s.topics < manyTopics {
			s.add(f)
		}
	}
}

// startLine sees what kind of line begins at offset i.
func (s *scanner) startLine(i int) {
	line, _, _ := strings.Cut(s.text[i:min(len(s.text), i+maxTag)], "\n")
	end := i + len(line)
	line = strings.TrimLeft(line, " \t>\r")
	if s.fence != "" {
		s.flush()
		if strings.HasPrefix(line, s.fence) {
			s.fence = ""
		}
		return
	}
	if line != "" && isLetter(line[0]) { // no mark begins it
		return
	}
	if line == "" || strings.IndexByte("#|*+<={[-", line[0]) >= 0 || numbered.MatchString(line) { // it goes on with no sentence
		s.flush()
		s.quote = 0
	}
	switch {
	case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
		s.flush()
		s.fence, s.quote = line[:3], 0
	case !ruled(line): // most lines, and regular expressions take long
	case comment.MatchString(line):
		s.hiddenTo = max(s.hiddenTo, end)
	case shout.MatchString(line):
		s.report(Role)
	case delimiter.MatchString(folded(line)):
		s.report(Delimiter)
	}
}

// ruled tells whether a line begins with a bracket or with two signs that a rule
// may be drawn with. Characters that are folded may be any.
func ruled(line string) bool {
	switch {
	case line == "":
		return false
	case line[0] == '[', line[0] > '~', line[0] < ' ':
		return true
	}
	return strings.IndexByte("<=*_>~({/-", line[0]) >= 0 && len(line) > 1 && line[1] != ' ' && !isLetter(line[1])
}

// closers are the marks that close a quotation, by those that open it.
var closers = map[rune]rune{'"': '"', '`': '`', '“': '”', '„': '“', '«': '»', '「': '」', '『': '』'}

// mark reads a sign between words and gives where to read on.
func (s *scanner) mark(r rune, i, next int) int {
	if s.quote != 0 && (r == s.quote || r == '”') {
		s.quote = 0
		if r != '*' {
			s.behind('"')
		}
		return next
	}
	switch r {
	case ' ', '\t', '_', '~':
	case '*':
		if s.quote == 0 && s.fence == "" && emphasis.MatchString(s.text[max(0, i-1):min(len(s.text), i+2)]) {
			s.quote = '*'
		}
	case '\n':
		s.line++
		s.startLine(next)
	case '\r', '\v', '\f', 0x85, 0x2028, 0x2029, '|', '。', '！', '？', '।', '؟':
		s.flush()
	case '.', '!', '?', ';':
		s.behind(r)
		s.flush()
	case '"', '`', '“', '„', '«', '「', '『':
		if closer := closers[r]; s.quote == 0 && s.fence == "" && strings.ContainsRune(s.text[next:min(len(s.text), next+400)], closer) {
			s.quote = closer
		}
		s.sign = max(s.sign, '"')
		s.behind('"')
	case ':', '=', '：':
		s.behind(':')
		s.sign = ':'
	case ',', '，', '、', '(', '{', '-', '—', '–':
		s.behind(r)
		if strings.ContainsRune("，、{", r) {
			r = ','
		}
		if s.sign != ':' {
			s.sign = r
		}
	case '<', '[':
		return s.markup(i, next)
	}
	return next
}

// behind notes a sign behind the last word.
func (s *scanner) behind(r rune) {
	if n := len(s.sentence); n > 0 && s.sentence[n-1].behind == 0 {
		s.sentence[n-1].behind = r
	}
}

// push appends the word at an offset to the sentence.
func (s *scanner) push(at int, is mask, hidden bool) {
	if len(s.sentence) == maxSentence {
		s.flush()
	}
	s.sentence = append(s.sentence, token{is: is, line: s.line, before: s.sign,
		quoted: s.quote != 0 || s.fence != "", hidden: hidden || at < s.hiddenTo})
	s.sign = 0
}

// flush evaluates the sentence and begins a new one.
func (s *scanner) flush() {
	if len(s.sentence) > 0 {
		s.evaluate()
	}
	s.sentence, s.scale, s.ranged, s.sign = s.sentence[:0], 0, false, 0
}
