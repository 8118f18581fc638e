package shadow

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// FamilyRule says of which family the models are whose names match a pattern.
type FamilyRule struct {
	// Model is a pattern of names, with * for any text, ? for one character
	// and [a-z] for one of some. Case does not matter.
	Model  string `json:"model" yaml:"model"`
	Family string `json:"family" yaml:"family"`
}

// Families are the rules in their order: the first one that matches holds.
type Families []FamilyRule

// Check says what is wrong with a rule, or returns nil.
func (r FamilyRule) Check() error {
	if _, err := path.Match(r.Model, ""); err != nil || strings.TrimSpace(r.Model) == "" {
		return fmt.Errorf("%.60q is not a pattern of model names: use * for any text, ? for one character and [a-z] for one of some", r.Model)
	}
	if strings.TrimSpace(r.Family) == "" {
		return fmt.Errorf("the models %.60q have no family", r.Model)
	}
	return nil
}

// Of is the family of a model: the one stated, else that of the first rule that
// matches, else the model's own name, since a model of an unknown family is a
// family of its own. It is empty for a model that nobody named. known is false
// for a model of an unknown family. Case and space around names don't matter.
func (f Families) Of(m *Model) (family string, known bool) {
	if m == nil {
		return unknownFamily, true
	}
	if s := plainName(m.Family); s != "" {
		return s, true
	}
	name := plainName(m.Model)
	if name == "" {
		return unknownFamily, true
	}
	for _, r := range f {
		if matches(plainName(r.Model), name) {
			return plainName(r.Family), true
		}
	}
	return name, false
}

// shared is a family that both models are of, or empty. Names count beside the
// families that are stated: a model is no other one because somebody states
// another family for it, or calls its family by the name of its laboratory.
func (f Families) shared(a, b *Model) string {
	others := f.all(b)
	for _, family := range f.all(a) {
		if slices.Contains(others, family) {
			return family
		}
	}
	return unknownFamily
}

// all are the families of a model, by what is stated and by its name.
func (f Families) all(m *Model) (families []string) {
	if m == nil {
		return nil
	}
	for _, as := range []*Model{m, {Model: m.Family}, {Model: m.Model}} {
		if family, _ := f.Of(as); family != unknownFamily {
			families = append(families, family)
		}
	}
	return families
}

// named lists the models that an envelope names: the specifier, the authors,
// and the implementers.
func (e *Envelope) named() []*Model {
	models := []*Model{e.Specifier}
	for i := range e.Authors {
		models = append(models, &e.Authors[i].Model)
	}
	for i := range e.Domains {
		models = append(models, e.Domains[i].Implementer)
	}
	return models
}

// unknownModels are the models of which nobody knows the family, in quotes.
func (e *Envelope) unknownModels() []string {
	var names []string
	for _, m := range e.named() {
		if name, known := e.Families.Of(m); !known {
			names = appendNew(names, strconv.Quote(name))
		}
	}
	return names
}

// stateFamilies writes the families that are known of what the envelope names
// into it. The decomposition, whose models these may be, is left as it is.
func (e *Envelope) stateFamilies() {
	e.Specifier = e.Families.State(e.Specifier)
	for i := range e.Authors {
		e.Authors[i].Model = *e.Families.State(&e.Authors[i].Model)
	}
	for i := range e.Domains {
		e.Domains[i].Implementer = e.Families.State(e.Domains[i].Implementer)
	}
}

// State is a model with its family stated, or the model itself where its family
// is not known.
func (f Families) State(m *Model) *Model {
	if m == nil {
		return nil
	}
	if family, known := f.Of(m); known {
		return &Model{Model: m.Model, Family: family}
	}
	return m
}

// plainName is a name without case and the space around it.
func plainName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// matches is path.Match for names in which a slash is a letter like others, as
// in "lab/model-7b".
func matches(pattern, name string) bool {
	// Most rules of a list begin with other letters.
	if i := max(strings.IndexAny(pattern, `*?[\`), 0); !strings.HasPrefix(name, pattern[:i]) {
		return false
	}
	letter := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	ok, err := path.Match(letter(pattern), letter(name))
	return err == nil && ok
}
