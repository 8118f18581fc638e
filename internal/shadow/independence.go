package shadow

import "fmt"

// unknownFamily stands for a model that nobody named.
const unknownFamily = ""

// family is the family of a model: the one stated, else the model itself,
// since a model of unknown kin is a family of its own.
func family(m *Model) string {
	switch {
	case m == nil:
		return unknownFamily
	case m.Family != "":
		return m.Family
	}
	return m.Model
}

// independence compares the families behind one domain (Shadow Score Spec
// 2.0.0, level 4): the implementer may be kin neither to a seal author nor to
// the specifier, since shared pretraining hides shared mistakes. It returns
// the reasons why the verdict would be weak; none means strong.
func independence(authors []Model, specifier, implementer *Model) (weak []string) {
	impl := family(implementer)
	if impl == unknownFamily {
		return nil
	}
	for i := range authors {
		if family(&authors[i]) == impl {
			weak = append(weak, fmt.Sprintf("independence is weak: the seal's author and the implementer are both of family %q", impl))
			break
		}
	}
	if family(specifier) == impl {
		weak = append(weak, fmt.Sprintf("independence is weak: the specifier and the implementer are both of family %q", impl))
	}
	return weak
}
