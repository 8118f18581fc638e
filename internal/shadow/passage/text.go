// Package passage says how a text is shown to a model, and where in the text a quote of
// the model stands. It is pure, and takes time linear in the text and in each quote.
package passage

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Text is a text that others wrote. It is safe for concurrent use.
type Text struct {
	original string
	shown    string
	masked   []span // of the original, in their order
	imitates bool
	index    func() []token // made by the first quote
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// New reads a text. Make one for each text and keep it: quotes share its index.
func New(text string) *Text {
	t := &Text{original: text}
	folded, origin, changed := t.folded()
	for from := 0; ; {
		next := strings.IndexAny(folded[from:], "<[]")
		if next < 0 {
			break
		}
		from += next
		n := len(imitation.FindString(folded[from:min(len(folded), from+maxToken)]))
		if n > 0 {
			t.masked = append(t.masked, span{origin.of(from), origin.of(from + n)})
		}
		from += max(n, 1)
	}
	t.imitates = t.imitates || len(t.masked) > 0
	if t.shown = text; changed || len(t.masked) > 0 {
		t.show()
	}
	t.index = sync.OnceValue(t.tokens)
	return t
}

// Shown is the text as a model is shown it. Lines of any kind end in a newline.
func (t *Text) Shown() string { return t.shown }

// Imitates tells whether the text holds what could be taken for the machinery of a
// prompt, or characters that hide words and that ordinary writing does not need.
func (t *Text) Imitates() bool { return t.imitates }

// leftOut is what a character becomes that is not shown.
const leftOut = -1

// glyph is the character at a place of a text as it is shown, or leftOut, and how
// many bytes of the text it takes.
func glyph(text string, at int) (r rune, size int) {
	if c := text[at]; c >= ' ' && c < 0x7f { // nearly all
		return rune(c), 1
	}
	if text[at] == '\n' {
		return '\n', 1
	}
	r, size = utf8.DecodeRuneInString(text[at:])
	switch {
	case ideograph(r) || r == utf8.RuneError:
	case r == '\r' && strings.HasPrefix(text[at+1:], "\n"):
		return leftOut, size
	case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
		return '\n', size
	case r != '\t' && fold.Unseen(r):
		return leftOut, size
	}
	return r, size
}

// ideograph tells characters of East Asian scripts, which are seen and pass for
// nothing else, from those that have to be looked up.
func ideograph(r rune) bool { return 0x3041 <= r && r < 0x3131 || 0x3400 <= r && r < 0xA000 }

// folded is what is shown in small letters, with look-alikes as what they pass for, and
// where it comes from. changed: characters are left out or become newlines.
func (t *Text) folded() (folded string, from origin, changed bool) {
	text := t.original
	rightToLeft := sync.OnceValue(func() bool {
		return strings.ContainsFunc(text, func(r rune) bool { return 0x590 <= r && r < 0x900 })
	})
	b, before := make([]byte, 0, len(text)), rune(0)
	for i := 0; i < len(text); {
		if n := plainLen(text[i:]); n > 0 {
			for _, c := range []byte(text[i : i+n]) {
				b = append(b, byte(fold.Rune(rune(c))))
			}
			i += n
			before = rune(text[i-1])
			continue
		}
		r, size := glyph(text, i)
		if r == leftOut {
			hidden, _ := utf8.DecodeRuneInString(text[i:])
			t.imitates = t.imitates || !ordinary(before, hidden, rightToLeft)
			before, changed = hidden, true
		} else {
			changed = changed || r == '\n' || r == utf8.RuneError && size == 1
			if before = r; !ideograph(r) {
				r = fold.Rune(r)
			}
			b = utf8.AppendRune(b, r)
		}
		i += size
		from = append(from, [2]int{len(b), i})
	}
	return string(b), from, changed
}

// plainLen is how many bytes at the beginning of a text stand for themselves.
func plainLen(text string) (n int) {
	for n < len(text) && (text[n] >= ' ' && text[n] < 0x7f || text[n] == '\n' || text[n] == '\t') {
		n++
	}
	return n
}

// origin says where the bytes of a folded text come from: behind each place here,
// up to the next one, they stand in the original as far on as from its second
// number.
type origin [][2]int

// of is the place in the original of a byte of the folded text, or of its end.
func (o origin) of(at int) int {
	if i := sort.Search(len(o), func(i int) bool { return o[i][0] > at }); i > 0 {
		return o[i-1][1] + at - o[i-1][0]
	}
	return at
}

// ordinary tells whether a character that nobody sees is one that writing needs
// behind the character before it, 0 at the beginning of the text.
func ordinary(before, r rune, rightToLeft func() bool) bool {
	switch {
	case r == '\r', r == '\u00AD', unicode.In(r, unicode.Co, unicode.Prepended_Concatenation_Mark):
		return true
	case r == '\uFEFF':
		return before == 0
	case r == '\u200E' || r == '\u200F' || r == '\u061C': // marks of direction
		return rightToLeft()
	case r == '\u200B': // a place to break lines, in scripts without spaces
		return fold.Unspaced(before)
	case r == '\u200C' || r == '\u200D': // joiners: of emoji, and of scripts whose letters join
		return unicode.In(before, unicode.So, unicode.Sk, unicode.Mn, unicode.Mc) || before == '\uFE0F' ||
			before >= 0x600 && before < 0x1E00 && unicode.IsLetter(before)
	case 0xE0020 <= r && r <= 0xE007F: // the flags of regions
		return before == '\U0001F3F4' || 0xE0020 <= before && before < 0xE007F
	case unicode.Is(unicode.Variation_Selector, r):
		return before > 0x20 && !fold.Unseen(before)
	}
	return false
}

// show writes what is shown.
func (t *Text) show() {
	var b strings.Builder
	b.Grow(len(t.original))
	masked := t.masked
	for i := 0; i < len(t.original); {
		r, size := glyph(t.original, i)
		for len(masked) > 0 && i >= masked[0].to {
			masked = masked[1:]
		}
		if len(masked) > 0 && i >= masked[0].from {
			if at := strings.IndexRune("<>|[]", fold.Rune(r)); r != leftOut && at >= 0 {
				r = []rune("‹›¦⟦⟧")[at]
			}
		}
		if r != leftOut {
			b.WriteRune(r)
		}
		i += size
	}
	t.shown = b.String()
}

// imitation matches a token or a delimiter that begins a folded text: servers make
// control tokens of them wherever they stand. With a bar beside the bracket their name
// does not matter. Behind three brackets a delimiter needs no others to close it.
var imitation = regexp.MustCompile(`^(?:\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|model_settings|call_id|args|think|gmask|smask|img|prefix|suffix|middle)\]` +
	`|</?(?:s|bos|eos|pad|unk|mask|sop|eop|eo[ahtm]|cls|sep|image|(?:start|end)_of_(?:turn|role|text|image)|system|user|assistant|human|model|developer|think|thinking|tools?|tool_calls?|tool_response|` +
	`function|function_(?:call|result)s?|arg_(?:key|value)|instructions?|important|(?:seed|minimax):[a-z_]{1,40}|fim[_-][a-z]{1,20}|(?:bos|eos|eop|pad|unk|cls)_token|` +
	`(?:reserved|unused|tokens_unused|extra_id|special)(?:_token)?_?[0-9]{1,6})>` +
	`|<\|[a-z0-9_/▁ .:\t-]{1,140}\|>|<\|[a-z_]{1,40}>|<[a-z_]{1,40}\|>|\[\|[a-z_]{3,40}\|\]|\[e~\[|\]~b\]|\]~!b\[|\]![pd]~\[` +
	`|<</?sys>>|<<<[ \t]*/?(?:begin|end|start|stop)(?:[^\n>]{0,90}>>+)?|<<[ \t]*/?(?:begin|end|start|stop)(?:[^a-z\n>][^\n>]{0,90})?>>+)`)

// maxToken is more bytes than a token or a delimiter has.
const maxToken = 400
