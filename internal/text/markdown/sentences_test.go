package markdown

import (
	"reflect"
	"strings"
	"testing"
)

// TestSentences: a bar marks where a sentence ends and the next one begins.
func TestSentences(t *testing.T) {
	for _, marked := range []string{
		// Abbreviations, initials, labels.
		"Dr. Smith met Mr. and Mrs. Jones, i.e. Bob vs. Ann.|They left.",
		"Use a cache, e.g. Redis.|Or approx. 3 of them, cf. Fig. 2 and No. 5 on pp. 3–9.|The answer is yes.|We stop.",
		"J. R. R. Tolkien, R.I. Pienaar and J. A. Doe wrote it.|Then we left.",
		"Logs, metrics, etc. are kept.|Logs etc.|Nothing else.",
		"Das gilt z.B. Montags, vgl. Nr. 5.|Danach nicht.",
		"a. First comes this.|Then that.",
		// Numbers, versions, names with full stops.
		"It wrote v1.2.|See example.org.|It took 3.5 s in 4.|Node.js is used.|So is .NET.|Also a/b.|End",
		"Values ./... and opts... pass.|Wait... what?|Yes...|F(x...) is it",
		"iv. one label. then this.",
		// Marks behind and in front.
		"He said \"Stop.\"|She did.|(They too.)|“Really?”|‘Yes!’|«Oui.»|Done",
		"Yahoo! said so.|Is it?!|Yes.|Never!",
		"A = b. = c.|X < 5. > 3.|Gone.",
		"Press ? or ! to go on.|Done.",
		// Code and emphasis.
		"Say `One. two! three.` then.|Or `end.`|Next.",
		"**Bold.**|Next.|*So.*|Then.",
		// Scripts.
		"日本語です。|次の文！|本当？|はい。",
		"他说：“走。”|我走了。",
		"यह एक वाक्य है।|दूसरा वाक्य।",
		"هل هذا سؤال؟|نعم.|Ναι.|Да.|Нет!",
		"Été. |Là-bas.|Où ?|¿Qué?|¡Sí!",
		"Done. 🎉",
	} {
		want := strings.Split(marked, "|")
		sep := " "
		if strings.HasPrefix(marked, "日") || strings.HasPrefix(marked, "他") {
			sep = ""
		}
		text := strings.Join(want, sep)
		for i, w := range want {
			want[i] = strings.TrimSpace(strings.NewReplacer("*", "", "`", "").Replace(w))
		}
		if got := Parse(text).Sentences(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// TestSentencesOverLines: a line break in a paragraph is a space, unless it is
// meant.
func TestSentencesOverLines(t *testing.T) {
	const text = "It keeps logs, e.g.\naudit logs, metrics, etc.\nand traces.\nmetrics are next: a...\nb, `c` and\n`d.`  \n" +
		"so it\nis. Then\n\n- one.\n  `Two` and\n  three. Four"
	const want = `sentence 1 "It keeps logs, e.g. audit logs, metrics, etc. and traces. metrics are next: a... b, c and d."
sentence 7 "so it is."
sentence 8 "Then"
item 10 "one."
item 11 "Two and three."
item 12 "Four"
`
	x := Parse(text)
	if got := outline(x); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var code []string
	for _, l := range x.Lines {
		for _, c := range l.InlineCode {
			code = append(code, l.Text[c.From:c.To])
		}
	}
	if want := []string{"c", "d.", "Two"}; !reflect.DeepEqual(code, want) {
		t.Errorf("code spans: got %q, want %q", code, want)
	}
}

// FuzzSentences: cutting goes on and loses nothing.
func FuzzSentences(f *testing.F) {
	f.Add("U.S. Army, e.g. `x`. (So. ) Then ... 1. A? b! \"C.\" D。E .** F ((((((((((((((((((((((((((((((((((( G. H")
	f.Fuzz(func(t *testing.T, text string) {
		var all []string
		for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			p := strings.Trim(l, " \t")
			for at := 0; at < len(p); {
				end := sentenceEnd(p, at)
				if end <= at || end > len(p) {
					t.Fatalf("%q: sentence %d to %d", p, at, end)
				}
				all = append(all, p[at:end])
				at = end
			}
			if got := strings.Join(all, ""); got != p {
				t.Fatalf("%q became %q", p, all)
			}
			all = all[:0]
		}
	})
}
