package schemas

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// unknown says that the object at path has no field of that name, and which
// one was likely meant: a near one, or one of the same name elsewhere in root.
func unknown(root *jsonschema.Schema, path []string, name string) string {
	var known []string
	if s := below(root, path); s != nil {
		known = slices.Sorted(maps.Keys(s.Properties))
	}
	guess := DidYouMean(name, known)
	if guess == "" {
		guess = elsewhere(root, "", name)
	}
	return "is unknown" + guess + ": allowed are " + strings.Join(known, ", ")
}

// elsewhere is a hint at a field of that name in another object.
func elsewhere(s *jsonschema.Schema, path, name string) string {
	s = resolve(s)
	for _, known := range slices.Sorted(maps.Keys(s.Properties)) {
		if path != "" && known == loose(name) {
			return " (did you mean " + path + known + "?)"
		}
		if guess := elsewhere(s.Properties[known], path+known+".", name); guess != "" {
			return guess
		}
	}
	return ""
}

// meant is a hint at the value that is nearest to one that is not allowed.
func meant(got any, want []any) string {
	word, _ := got.(string)
	var known []string
	for _, w := range want {
		if w, ok := w.(string); ok {
			known = append(known, w)
		}
	}
	return DidYouMean(word, known)
}

// DidYouMean is a hint at the word in known that is nearest to word:
// " (did you mean WORD?)". It is "" if none is near or several are.
func DidYouMean(word string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		switch d := editDistance(loose(word), loose(k)); {
		case d < distance && 3*d < len(k)+3:
			best, distance = k, d
		case d == distance:
			best = ""
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// loose removes what people mix up in keys. Long words are cut: they are near
// to nothing, and the distance takes the product of the lengths.
func loose(s string) string {
	return strings.ReplaceAll(strings.ToLower(s[:min(len(s), 40)]), "-", "_")
}

// editDistance is the Levenshtein distance of two words, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
