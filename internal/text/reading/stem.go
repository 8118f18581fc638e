package reading

import (
	"strings"

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

// stem gives the stem of a word in lower case. British and American spellings
// of a word have one stem.
func stem(form string) string {
	if len(form) <= 3 || len(form) > longestStemmed || strings.ContainsAny(form, "0123456789") {
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
