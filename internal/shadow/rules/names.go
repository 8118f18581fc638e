package rules

import (
	"regexp"
	"strings"
	"unicode"
)

// namesIn lists the names of a text that only a machine or a programmer would
// write: refresh_tokens, docs/auth.md, refreshToken, and one word in backticks.
// Each stands once.
func namesIn(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.Fields(text) {
		quoted := quotedForm.MatchString(w)
		w = strings.Trim(w, "`\"'()[]{}<>,;:!?*“”‘’.")
		if key := strings.ToLower(w); (quoted || isName(w)) && !seen[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}

func isName(w string) bool {
	switch {
	case len(w) < 4 || len(w) > 100 || strings.Contains(w, "://") || strings.ContainsAny(w, "@=()[]{}<>|,;") || strings.HasPrefix(w, "www."):
		return false
	case strings.ContainsFunc(w, unicode.IsControl):
		return false
	}
	return snakeForm.MatchString(w) || fileForm.MatchString(w) && !productForm.MatchString(w) || camelForm.MatchString(w)
}

var (
	quotedForm = regexp.MustCompile("^\\W*`[A-Za-z]{3,40}`\\W*$")
	snakeForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+$`)
	fileForm   = regexp.MustCompile(`^[\w.-]*(/[\w.-]+)*\.(md|go|tsx?|jsx?|py|sql|ya?ml|json|csv|parquet|ipynb|toml|proto|html|css|tf|sh|txt|pdf|xlsx|docx|pptx|rs|java|kt|cs|rb|xml|svg|png)$`)
	camelForm  = regexp.MustCompile(`^[a-z]{3,}([A-Z][a-z]+)+$`)
	// productForm is that of products which look like files: Node.js.
	productForm = regexp.MustCompile(`^[A-Z][a-z]+\.(js|ts|io|cs)$`)
)

// alternatives are other words for a phrase: those that it gives itself in
// parentheses, and the usual names of what befalls a thing.
func alternatives(phrase string) []string {
	out := asides(phrase)
	for _, p := range paraphrases {
		if before, after, ok := strings.Cut(phrase, " "+p[0]); ok && (after == "" || !unicode.IsLetter(rune(after[0]))) {
			out = append(out, before+" "+p[1]+after)
			break
		}
	}
	return out
}

// paraphrases are what texts call a case that a requirement spells out.
var paraphrases = [][2]string{
	{"occurs twice", "duplicate"}, {"appears twice", "duplicate"}, {"is placed twice", "duplicate"}, {"is sent twice", "duplicate"},
	{"cannot be read", "malformed"}, {"cannot be parsed", "malformed"}, {"cannot be reached", "unavailable"}, {"is not reachable", "unavailable"},
	{"is not available", "unavailable"}, {"is down", "unavailable"},
}

// asides are the phrase with its parentheses or with what they stand for left
// out: the short form of a name, or the identifier of a thing.
func asides(phrase string) []string {
	m := aside.FindStringSubmatchIndex(phrase)
	if m == nil {
		return nil
	}
	before, inner, after := strings.TrimRight(phrase[:m[0]], " "), phrase[m[2]:m[3]], phrase[m[1]:]
	inner = strings.Trim(inner, "` ")
	without := before + after
	switch {
	case isName(inner):
		if fileForm.MatchString(inner) { // whoever hands in the file has done it
			return []string{without, inner}
		}
		return []string{without}
	case acronymForm.MatchString(inner):
		words := strings.FieldsFunc(before, func(r rune) bool { return r == ' ' || r == '-' })
		n := len(inner)
		if len(words) < n {
			return nil
		}
		for i, w := range words[len(words)-n:] {
			if !strings.EqualFold(w[:1], inner[i:i+1]) {
				return nil
			}
		}
		at := strings.LastIndex(before, words[len(words)-n])
		return []string{without, before[:at] + inner + after}
	}
	return nil
}

var (
	aside       = regexp.MustCompile(`\s\(([^()]{2,100})\)`)
	acronymForm = regexp.MustCompile(`^[A-Z]{2,6}$`)
)
