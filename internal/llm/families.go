package llm

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

//go:embed families.txt
var familiesText string

var families = parseFamilies(familiesText)

// Families are rules for public models. A name may stand behind a provider or
// a laboratory, as in "openai:gpt-5-mini" and "qwen/qwen3-32b".
func Families() shadow.Families { return slices.Clone(families) }

func parseFamilies(text string) shadow.Families {
	var rules shadow.Families
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, prefix := range words[1:] {
			if exact, ok := strings.CutPrefix(prefix, "="); ok {
				rules = append(rules, shadow.FamilyRule{Model: exact, Family: words[0]})
				continue
			}
			rules = append(rules,
				shadow.FamilyRule{Model: prefix + "*", Family: words[0]},
				shadow.FamilyRule{Model: "*[:/]" + prefix + "*", Family: words[0]})
		}
	}
	return rules
}
