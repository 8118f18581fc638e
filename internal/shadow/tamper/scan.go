package tamper

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of the lexicon or any other word, whose classes are none.
type token struct {
	is    mask
	at    int32 // where it begins
	line  int32
	open  byte // the sign before it that counts most, 0 for a space
	close byte // and behind it
	first bool // of its line
	// quoted: in quotation marks or code, where texts mention what they do
	// not say. veiled: where a reader of the rendered text does not see it.
	quoted, veiled bool
}

// maxSentence is how many words are looked at together, and carried how many
// of them stay when a sentence has more.
const (
	maxSentence = 64
	carried     = 16
)

// scanner reads a text once, from its beginning to its end.
type scanner struct {
	text    string
	line    int
	decoded bool
	found   []Finding

	sentence [maxSentence]token
	n        int
	union    mask // of the sentence
	sign     byte // since the last word

	fence      string // what closes the block of code, or empty
	mark       byte   // the mark that closes inline code or a quotation, or 0
	veil       string // what ends the veiled part, or empty
	firstWord  bool
	paragraph  memory // since the last blank line
	before     memory // the paragraph before
	heading    memory // above them
	inHeading  bool
	ruled      bool      // the line began like a delimiter
	pending    []Finding // quoted ones, until their paragraph is read
	plainTo    int       // up to where nothing is encoded
	unescaped  int       // the line whose character references were read
	address    int       // how many sentences ago the judge was hailed, 0 never
	hailed     bool      // somewhere in the text
	demand     token     // a demand that names no judge, for texts that hail it
	demanded   bool
	invisibles int // in a row
	word       [64]byte
	plain      [64]byte
}

// memory is what the words around a sentence were about.
type memory struct{ is mask }

func (s *scanner) run() {
	t := s.text
	s.startLine(0)
	for i := 0; i < len(t); {
		b := t[i]
		if b >= utf8.RuneSelf {
			i = s.rune(i)
			continue
		}
		switch charOf[b] {
		case letter:
			s.invisibles = 0
			i = s.latin(i)
		case space:
			i++
		case newline:
			i++
			s.line++
			s.startLine(i)
		case stop:
			s.endSentence(b, i)
			i++
		default:
			i = s.markup(b, i)
		}
	}
	s.flush()
	s.settle()
	s.join()
}

// kinds of ASCII characters.
const (
	sign byte = iota
	letter
	space
	newline
	stop
)

var charOf = func() (c [utf8.RuneSelf]byte) {
	for b := range c {
		switch r := rune(b); {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			c[b] = letter
		case r == '\n':
			c[b] = newline
		case r == '.' || r == '!' || r == '?' || r == ';':
			c[b] = stop
		case unicode.IsSpace(r):
			c[b] = space
		}
	}
	return c
}()

// ruledLine reports whether a line begins with a rule of signs.
func (s *scanner) ruledLine(rest string) bool {
	n := 0
	for _, r := range rest[:min(len(rest), 24)] {
		if !ruleSign(r) {
			break
		}
		n++
	}
	return n >= 2
}

// ruleSign are the signs that delimiters are drawn with.
func ruleSign(r rune) bool {
	return strings.ContainsRune("<>=-~[]_*#+|({/＜＞《》═━─▬«‹", r)
}

