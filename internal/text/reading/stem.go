package reading

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// longestStemmed is the length in bytes above which a word is data.
const longestStemmed = 40

// british are British endings that change a stem, with the American ones.
var british = [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}, {"yse", "yze"}, {"ysed", "yzed"}, {"our", "or"}, {"ours", "ors"}}

// nouns are ends of stems of nouns, with that of the verb: comparison and
// compare, reproduction and reproduce, description and describe.
var nouns = [...][2]string{{"parison", "par"}, {"duct", "duc"}, {"cript", "crib"},
	{"vers", "vert"}, {"lys", "lyz"}, {"anc", "ant"}, {"enc", "ent"}}

// remembered are the last words that were stemmed, by their hash, with their stems.
// The same words come again and again, and to stem one takes as long as to read
// twenty.
var (
	remembered [4096]atomic.Pointer[[2]string]
	seed       = maphash.MakeSeed()
)

// stem gives the stem of a word in lower case. British and American spellings
// of a word have one stem.
func stem(form string) string {
	if len(form) <= 3 || len(form) > longestStemmed {
		return form
	}
	place := &remembered[maphash.String(seed, form)%uint64(len(remembered))]
	if known := place.Load(); known != nil && known[0] == form {
		return known[1]
	}
	form = strings.Clone(form) // not to keep the text that it is a part of
	s := stemAnew(form)
	place.Store(&[2]string{form, s})
	return s
}

func stemAnew(form string) string {
	if strings.ContainsAny(form, "0123456789") {
		return form
	}
	for _, s := range british {
		if len(form) > len(s[0])+2 && strings.HasSuffix(form, s[0]) {
			form = strings.TrimSuffix(form, s[0]) + s[1]
			break
		}
	}
	env := snowballstem.NewEnv(form)
	english.Stem(env)
	if form = env.Current(); len(form) > 5 { // reconciliation, reconcile
		form = strings.TrimSuffix(form, "i")
	}
	for _, n := range nouns {
		if root, ok := strings.CutSuffix(form, n[0]); ok {
			return root + n[1]
		}
	}
	return form
}
