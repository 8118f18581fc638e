package shadow

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Count is a number of things, such as "1 item" or "3 items".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// words spells a score: "2 of 8 criteria not passed (25.0 %)".
func (s Score) words() string {
	return fmt.Sprintf("%d of %d criteria not passed (%s %%)", s.Failed, s.Total, s.Percent())
}

// find is the first of some that is what is looked for, or nil.
func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// list joins items up to a bound, each once, and says how many it leaves out.
func list(items []string, limit int) string {
	var different []string
	for _, item := range items {
		different = appendNew(different, item)
	}
	var b strings.Builder
	for i, item := range different {
		item = strings.ToValidUTF8(item[:min(len(item), limit)], "")
		if i > 0 && b.Len()+len(item) > limit {
			fmt.Fprintf(&b, "; and %d more", len(different)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(item)
	}
	return b.String()
}

// firstTen lists the first ten of what may be as many as a decomposition has.
func firstTen(list []string, sep string) string { return clip.List(list, 10, sep) }

// oneLine is an item's text on one [Line], without a mark at its end.
func oneLine(text string) string {
	return strings.TrimRight(spaced(Line(text)), ".:; ")
}

// spaced is a text on one line, with one space between its words.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// Printable is a [Line] of at most 1000 characters.
func Printable(s string) string { return clip.To(Line(s), 1000) }

// Line makes untrusted text fit for a log or a terminal: one line, valid UTF-8, no
// control characters, nothing that turns the direction of writing or hides in it,
// and no [LogCommand]. Joiners stay: Persian and emoji are not spelt without them.
func Line(s string) string {
	return LogCommand.ReplaceAllString(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029:
			return ' '
		case r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�")), "# #$1")
}

// LogCommand is what runners of pipelines obey wherever it stands in a line of a
// log: ##[add-mask] on GitHub, ##vso[task.setvariable] on Azure, ##teamcity[.
var LogCommand = regexp.MustCompile(`##(\w*\[)`)

// Outcomes that a caller branches on.
var (
	// ErrUnknownType: the event is none of the protocol's.
	ErrUnknownType = errors.New("not an event of shadowd")
	// ErrSealBroken: the envelope is not the one that was committed to.
	ErrSealBroken = errors.New("the sealed envelope does not match its commitment")
	// ErrWrongKey: an envelope, a vote or a mark cannot be opened with the key
	// at hand.
	ErrWrongKey = errors.New("sealed with another key")
)