// startLine sees what kind of line begins at i.
func (s *scanner) startLine(i int) {
	s.firstWord = true
	if s.inHeading || s.ruled {
		s.flush()
		s.inHeading, s.ruled = false, false
	}
	rest := s.text[i:]
	n := 0
	for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t' || rest[n] == '>' || rest[n] == '\r') {
		n++
	}
	rest = rest[n:]
	if s.fence != "" {
		if strings.HasPrefix(rest, s.fence) {
			s.flush()
			s.fence = ""
			s.settle()
		} else if rest == "" || rest[0] == '\n' {
			s.flush()
		}
		return
	}
	switch {
	case rest == "" || rest[0] == '\n':
		s.flush()
		s.settle()
		if s.paragraph.is != 0 {
			s.before, s.paragraph = s.paragraph, memory{}
		}
		s.mark = 0
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"):
		s.flush()
		s.fence, s.mark = rest[:3], 0
	case rest[0] == '#':
		s.flush()
		s.settle()
		s.heading, s.inHeading = memory{}, true
	case rest[0] == '|':
		s.flush()
	case strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "* ") || strings.HasPrefix(rest, "+ "):
		s.flush()
		s.mark = 0
	case rest[0] == '[' && (strings.HasPrefix(rest, "[//]: #") || strings.HasPrefix(rest, "[comment]: ") || strings.HasPrefix(rest, "[_]: ")):
		s.flush()
		s.veil = "\n"
		return
	}
	if s.veil == "\n" {
		s.flush()
		s.veil = ""
	}
	if rest != "" && (strings.IndexByte("=-<>~[({/#|", rest[0]) >= 0 || rest[0] >= utf8.RuneSelf) {
		s.ruled = s.ruledLine(rest)
		if s.ruled {
			s.flush()
		}
	}
}

// latin reads a word that begins with an ASCII letter or digit.
func (s *scanner) latin(i int) int {
	t, start, n, digits, letters := s.text, i, 0, false, 0
	for i < len(t) {
		b := t[i]
		if b >= utf8.RuneSelf {
			return s.mixed(start)
		}
		c := charOf[b]
		if c != letter {
			if b == '\'' && i+1 < len(t) && t[i+1] < utf8.RuneSelf && charOf[t[i+1]] == letter {
				i++
				continue
			}
			if (b == '_' || b == '.' && n > 0 && digits) && i+1 < len(t) && t[i+1] < utf8.RuneSelf && charOf[t[i+1]] == letter {
				goto take
			}
			if (b == '@' || b == '$' || b == '!') && n > 0 && i+1 < len(t) && t[i+1] < utf8.RuneSelf && charOf[t[i+1]] == letter {
				digits = true
				goto take
			}
			break
		}
	take:
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if '0' <= b && b <= '9' {
			digits = true
		} else if 'a' <= b {
			letters++
		}
		if n < len(s.word) {
			s.word[n] = b
		}
		n++
		i++
	}
	if !s.decoded && (n >= minEncoded || i < len(t) && n >= 4 && (t[i] == '+' || t[i] == '/')) {
		if end := s.encoded(start); end > 0 {
			return end
		}
	}
	if n == 1 {
		if end := s.spelled(start); end > 0 {
			return end
		}
	}
	is, disguise := mask(0), false
	if n <= len(s.word) {
		is = lexicon[string(s.word[:n])]
		if is == 0 && digits && letters > 1 {
			if plain, ok := disguised(s.plain[:0], s.word[:n]); ok {
				is = lexicon[string(plain)]
				disguise = is != 0
			}
		}
	}
	if is&mention != 0 && i+1 < len(t) && t[i] == '.' && t[i+1] > ' ' && t[i+1] < utf8.RuneSelf && charOf[t[i+1]] == letter {
		is &^= mention // example.org
	}
	s.push(is, start)
	if disguise {
		s.sentence[s.n-1].veiled = true
	}
	return i
}

