package markdown

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// sentences cuts a paragraph into sentences and gives each with the source line
// of the paragraph, from 0, that it begins on. A line break that is meant (two
// spaces, a backslash, <br>) ends a sentence, any other is a space.
func (p *prose) sentences(emit func(text string, line int, code, struck []Span)) {
	p.low = !capitalised(p.text)
	code, struck, breaks := p.code, p.struck, p.breaks
	for at := 0; at < len(p.text); {
		stop := len(p.text)
		for len(breaks) > 0 && breaks[0] <= at {
			breaks = breaks[1:]
		}
		if len(breaks) > 0 {
			stop = breaks[0]
		}
		end := p.sentenceEnd(at, stop)
		from := end - len(strings.TrimLeft(p.text[at:end], " \t"))
		part := strings.TrimRight(p.text[from:end], " \t")
		line := 0
		if p.lines != nil {
			line = sort.SearchInts(p.lines, from+1) - 1
		}
		if part != "" {
			emit(part, line, cutSpans(&code, from, from+len(part)), cutSpans(&struck, from, from+len(part)))
		}
		at = end
	}
}

// capitalised tells whether a text begins with a capital letter or has one
// behind a full stop or its kin. A writer of a text that does neither begins
// sentences with small letters.
func capitalised(text string) bool {
	begins := true
	for _, r := range text {
		switch {
		case begins && unicode.IsUpper(r):
			return true
		case isWordRune(r):
			begins = false
		case r == '.' || r == '!' || r == '?':
			begins = true
		}
	}
	return false
}

// cutSpans takes what of spans lies in from to to off their front, and gives it
// as offsets from there.
func cutSpans(spans *[]Span, from, to int) (out []Span) {
	for len(*spans) > 0 && (*spans)[0].From < to {
		c := (*spans)[0]
		if lo, hi := max(c.From, from), min(c.To, to); lo < hi {
			out = append(out, Span{lo - from, hi - from})
		}
		if c.To > to {
			break
		}
		*spans = (*spans)[1:]
	}
	return out
}

// maxGap is how many bytes of marks and spaces between two sentences are
// looked through.
const maxGap = 32

// sentenceEnd gives the offset behind the sentence that begins at offset
// start, the spaces that follow it included: stop at the latest.
//
// Where a sentence may end is for UAX #29 to say, which knows the marks of
// all scripts. It is asked around full stops and their kin only, and given
// what lies between two words: asked about a whole text it looks ahead from
// each mark to the next letter, which takes quadratic time on "((((". What
// it does not know are abbreviations, initials and labels, and that a
// sentence may begin with code or, on a line of its own or where no sentence of
// the paragraph begins with a capital, with a small letter.
func (p *prose) sentenceEnd(start, stop int) int {
	text := p.text[:stop]
	for i := start; i < len(text); {
		n := terminator(text[i:])
		if n == 0 {
			i += skip(text[i:])
			continue
		}
		next, size := firstWord(text, i+n)
		if next == len(text) {
			break
		}
		end := boundary(text, i, next, size)
		if end > 0 && n == 1 && !endsWith(text, i, end) {
			end = 0
		}
		if end == 0 && n == 1 {
			end = p.lowBegin(i, next)
		}
		if end > 0 && !p.inCode(end) && (text[i] != '.' || !isAbbreviation(text[start:i], text[end:])) {
			return end
		}
		if j := strings.LastIndexAny(text[i+n:next], ".!?"); j >= 0 { // { ... }. Next
			next = i + n + j
		}
		i = next
	}
	return len(text)
}

// inCode tells whether offset at lies inside inline code, which is one word of
// its sentence whatever stands in it.
func (p *prose) inCode(at int) bool {
	i := sort.Search(len(p.code), func(i int) bool { return p.code[i].To > at })
	return i < len(p.code) && p.code[i].From < at
}

// skip gives how much of text, which does not begin with a full stop, lies in
// front of the next byte that may begin one.
func skip(text string) int {
	for i := 1; i < len(text); i++ {
		if c := text[i]; c == '.' || c == '!' || c == '?' || c >= utf8.RuneSelf && utf8.RuneStart(c) {
			return i
		}
	}
	return len(text)
}

// terminator gives the length of the full stop or kin that text begins with,
// 0 if it begins with none.
func terminator(text string) int {
	if c := text[0]; c < utf8.RuneSelf {
		if c == '.' || c == '!' || c == '?' {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(text); unicode.Is(unicode.STerm, r) {
		return n
	}
	return 0
}

// firstWord finds the first letter or digit at or behind offset at, or where
// the search for it ends.
func firstWord(text string, at int) (next, size int) {
	for next = at; next < len(text); next += size {
		var r rune
		if r, size = utf8.DecodeRuneInString(text[next:]); isWordRune(r) || next-at >= maxGap {
			return next, size
		}
	}
	return next, 0
}

// boundary gives the offset behind the sentence that the mark at offset stop
// ends according to UAX #29, 0 if it ends none; next is where the next word
// begins, size the length of its first letter.
func boundary(text string, stop, next, size int) int {
	before := stop
	if before > 0 {
		_, n := utf8.DecodeLastRuneInString(text[:before])
		before -= n
	}
	gap := sentences.FromString(text[before : next+size])
	gap.Next()
	if end := before + gap.End(); end > stop && end <= next {
		return end
	}
	return 0
}

// endsWith tells whether a sentence may end with the ASCII mark at offset
// stop if the next one begins at offset end.
func endsWith(text string, stop, end int) bool {
	if text[end-1] != ' ' { // a?b=C, Yahoo!Mail
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[end:])
	return !unicode.IsLower(r) && !strings.ContainsRune(",;:)]}=<>+/|", r)
}

// lowBegin gives the offset behind a sentence that ends with the ASCII mark at
// offset stop for other reasons than the marks: a source line ends there, code
// follows, emphasis stands between that nothing opened, or all sentences of
// the paragraph begin with small letters. 0 means that it does not end.
func (p *prose) lowBegin(stop, next int) int {
	text := p.text
	last, _ := utf8.DecodeLastRuneInString(text[:stop])
	if !isWordRune(last) && !strings.ContainsRune(")]}\"'”’»%*_$", last) {
		return 0
	}
	at := stop + 1
	for at < next && strings.IndexByte("*_\"')]", text[at]) >= 0 {
		at++
	}
	end := at
	for end < next && text[end] == ' ' {
		end++
	}
	if end == at {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text[end:])
	if i := sort.SearchInts(p.lines, end); i < len(p.lines) && p.lines[i] == end && !strings.ContainsRune(",;:)]}=<>+/|-–—→↩", r) {
		return end
	}
	i := sort.Search(len(p.code), func(i int) bool { return p.code[i].From >= end })
	if i < len(p.code) && (p.code[i].From == end || p.code[i].From == end+1 && strings.ContainsRune("(\"'", r)) {
		return end
	}
	if c := text[stop+1]; (c == '*' || c == '_') && unicode.IsUpper(r) || p.low && (unicode.IsLower(r) || strings.ContainsRune("\"'“‘«(", r)) {
		return end
	}
	return 0
}
