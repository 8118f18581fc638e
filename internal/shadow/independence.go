package shadow

import (
	"fmt"
	"strings"
)

// unknownFamily stands for a model that nobody named.
const unknownFamily = ""

// family is the family of a model: the one stated, else the model itself,
// since a model of unknown kin is a family of its own. Case and space around
// it don't matter.
func family(m *Model) string {
	if m == nil {
		return unknownFamily
	}
	if f := strings.ToLower(strings.TrimSpace(m.Family)); f != "" {
		return f
	}
	return strings.ToLower(strings.TrimSpace(m.Model))
}

// independence compares the families behind one domain (Shadow Score Spec
// 2.0.0, level 4): the implementer may be kin neither to a seal author nor to
// the specifier, since shared pretraining hides shared mistakes. It returns
// the reasons why the verdict would be weak; none means strong.
func independence(authors []Model, specifier *Model, implementer string) (weak []string) {
	for i := range authors {
		if family(&authors[i]) == implementer {
			weak = append(weak, fmt.Sprintf("independence is weak: the seal's author and the implementer are both of family %q", implementer))
			break
		}
	}
	if family(specifier) == implementer {
		weak = append(weak, fmt.Sprintf("independence is weak: the specifier and the implementer are both of family %q", implementer))
	}
	return weak
}
