package shadow

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// unknownFamily is the family of a model that nobody named.
const unknownFamily = ""

// weakly opens every reason for weak independence.
const weakly = "independence is weak: "

// weaknesses compares the families behind one domain (Shadow Score Spec 2.0.0, level 4):
// the implementer must not be of the family of a seal author, of the specifier, or of a
// judge that voted, since shared pretraining hides shared mistakes. None means strong.
func (e *Envelope) weaknesses(implementer *Model, p *PanelVotes) (weak []string) {
	compare := func(who string, m *Model) {
		if family := e.Families.shared(m, implementer); family != unknownFamily {
			weak = appendNew(weak, fmt.Sprintf("%s%s and the implementer are both of family %q", weakly, who, family))
		}
	}
	for i := range e.Authors {
		compare("the seal's author", &e.Authors[i].Model)
	}
	compare("the specifier", e.Specifier)
	for i := range p.Judges {
		judge := &p.Judges[i]
		if slices.ContainsFunc(p.Ballots, func(b Ballot) bool {
			return slices.ContainsFunc(b.Votes, func(v Vote) bool { return v.Judge == judge.Name && v.Outcome != Undecided })
		}) {
			compare(fmt.Sprintf("judge %q", judge.Name), &judge.Model)
		}
	}
	return weak
}

// violations compares the families of every domain, as far as its implementers are
// named; a bundle may name others. Each violation names all domains that it weakens.
func (e *Envelope) violations() (reasons []string) {
	domains := map[string][]string{}
	for i := range e.Domains {
		d := &e.Domains[i]
		if d.Implementer == nil {
			continue
		}
		for _, why := range e.weaknesses(d.Implementer, &PanelVotes{}) {
			reasons = appendNew(reasons, why)
			domains[why] = append(domains[why], strconv.Quote(d.Domain))
		}
	}
	for i, why := range reasons {
		reasons[i] = "domain " + firstTen(domains[why], ", ") + ": " + why
	}
	return reasons
}

// provenance says who wrote the criteria and who implemented, and every reason
// why the score is advisory.
func (x *Exam) provenance(r *Report, ev Evidence, b *Bundle) {
	e, s := x.Envelope, &r.Swarm
	h := &r.Report
	for i := range e.Authors {
		family, _ := e.Families.Of(&e.Authors[i].Model)
		h.SealAuthorFamilies = appendNew(h.SealAuthorFamilies, family)
		if m := e.Authors[i].Model.Model; m != "" {
			h.SealAuthorModels = appendNew(h.SealAuthorModels, m)
		}
	}
	if e.Specifier != nil {
		h.SpecifierFamily, _ = e.Families.Of(e.Specifier)
		h.SpecifierModel = e.Specifier.Model
	}
	implementers := e.implementers(b)
	for _, implementer := range implementers {
		family, _ := e.Families.Of(implementer)
		if h.ImplementerFamily == "" {
			h.ImplementerFamily, h.ImplementerModel, h.Independence = family, implementer.Model, "strong"
		}
		for _, why := range e.weaknesses(implementer, &ev.Panel) {
			h.Independence = "weak"
			s.addAdvisory(why)
		}
	}
	if s.LevelReasons = e.unproven(implementers); len(s.LevelReasons) > 0 && h.Independence == "strong" {
		h.Independence = "" // it cannot be told
	}
	if e.Ambiguity != nil {
		h.SpecAmbiguity = e.Ambiguity.number()
	}
	if e.SpecTruncated {
		s.addAdvisory("the specification was truncated before it reached the seal's author")
	}
	if ev.BeforeSeal {
		s.addAdvisory(BeforeSeal)
	}
	s.doubts()
}

// implementers are the models that a bundle and the decomposition name. Both count:
// a commander must not be able to remove a doubt by naming another model.
func (e *Envelope) implementers(b *Bundle) []*Model {
	list := []*Model{b.Implementer}
	if d := e.Domains.Find(b.Domain); d != nil {
		list = append(list, d.Implementer)
	}
	return slices.DeleteFunc(list, func(m *Model) bool {
		family, _ := e.Families.Of(m)
		return family == unknownFamily
	})
}

// unproven lists what keeps a report from level 4: who is not named, or is of a family
// that nobody knows, may be of the family of the others.
func (e *Envelope) unproven(implementers []*Model) (why []string) {
	prove := func(role string, m *Model) {
		switch family, known := e.Families.Of(m); {
		case family == unknownFamily:
			why = appendNew(why, "level 3: no "+role+" is named")
		case !known:
			why = appendNew(why, fmt.Sprintf("level 3: the family of the %s %q is neither stated nor mapped", role, m.Model))
		}
	}
	prove("specifier", e.Specifier)
	for i := range e.Authors {
		prove("seal author", &e.Authors[i].Model)
	}
	if len(implementers) == 0 {
		implementers = []*Model{nil}
	}
	for _, m := range implementers {
		prove("implementer", m)
	}
	return why
}

// inherit has a fix, which may repeat earlier work under another name, keep the
// reasons for weak independence.
func (r *Report) inherit(prev *Report) {
	h, before := &r.Report, &prev.Report
	if h.ImplementerFamily == "" {
		h.ImplementerFamily, h.ImplementerModel, h.Independence = before.ImplementerFamily, before.ImplementerModel, before.Independence
	}
	for _, why := range prev.Swarm.LevelReasons {
		r.Swarm.LevelReasons = appendNew(r.Swarm.LevelReasons, why)
	}
	for _, why := range prev.Swarm.AdvisoryReasons {
		if strings.HasPrefix(why, weakly) {
			h.Independence = "weak"
			r.Swarm.addAdvisory(why)
		}
	}
}

// FamilyRule says of which family the models are whose names match a pattern.
type FamilyRule struct {
	Model  string `json:"model" yaml:"model" is:"required" must:"a pattern of names: * is any text, ? one character, [a-z] one of some"`
	Family string `json:"family" yaml:"family" is:"required" must:"the family"`
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
// matches, else the model's own name, which is a family of its own that is not known.
// It is empty for a model that nobody named.
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

// shared is a family that both models are of, or empty.
func (f Families) shared(a, b *Model) string {
	others := f.all(b)
	for _, family := range f.all(a) {
		if slices.Contains(others, family) {
			return family
		}
	}
	return unknownFamily
}

// all are the families of a model, by what is stated and by its name: it is no other
// one because somebody states another family for it.
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

// unknownModels are the models that the envelope names and of which nobody knows the
// family, in quotes.
func (e *Envelope) unknownModels() (names []string) {
	note := func(m *Model) {
		if name, known := e.Families.Of(m); !known {
			names = appendNew(names, strconv.Quote(name))
		}
	}
	note(e.Specifier)
	for i := range e.Authors {
		note(&e.Authors[i].Model)
	}
	for i := range e.Domains {
		note(e.Domains[i].Implementer)
	}
	return names
}

// plainName is a name without case and the space around it.
func plainName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// matches tells whether a pattern fits a [plainName], or what of it stands behind a
// provider or a laboratory: "lab/model-7b". A slash is a letter like others.
func matches(pattern, name string) bool {
	literal := pattern // most rules of a list begin with other letters
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		literal = pattern[:i]
	}
	letter := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	for {
		if strings.HasPrefix(name, literal) {
			if ok, err := path.Match(letter(pattern), letter(name)); ok && err == nil {
				return true
			}
		}
		i := strings.IndexAny(name, ":/")
		if i < 0 {
			return false
		}
		name = name[i+1:]
	}
}
