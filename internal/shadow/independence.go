package shadow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// unknownFamily is the family of a model that nobody named.
const unknownFamily = ""

// weakly opens every reason for weak independence.
const weakly = "independence is weak: "

// independence compares the families behind one domain (Shadow Score Spec
// 2.0.0, level 4): the implementer must not be of the family of a seal author
// or of the specifier, since shared pretraining hides shared mistakes. It
// returns the reasons why the verdict would be weak; none means strong.
func (f Families) independence(authors []AuthorRef, specifier, implementer *Model) (weak []string) {
	for i := range authors {
		if family := f.shared(&authors[i].Model, implementer); family != unknownFamily {
			weak = append(weak, fmt.Sprintf(weakly+"the seal's author and the implementer are both of family %q", family))
			break
		}
	}
	if family := f.shared(specifier, implementer); family != unknownFamily {
		weak = append(weak, fmt.Sprintf(weakly+"the specifier and the implementer are both of family %q", family))
	}
	return weak
}

// panelIndependence lists the reasons why a panel's verdict is weak: a judge is
// too mild with work of its own family. Judges that cast no vote do not count.
func (f Families) panelIndependence(p *Panel, implementer *Model) (weak []string) {
	for i := range p.Judges {
		judge := &p.Judges[i]
		voted := slices.ContainsFunc(p.Ballots, func(b Ballot) bool {
			return slices.ContainsFunc(b.Votes, func(v Vote) bool { return v.Judge == judge.Name && v.Outcome != Undecided })
		})
		if family := f.shared(&judge.Model, implementer); voted && family != unknownFamily {
			weak = append(weak, fmt.Sprintf(weakly+"judge %q and the implementer are both of family %q", judge.Name, family))
		}
	}
	return weak
}

// violations compares the families of every domain of an envelope, as far as
// its implementers are named. A bundle may name others: it is compared again
// when it is judged. Each violation names all domains that it weakens.
func (e *Envelope) violations() []string {
	var reasons []string
	domains := map[string][]string{}
	weak := map[Model][]string{} // by implementer: one may have many domains
	for i := range e.Domains {
		m := e.Domains[i].Implementer
		if m == nil {
			continue
		}
		if _, ok := weak[*m]; !ok {
			weak[*m] = e.Families.independence(e.Authors, e.Specifier, m)
		}
		for _, why := range weak[*m] {
			reasons = appendNew(reasons, why)
			domains[why] = append(domains[why], strconv.Quote(e.Domains[i].Domain))
		}
	}
	for i, why := range reasons {
		what := "domain "
		if len(domains[why]) > 1 {
			what = "domains "
		}
		reasons[i] = what + firstTen(domains[why], ", ") + ": " + why
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
		for _, why := range append(e.Families.independence(e.Authors, e.Specifier, implementer), e.Families.panelIndependence(&Panel{ev.Panel.Judges, s.Ballots}, implementer)...) {
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
	if len(s.Undecided) > 0 {
		s.addAdvisory("criteria could not be judged: " + strings.Join(s.Undecided, ", "))
	}
	if why := s.unread(e.Policy.MinRead); why != "" {
		s.addAdvisory("unread: " + why)
	}
	if s.Score.Total == 0 {
		s.addAdvisory("no sealed tests ran")
	}
}

// implementers are the models that are named as those of a bundle. The bundle
// may name another one than the decomposition did. Both count: a commander must
// not be able to remove a doubt by naming another model.
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

// unproven lists what keeps a report from level 4: whoever is not named, or is
// of a family that is neither stated nor mapped, may be of the family of the
// others.
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
	for _, m := range implementers {
		prove("implementer", m)
	}
	if len(implementers) == 0 {
		prove("implementer", nil)
	}
	return why
}

// inherit copies the reasons for weak independence of earlier implementers to a
// fix. It may repeat their work under another name.
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
