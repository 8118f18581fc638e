package markdown

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// piece is one source line of a paragraph.
type piece struct {
	raw  string // as written
	no   int
	at   int  // offset in the source
	hard bool // ends in a line break that is marked
}

// take adds a line to the current paragraph or item. Its markup is taken out at
// the paragraph's end, because markup may go on over line ends.
func (s *scanner) take(text string, hard bool) {
	hard = hard || strings.HasSuffix(text, "\\") || strings.HasSuffix(text, "<br>")
	s.para = append(s.para, piece{raw: text, no: s.no, at: s.at, hard: hard})
}

// endParagraph turns the current paragraph or item into lines.
func (s *scanner) endParagraph() {
	switch {
	case len(s.para) > 0:
		text := s.prose()
		if len(s.para) == 1 && len(s.items) == 0 && isBoldAlone(s.para[0].raw) {
			s.heading(strings.TrimRight(text, ": "), 7, s.para[0], s.at)
			break
		}
		s.sentences(text)
		s.block++
	case s.item >= 0:
		s.block++
	}
	s.para, s.item = s.para[:0], -1
}

// sentences adds the sentences of a paragraph or item as lines. A marked line break
// ends one too.
func (s *scanner) sentences(text string) {
	l := Line{Kind: Sentence, Block: s.block, Struck: s.inline.struck}
	if n := len(s.items); n > 0 {
		l.Kind, l.Level, l.Item = Item, n-1, s.items[n-1].line
	}
	code, lines, row := s.inline.code, s.inline.lines, 0 // row ends in the next marked break
	for at := 0; at < len(text); {
		for row < len(lines) && (lines[row] <= at || !s.para[row].hard) {
			row++
		}
		end := len(text)
		if row < len(lines) {
			end = lines[row]
		}
		end = sentenceEnd(text[:end], at)
		from := end - len(strings.TrimLeft(text[at:end], " \t"))
		l.Text = strings.TrimRight(text[from:end], " \t")
		at = end
		if l.Text == "" {
			continue
		}
		l.No, l.InlineCode = s.para[sort.SearchInts(lines, from+1)].no, nil
		for to := from + len(l.Text); len(code) > 0 && code[0].From < to; code = code[1:] {
			if lo, hi := max(code[0].From, from), min(code[0].To, to); lo < hi {
				l.InlineCode = append(l.InlineCode, Span{lo - from, hi - from})
			}
			if code[0].To > to {
				break
			}
		}
		if s.item < 0 {
			s.t.Lines = append(s.t.Lines, l)
			continue
		}
		first := &s.t.Lines[s.item] // has a place kept for it
		first.No, first.Text, first.InlineCode, first.Struck = l.No, l.Text, l.InlineCode, l.Struck
		s.item = -1
	}
}

// prose takes the markup out of the current paragraph, as one text on one line.
func (s *scanner) prose() string {
	lines := make([]string, len(s.para))
	for i := range s.para {
		lines[i] = s.para[i].raw
	}
	return s.inline.strip(strings.Join(lines, "\n"))
}

// mayEnd are the bytes that a sign may begin with which ends a sentence.
var mayEnd = func() (set [256]bool) {
	for c := range set {
		set[c] = c == '.' || c == '!' || c == '?' || c >= utf8.RuneSelf
	}
	return set
}()

const (
	// closers are marks that may stand behind the full stop of a sentence, and
	// goesOn those that begin none.
	closers = "*_\"')]}”’»」』）.!?"
	goesOn  = "-–—,;:，、；：)]}=<>+/|"
	// maxGap is how many bytes of marks and spaces between two sentences are
	// looked through.
	maxGap = 32
)

// sentenceEnd gives the offset behind the sentence that begins at offset start,
// the spaces that follow it included.
func sentenceEnd(text string, start int) int {
	for i := seek(text, start, &mayEnd); i < len(text); i = seek(text, i, &mayEnd) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < utf8.RuneSelf || unicode.Is(unicode.STerm, r) {
			if end := endAt(text, i, n); end > 0 && (r != '.' || !isAbbreviation(text[start:i])) {
				return end
			}
		}
		i += max(n, runLength(text[i:], '.')) // "..." ends where its first full stop does
	}
	return len(text)
}

// endAt gives the offset behind the sentence that the mark of n bytes at offset stop
// ends, 0 if it ends none. Behind the mark there is a space, and no small letter, but in
// scripts that put no spaces between sentences.
func endAt(text string, stop, n int) int {
	end := stop + n
	for end < min(len(text), stop+maxGap) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !strings.ContainsRune(closers, r) && !unicode.Is(unicode.STerm, r) {
			break
		}
		end += size
	}
	at := end // of the next word
	for end < len(text) && text[end] == ' ' {
		end++
	}
	spaced := end > at || n > 1
	for at = end; at < len(text) && at-end < maxGap && !isWordRune(firstRune(text[at:])); {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at == len(text) || !spaced || strings.ContainsRune(goesOn, firstRune(text[end:])) || unicode.IsLower(firstRune(text[at:])) {
		return 0
	}
	return end
}

// isAbbreviation tells whether the full stop behind text, the sentence so far,
// belongs to an abbreviation, an initial or a label ("1. First", "e.g. Redis").
func isAbbreviation(text string) bool {
	near := text[max(0, len(text)-14):] // a longer word is none
	w := strings.ToLower(near[strings.LastIndexAny(near, " \t(\"'[/")+1:])
	switch n := len(w); {
	case n == 0 || !isAlnum(w[n-1]):
		return false
	case n == len(text) && (n == 1 || strings.Trim(w, "0123456789") == "" || strings.Trim(w, "ivx") == ""): // label
		return true
	}
	n := len(w)
	return n == 1 && near[len(near)-1] < 'a' && !isDigit(w[0]) || n > 2 && w[n-2] == '.' && !isDigit(w[n-1]) || abbreviations[w]
}

// abbreviations stand before a name or a number more often than at the end.
var abbreviations = fold.WordSet("dr mr mrs ms prof vs cf eg ie fig eq no nr pp vgl bzw ggf approx")
