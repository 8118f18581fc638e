package shadow

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// guard knows the sealed words of an envelope and recognises them in a text
// that is about to leave shadowd: a sealed text as a whole, a long one also by
// any [runWords] words in a row, and the decoy's token in any word. It keeps
// marks of them and no text.
//
// Sealed are assertions, expectations, checks and the material that checks
// read. Material mostly comes from the decomposition, and a failure message
// has to name what to fix. So what authors have put into a message for
// commanders is not sealed; a message is held against everything else.
type guard struct {
	marks   []mark // sorted
	lengths uint32 // of the sealed texts: bit n for n words
	filter  *[filterBits / 64]uint64
	token   string
}

// filterBits is the size of the filter that answers most questions with no: a
// bit for each mark. There are about a thousand marks in an envelope.
const filterBits = 1 << 14

// tokenSize is the length of the word that is the secret of a decoy's token.
const tokenSize = 32

// From these sizes in bytes on a short text counts as a secret; shorter ones
// ("yes", "401") turn up by chance. Material has to have several words too: a
// single one is a name that anybody may have hit on.
const (
	minSecret        = 12
	minMaterial      = 16
	minMaterialWords = 3
)

// newGuard makes the guard of criteria. With a token they are those of an
// envelope that was opened: their material is guarded too, and so is the log
// of this process. Without one they are being written, and a message is held
// against their words alone.
func newGuard(criteria []Criterion, decoyToken string) guard {
	var g guard
	for i := range criteria {
		for _, s := range []string{criteria[i].Assertion, criteria[i].Expected, criteria[i].Check} {
			if words := wordsIn(s, nil); bytesOf(words) >= minSecret {
				g.addRuns(words, nil)
				g.addWhole(words)
			}
		}
	}
	if decoyToken == "" {
		g.seal()
		return g
	}
	wordsIn(decoyToken, func(w string) { g.token = w })
	g.addMaterial(criteria)
	g.seal()
	opened.add(&g)
	return g
}

// addRuns makes the runs of a text secrets, but for those that were told.
func (g *guard) addRuns(words []word, told map[mark]bool) {
	runs(words, func(m mark) bool {
		if !told[m] {
			g.marks = append(g.marks, m)
		}
		return true
	})
}

// addWhole makes a text a secret; of a long one, the beginning will do.
func (g *guard) addWhole(words []word) {
	words = words[:min(len(words), maxWhole)]
	g.lengths |= 1 << len(words)
	g.marks = append(g.marks, whole(words))
}

// addMaterial adds what the checks of the criteria read and no message tells.
func (g *guard) addMaterial(criteria []Criterion) {
	var said string         // all messages, once they are asked for
	told := map[mark]bool{} // the runs in them
	listen := sync.OnceFunc(func() {
		var b strings.Builder
		for m := range messagesOf(criteria) {
			b.WriteString(folded(m, len(m)))
			runs(wordsIn(m, nil), func(m mark) bool { told[m] = true; return true })
		}
		said = b.String()
	})
	seen := map[string]bool{}
	for i := range criteria {
		for _, m := range criteria[i].Material {
			for s := range stringsIn(m.Data) {
				if len(s) < minMaterial || seen[s] {
					continue
				}
				seen[s] = true
				words := wordsIn(s, nil)
				if len(words) < minMaterialWords || bytesOf(words) < minMaterial {
					continue
				}
				listen()
				g.addRuns(words, told)
				if !strings.Contains(said, folded(s, maxWhole)) {
					g.addWhole(words)
				}
			}
		}
	}
}

// messagesOf yields all that the authors of criteria may have commanders told.
func messagesOf(criteria []Criterion) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range criteria {
			for _, m := range criteria[i].Material {
				if !yield(m.Message) {
					return
				}
			}
		}
	}
}

// stringsIn yields the strings of material, names left out.
func stringsIn(v any) iter.Seq[string] {
	return func(yield func(string) bool) {
		var walk func(any) bool
		walk = func(v any) bool {
			switch v := v.(type) {
			case string:
				return yield(v)
			case []any:
				return !slices.ContainsFunc(v, func(e any) bool { return !walk(e) })
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(v)) {
					if !walk(v[key]) {
						return false
					}
				}
			}
			return true
		}
		walk(v)
	}
}

// seal makes the guard ready to be asked.
func (g *guard) seal() {
	slices.Sort(g.marks)
	g.marks = slices.Compact(g.marks)
	g.filter = new([filterBits / 64]uint64)
	for _, m := range g.marks {
		g.filter[m%filterBits/64] |= 1 << (m % 64)
	}
}

func (g *guard) has(m mark) bool {
	if g.filter[m%filterBits/64]>>(m%64)&1 == 0 {
		return false
	}
	_, found := slices.BinarySearch(g.marks, m)
	return found
}

// leaks reports whether text holds a sealed text as a whole. Without the
// decomposition at hand a run of words proves nothing: both may quote it.
func (g guard) leaks(text string) bool {
	words, token := g.read(text)
	if token {
		return true
	}
	found := false
	wholes(words, g.lengths, func(m mark) bool { found = g.has(m); return !found })
	return found
}

// leaksBeyond reports whether text holds a sealed text that public texts do not
// hold, or a run of its words that neither they nor told texts hold. Those are
// asked for only where something was found.
func (g guard) leaksBeyond(text string, public, told func() []string) bool {
	words, token := g.read(text)
	if token || len(g.found(words, 1)) == 0 {
		return token
	}
	const most = 1000
	found := g.found(wordsIn(given.ReplaceAllString(text, ""), nil), most)
	if len(found) == 0 || len(found) == most {
		return len(found) == most
	}
	known := map[mark]bool{}
	know := func(m mark) bool { known[m] = true; return true }
	for _, s := range public() {
		words := wordsIn(s, nil)
		runs(words, know)
		wholes(words, g.lengths, know)
	}
	for _, s := range told() {
		runs(wordsIn(s, nil), know)
	}
	return slices.ContainsFunc(found, func(m mark) bool { return !known[m] })
}

// read returns the words of a text, and whether the token is in one of them.
func (g *guard) read(text string) (words []word, token bool) {
	words = wordsIn(text, func(w string) { token = token || g.token != "" && strings.Contains(w, g.token) })
	return words, token
}

// found lists the marks of sealed texts among words, most of them at most.
func (g *guard) found(words []word, most int) (found []mark) {
	take := func(m mark) bool {
		if g.has(m) {
			found = append(found, m)
		}
		return len(found) < most
	}
	if runs(words, take); len(found) < most {
		wholes(words, g.lengths, take)
	}
	return found
}

// given are the fields of shadowd's outputs that hold the names which others
// chose. Somebody who calls its bundle by a guess must not learn from what
// then happens whether it guessed right.
var given = regexp.MustCompile(`"(?:run_id|domain|commander_id|bundle_id|name)":"[A-Za-z0-9_/-]*"`)

func bytesOf(words []word) int {
	n := max(len(words)-1, 0)
	for _, w := range words {
		n += w.size
	}
	return n
}

// normalise keeps the letters and digits of a text, in lower case, with one
// space between words.
func normalise(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
