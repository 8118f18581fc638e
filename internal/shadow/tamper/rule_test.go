package tamper

import "testing"

// TestRules: every rule can match, and no class of words.txt goes unused.
func TestRules(t *testing.T) {
	used := mask(0)
	for _, r := range rules {
		if len(r.terms) == 0 || r.kind == "" {
			t.Errorf("%+v asks for nothing", r)
		}
		used |= r.without
		for _, is := range r.need {
			if is&r.without == is {
				t.Errorf("%+v wants what it does not want", r)
			}
			used |= is
		}
	}
	used |= lead | to | urge | modal | no | show | doing | foreign | whole | abroad
	for name, is := range classes {
		if used&is == 0 {
			t.Errorf("no rule asks for the class %s", name)
		}
	}
}
