package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Asked lists what a criterion's material asks its domain for in the
// decomposition's own words: sub-tasks, limits, names. It is empty where the
// domain is asked what could be asked of any work. It knows the material of
// this author, and of others that keep to its form.
func Asked(m shadow.Material) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m.Data)) {
		if key != "limits" && key != "traces" && key != "doubts" && !strings.HasPrefix(key, "items") {
			continue
		}
		list, _ := m.Data[key].([]any)
		for _, v := range list {
			switch v := v.(type) {
			case string:
				out = append(out, v)
			case map[string]any:
				if p, ok := v["phrase"].(string); ok {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// Note tells the operator when most criteria are generic.
func (a *Author) Note(criteria []shadow.Criterion) string {
	n := Generic(criteria)
	if 2*n <= len(criteria) {
		return ""
	}
	return fmt.Sprintf("%d of the %d criteria of author %q are generic: the decomposition names little that work can be held to", n, len(criteria), a.Name())
}

// Generic counts those of this author's criteria that ask no domain for
// anything of the decomposition: they could be asked of any work. Criteria of
// other authors do not count.
func Generic(criteria []shadow.Criterion) int {
	n := 0
	for i := range criteria {
		c := &criteria[i]
		if c.Author != "" && c.Author != authorName {
			continue
		}
		own := false
		for _, m := range c.Material {
			own = own || len(Asked(m)) > 0
		}
		if !own {
			n++
		}
	}
	return n
}