// mixed reads a word with letters beyond ASCII, of a script that puts spaces
// between words.
func (s *scanner) mixed(i int) int {
	t, start := s.text, i
	w := s.word[:0]
	hidden, hid := false, 0
	for i < len(t) {
		r, size := utf8.DecodeRuneInString(t[i:])
		switch {
		case invisible(r):
			hidden = true
			hid++
			i += size
			continue
		case r < utf8.RuneSelf && charOf[r] == letter, r >= utf8.RuneSelf && longest[r] == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r) || folded[r] != 0):
			if len(w)+utf8.UTFMax <= len(s.word) {
				w = utf8.AppendRune(w, foldRune(r))
			}
			i += size
			continue
		case unicode.Is(unicode.Mn, r) && r < 0x500:
			i += size
			continue
		case unicode.Is(unicode.M, r): // vowel signs of Indic scripts
			if len(w)+utf8.UTFMax <= len(s.word) {
				w = utf8.AppendRune(w, r)
			}
			i += size
			continue
		}
		break
	}
	if i == start {
		_, size := utf8.DecodeRuneInString(t[i:])
		return i + size
	}
	is := lexicon[string(w)]
	disguise := hidden && is != 0
	if is == 0 {
		if plain, ok := disguised(s.plain[:0], w); ok {
			is = lexicon[string(plain)]
			disguise = is != 0
		}
	}
	s.push(is, start)
	if disguise {
		s.sentence[s.n-1].veiled = true
	}
	return i
}

// rune reads what begins with a character beyond ASCII.
func (s *scanner) rune(i int) int {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if n := longest[r]; n > 0 {
		if end, is := s.unspacedWord(i, n); is != 0 {
			s.push(is, i)
			return end
		}
		return i + size
	}
	switch {
	case r == 0x2028, r == 0x2029, r == 0x85:
		s.flush()
		s.firstWord = true
		return i + size
	case tagged(r):
		return s.tags(i)
	case invisible(r):
		return s.unseen(r, i, size)
	}
	s.invisibles = 0
	switch {
	case unicode.IsLetter(r), folded[r] != 0:
		return s.mixed(i)
	}
	switch r {
	case '。', '！', '？', '；', '।', '؟':
		s.endSentence('.', i)
	case '＜', '《', '═', '━', '─', '▬':
		s.flush()
	case '“', '«', '„', '「', '『':
		s.mark = '"'
		s.sign = '"'
	case '”', '»', '」', '』':
		s.mark = 0
		s.closing('"')
	case '：':
		s.sign = ':'
		s.closing(':')
	case '，', '、', '—', '–', '→':
		s.sign = ','
		s.closing(',')
	}
	return i + size
}

// unspacedWord is the longest word of the lexicon that begins at i.
func (s *scanner) unspacedWord(i, most int) (int, mask) {
	var ends [8]int
	n, at := 0, i
	for n < min(most, len(ends)) && at < len(s.text) {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
		ends[n] = at
		n++
	}
	for n--; n >= 0; n-- {
		if is := lexicon[s.text[i:ends[n]]]; is != 0 {
			return ends[n], is
		}
	}
	return i, 0
}

// push appends a word to the sentence.
func (s *scanner) push(is mask, at int) {
	if s.n == maxSentence {
		s.evaluate()
		copy(s.sentence[:], s.sentence[maxSentence-carried:])
		s.n, s.union = carried, 0
		for i := range s.n {
			s.union |= s.sentence[i].is
		}
	}
	s.sentence[s.n] = token{is: is, at: int32(at), line: int32(s.line), open: s.sign, first: s.firstWord,
		quoted: s.mark != 0 || s.fence != "", veiled: s.veil != ""}
	s.n++
	s.union |= is
	s.sign, s.firstWord = 0, false
}

// closing notes a sign behind the last word.
func (s *scanner) closing(b byte) {
	if s.n > 0 && s.sentence[s.n-1].close == 0 {
		s.sentence[s.n-1].close = b
	}
}

// endSentence ends it at a stop that is not part of a word.
func (s *scanner) endSentence(b byte, i int) {
	s.closing(b)
	if i+1 < len(s.text) && s.text[i+1] < utf8.RuneSelf && charOf[s.text[i+1]] == letter {
		return // file.go, 3.5
	}
	if s.fence != "" && b == ';' {
		return
	}
	s.flush()
}

// flush evaluates the sentence and begins a new one.
func (s *scanner) flush() {
	if s.n > 0 {
		s.evaluate()
	}
	s.n, s.union, s.sign = 0, 0, 0
}
