package markdown

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences cuts a paragraph into sentences and gives each with the source line
// of the paragraph, from 0, that it begins on. A line break that is meant (two
// spaces, a backslash, <br>, or as cutLines says) ends a sentence, any other is a
// space.
func (p *prose) sentences(emit func(text string, line int, code, struck []Span)) {
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
// behind a full stop or a similar sign. A writer of a text that does neither
// begins sentences with small letters.
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
func (p *prose) sentenceEnd(start, stop int) int {
	text := p.text[:stop]
	for i := start; ; {
		if i = nextTerminator(text, i); i == len(text) {
			break
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		next := firstWord(text, i+n)
		if next == len(text) {
			break
		}
		end := p.endAt(i, n, next)
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

// mayEnd are the bytes that a sign may begin with which ends a sentence.
var mayEnd = func() (set [256]bool) {
	for c := range set {
		set[c] = c == '.' || c == '!' || c == '?' || c >= utf8.RuneSelf
	}
	return set
}()

// nextTerminator finds the first full stop or similar sign at or behind offset at,
// or the end.
func nextTerminator(text string, at int) int {
	for {
		if at = seek(text, at, &mayEnd); at == len(text) || text[at] < utf8.RuneSelf {
			return at
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.Is(unicode.STerm, r) {
			return at
		}
		at += size
	}
}

// firstWord finds the first letter or digit at or behind offset at, or where
// the search for it ends.
func firstWord(text string, at int) int {
	next := at
	for next < len(text) {
		r, size := utf8.DecodeRuneInString(text[next:])
		if isWordRune(r) || next-at >= maxGap {
			break
		}
		next += size
	}
	return next
}

// closers are marks that may stand behind the full stop of a sentence.
const closers = "*_\"')]}”’»」』）.!?"

// endAt gives the offset behind the sentence that the mark of n bytes at offset
// stop ends, 0 if it ends none; next is where the next word begins. Marks of
// scripts that put no spaces between sentences always end one. Behind the others
// there is a space, and no small letter, unless a source line begins there, or
// code, or all sentences of the paragraph begin with small letters.
func (p *prose) endAt(stop, n, next int) int {
	text, at := p.text, stop+n
	for at < next {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(closers, r) && !unicode.Is(unicode.STerm, r) {
			break
		}
		at += size
	}
	end := at
	for end < next && text[end] == ' ' {
		end++
	}
	before, r, word := lastRune(text[:stop]), firstRune(text[end:]), firstRune(text[next:])
	switch {
	case n > 1 && !strings.ContainsRune(",;:，、；：-–—", r):
		return end
	case end == at || strings.ContainsRune("-–—,;:)]}=<>+/|", r): // a?b=C, Yahoo!Mail
		return 0
	case !unicode.IsLower(r) && (text[stop] != '.' || !unicode.IsLower(word)):
		return end
	case text[stop+1] == '.', !isWordRune(before) && !strings.ContainsRune(")]}\"'”’»%*_$", before):
		return 0
	}
	_, atLine := slices.BinarySearch(p.lines, end)
	code := sort.Search(len(p.code), func(i int) bool { return p.code[i].From >= end })
	atCode := code < len(p.code) && (p.code[code].From == end || p.code[code].From == end+1 && strings.ContainsRune("(\"'", r))
	if p.low || atCode || atLine && r != '→' && r != '↩' {
		return end
	}
	return 0
}
