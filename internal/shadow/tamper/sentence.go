package tamper

import "slices"

// addressedSentences is for how many sentences a judge counts as addressed.
const addressedSentences = 4

// evaluate holds the rules against the sentence.
func (s *scanner) evaluate() {
	toks, has := s.sentence, mask(0)
	for i := range toks {
		t := &toks[i]
		if t.is == 0 {
			continue
		}
		if s.ranged && t.is&figure != 0 {
			t.is = 0 // of a scale, as in 1 to 10
		}
		if t.is&cond != 0 && i+1 < len(toks) && (toks[i+1].is|toks[min(i+2, len(toks)-1)].is)&you != 0 {
			t.is &^= cond // "if you are the judge" speaks to whoever it is
		}
		if has&t.is&foreign != 0 {
			has |= abroad
		}
		has |= t.is
		switch {
		case t.hidden:
		case t.is&about != 0:
			s.topics += manyTopics
		case t.is&(show|judge) != 0 && !t.quoted:
			s.topics++
		}
	}
	s.addressed--
	if has == 0 {
		return
	}
	wants := has&(say|drop|obey|plea) != 0 && has&(top|drop|all|obey) != 0 && has&(bad|cond|about) == 0
	for r := range possible(has) {
		switch from, to, ok := r.find(toks, has); {
		case !ok:
		case r.kind != address:
			s.note(r.kind, toks, from, to)
		default:
			if strict := toks[to].is&judge != 0; strict {
				s.addressed = addressedSentences
				wants = wants || has&(top|drop) != 0 && has&(bad|cond|about) == 0
			}
			if wants {
				s.note(Instruction, toks, from, to)
			}
		}
	}
	if !wants || s.addressed <= 0 || s.addressed >= addressedSentences {
		return
	}
	for i := range toks {
		if toks[i].is&(say|drop|obey) != 0 && commanded(toks, i) {
			s.note(Instruction, toks, i, i)
			break
		}
	}
}

// note reports a finding from one word to another. A quoted text may be an
// example; a hidden text is never one.
func (s *scanner) note(kind string, toks []token, from, to int) {
	f := Finding{toks[from].line, kind}
	switch {
	case slices.ContainsFunc(toks, func(t token) bool { return t.hidden && t.is != 0 }):
		f.Kind = Hidden
		s.add(f)
	case !toks[from].quoted && !toks[to].quoted:
		s.add(f)
	case slices.ContainsFunc(toks, func(t token) bool { return !t.quoted && t.is&(about|show) != 0 }):
	case len(s.quoted) < MaxFindings:
		s.quoted = append(s.quoted, f)
	}
}
