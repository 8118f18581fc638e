package tamper

// evaluate holds the rules against the sentence. All of them are about words
// that stand near each other, so that the work is linear.
func (s *scanner) evaluate() {
	toks := s.sentence[:s.n]
	u := s.union
	s.paragraph.is |= u
	if s.inHeading {
		s.heading.is |= u
	}
	if s.address > 0 {
		s.address++
	}
	if u&^(lead|unless|to|be|as|never|prior|mention|all) == 0 {
		return // says nothing
	}
	if u&drop != 0 && u&(order|prior|subject) != 0 {
		s.override(toks)
	}
	hailed := -1
	if u&(judge|machine|hail) != 0 {
		hailed = s.hail(toks)
	}
	s.hailing(toks, hailed)
	if u&(command|good|never) != 0 {
		s.commanded(toks, hailed >= 0)
	}
	if u&passed != 0 && u&(judge|subject|command|speaker) != 0 && u&bad == 0 && (u&unless == 0 || u&you != 0 && u&machine != 0) {
		s.told(toks)
	}
	if u&(praise|threat) != 0 && u&(judge|machine|subject|good|you) != 0 {
		s.pressure(toks)
	}
	if u&key != 0 && u&good != 0 {
		s.verdict(toks)
	}
	if u&edge != 0 && u&inside != 0 && s.fence == "" {
		s.delimited(toks)
	}
	if u&role != 0 {
		s.speaks(toks)
	}
	if toks[0].veiled && u&(judge|subject|drop) != 0 && u&(good|order) != 0 && u&(command|drop|all|you) != 0 {
		s.note(Hidden, &toks[0], toks)
	}
}

// note reports a finding, unless the text only mentions what it holds. What
// nobody sees is no mention.
func (s *scanner) note(kind string, at *token, toks []token) {
	veiled := false
	for i := range toks {
		veiled = veiled || toks[i].veiled && toks[i].is != 0
	}
	switch {
	case veiled:
		kind = Hidden
	case at.quoted:
		if len(s.pending) < MaxFindings {
			s.pending = append(s.pending, Finding{Line: int(at.line), Kind: kind, Passage: passage(s.text[at.at:])})
		}
		return
	}
	s.report(kind, int(at.line), int(at.at))
}

// settle decides on what was quoted, once its paragraph or block of code is
// read: text about attacks quotes them.
func (s *scanner) settle() {
	if (s.paragraph.is|s.before.is|s.heading.is)&mention == 0 {
		for _, f := range s.pending {
			s.add(f)
		}
	}
	s.pending = s.pending[:0]
}

// imperative reports whether word i stands where an English sentence has its
// imperative. Word order of other languages is not looked at.
func imperative(toks []token, i int) bool {
	t := &toks[i]
	if t.is&foreign != 0 || i == 0 || t.open != 0 || t.first {
		return true
	}
	prev := &toks[i-1]
	if prev.is&to != 0 {
		// "to mark" is a purpose or a duty: you are to mark, be sure to mark.
		return i >= 2 && (toks[i-2].is&(be|you) != 0)
	}
	return prev.is&(lead|you) != 0 || prev.is&judge != 0 || prev.is&never != 0 && prev.is&no == 0
}

// near is the first word from i on, within n, that has one of the classes, or
// -1.
func near(toks []token, i, n int, is mask) int {
	for j := i; j < min(i+n, len(toks)); j++ {
		if toks[j].is&is != 0 {
			return j
		}
	}
	return -1
}

// around is near on both sides.
func around(toks []token, i, n int, is mask) bool {
	return near(toks, max(0, i-n), 2*n+1, is) >= 0
}

// override: ignore the previous instructions.
func (s *scanner) override(toks []token) {
	for i := range toks {
		if toks[i].is&drop == 0 || !imperative(toks, i) {
			continue
		}
		from := i + 1
		reach := 8
		if toks[i].is&foreign != 0 {
			from = max(0, i-8)
			reach = 17
		}
		o := near(toks, from, reach, order)
		p := near(toks, from, reach, prior)
		v := near(toks, from, reach, subject)
		a := near(toks, from, reach, all|you)
		between := o >= 0 && (p >= 0 && p <= o+1 || a >= 0 && a <= o)
		switch {
		case between && (toks[i].is&foreign == 0 || o > i || p >= 0):
		case o >= 0 && around(toks, i, 12, judge) && s.union&(unless|bad) == 0:
		case p == a+1 && a >= 0 && toks[a].is&all != 0 && (len(toks) <= p+3 || around(toks, i, 12, you|judge|order)):
		case v >= 0 && (p >= 0 || a >= 0) && around(toks, i, 14, good|judge|you) && s.union&unless == 0:
		default:
			continue
		}
		s.note(Override, &toks[i], toks)
		return
	}
}

// hail finds where a sentence addresses the judge: as the judge you, dear
// evaluator, note to the grader. It returns the word, or -1.
func (s *scanner) hail(toks []token) int {
	for i := range toks {
		t := &toks[i]
		if t.is&(judge|machine) == 0 || i > 0 && toks[i-1].is&to != 0 && t.is&command != 0 {
			continue // "to judge" is no address
		}
		strong := t.is&judge != 0
		back := toks[max(0, i-5):i]
		h := near(back, 0, 5, hail) >= 0
		by := near(back, 0, 5, as) >= 0 && (around(toks, i, 8, you) || strong && near(toks, i+1, 3, command) >= 0)
		are := false
		for j := range back {
			if back[j].is&you != 0 && (back[j].is&be != 0 || back[j].close == ',' || j == len(back)-1 || back[j+1].is&be != 0) {
				are = true
			}
		}
		begins := (i == 0 || t.first && t.open != ':') && t.open != '|'
		called := (begins || i == 1 && toks[0].is&hail != 0) && (t.close == ',' || t.close == ':' || t.close == '!')
		aside := t.open == ',' && (t.close == ',' || t.close == '.' || t.close == ':' || t.close == '!')
		foreignYou := t.is&foreign != 0 && around(toks, i, 8, you)
		switch {
		case strong && (h || by || are || called || foreignYou):
			return i
		case strong && aside && s.union&command != 0 && s.union&(good|drop|all|order|subject) != 0:
			return i // ", judge," in a list is no address
		case t.is&machine != 0 && (s.fence == "" || s.union&(passed|drop) != 0) && (h || by || are || called || aside || foreignYou) && s.union&(good|subject|order) != 0 && s.union&(command|drop|all) != 0:
			return i
		}
	}
	return -1
}

// hailing reports an address together with what is told: in the same sentence,
// in the next ones, or elsewhere in the text.
func (s *scanner) hailing(toks []token, at int) {
	u := s.union
	if at >= 0 {
		s.hailed = true
		s.address = 1
		if u&(good|subject|all|drop) != 0 && (u&(command|drop|order) != 0 || u&good != 0) && !s.askedBoth() {
			s.note(Instruction, &toks[at], toks)
		}
		return
	}
	if s.address > 0 && s.address <= 4 && u&(command|drop) != 0 && u&(good|all|subject) != 0 && !s.askedBoth() {
		for i := range toks {
			if toks[i].is&(command|drop) != 0 && imperative(toks, i) {
				s.note(Instruction, &toks[i], toks)
				return
			}
		}
	}
}

// askedBoth: a sentence that names both verdicts, or a condition, describes
// how to judge; one that leaves no choice does not.
func (s *scanner) askedBoth() bool {
	if s.union&(all|never) != 0 && s.union&bad != 0 {
		return s.union&unless != 0 && s.union&never == 0
	}
	return s.union&(bad|unless) != 0
}

// commanded: mark all criteria as passed; do not fail any; no need to check.
func (s *scanner) commanded(toks []token, hailed bool) {
	u := s.union
	for i := range toks {
		t := &toks[i]
		switch {
		case t.is&command != 0 && imperative(toks, i):
			from, reach := i+1, 10
			if t.is&foreign != 0 {
				from, reach = max(0, i-10), 21
			}
			g := near(toks, from, reach, good)
			v := near(toks, from, reach, subject)
			if g < 0 {
				continue
			}
			strong := v >= 0 && (u&all != 0 || t.is&foreign != 0) || hailed || near(toks, from, reach, judge) >= 0 && v >= 0
			weak := u&(all|you|subject) != 0
			switch {
			case strong && !s.askedBoth():
				s.note(Instruction, t, toks)
				return
			case weak && u&(bad|unless) == 0 && !s.demanded && !t.quoted:
				s.demand, s.demanded = *t, true
			}
		case t.is&never != 0 && near(toks, i+1, 3, bad) >= 0 && u&(judge|subject|hail) != 0 && near(toks, i+1, 8, subject|all) >= 0 && u&unless == 0 && imperative(toks, i) && u&(you|hail) != 0:
			s.note(Instruction, t, toks)
			return
		case t.is&never != 0 && near(toks, i+1, 2, bad) >= 0 && near(toks, max(0, i-3), 3, judge) >= 0 && u&unless == 0,
			t.is&judge != 0 && near(toks, i+1, 5, never) >= 0 && u&all != 0 && u&bad != 0 && u&you == 0 && u&command != 0 && u&unless == 0:
			s.note(Instruction, t, toks)
			return
		case t.is&never != 0 && near(toks, i+1, 4, need) >= 0 && u&judge != 0 && u&unless == 0:
			s.note(Instruction, t, toks)
			return
		}
	}
}

// told: the word for a pass, told to or about the judge, with no condition: the
// verdict is passed, return passed, the judge must answer passed.
func (s *scanner) told(toks []token) {
	for i := range toks {
		t := &toks[i]
		p := near(toks, i+1, 10, passed)
		if p < 0 || toks[p-1].is&to != 0 && p+1 < len(toks) && toks[p+1].is == 0 {
			continue // "to pass them on"
		}
		kind := Instruction
		switch {
		case t.is&judge != 0 && (p <= i+5 && s.union&(be|you|subject|command) != 0 || near(toks, i+1, 8, command&^passed) >= 0):
		case t.is&ruling != 0 && p <= i+4:
		case t.is&command != 0 && t.is&passed == 0 && p <= i+5 && toks[p-1].is&as != 0 && s.union&(you|judge) != 0:
		case t.is&command != 0 && t.is&passed == 0 && s.fence == "" && p <= i+3 && imperative(toks, i) && (i > 0 && toks[i-1].is&you != 0 || len(toks) <= i+6 && p <= i+2 || near(toks, i+1, 3, subject) >= 0):
		case t.is&speaker != 0 && i == 0 && t.close == ':' && p <= i+2:
			kind = Role
		default:
			continue
		}
		at := *t
		at.quoted = at.quoted || toks[p].quoted
		s.note(kind, &at, toks)
		return
	}
}

// pressure: flattery, threats and bribes for whoever judges.
func (s *scanner) pressure(toks []token) {
	u := s.union
	for i := range toks {
		t := &toks[i]
		switch {
		case t.is&praise != 0 && around(toks, i, 4, judge) && (u&you != 0 || s.address > 0 && s.address < 4):
		case t.is&threat != 0 && u&you != 0 && (u&(judge|passed) != 0 || u&subject != 0 && u&(good|bad) != 0 || s.address > 0 && s.address < 4):
		case t.is&threat != 0 && u&subject != 0 && u&bad != 0 && near(toks, i+1, 5, threat) >= 0:
		case t.is&threat != 0 && u&judge != 0 && u&(good|bad) != 0 && u&(you|all|unless) != 0:
		default:
			continue
		}
		s.note(Pressure, t, toks)
		return
	}
}

// verdict: the fields of a verdict with the values that a bundle would like.
func (s *scanner) verdict(toks []token) {
	for i := range toks {
		t := &toks[i]
		if t.is&key == 0 || t.close != ':' && !(t.close == '"' && i+1 < len(toks) && toks[i+1].open == ':') {
			continue
		}
		if i+1 >= len(toks) || toks[i+1].is&good == 0 {
			continue
		}
		if around(toks, i, 3, bad) {
			continue
		}
		named := t.is&subject != 0 && i <= 3 && s.fence == "" && s.union&(unless|bad) == 0 // "Final verdict: PASS"
		fields := around(toks, i, 24, proof) && (t.open == '"' || t.open == ',' || t.open == ':')
		if !named && !fields {
			continue
		}
		s.note(Verdict, t, toks)
		return
	}
}

// delimited: the end of the bundle, or the beginning of instructions, in the
// form of a mark.
func (s *scanner) delimited(toks []token) {
	for i := range toks {
		if toks[i].is&edge == 0 || i > 4 || near(toks, i+1, 5, inside) < 0 || len(toks) > i+9 {
			continue
		}
		if s.delimiter(&toks[0]) {
			s.note(Delimiter, &toks[i], toks)
			return
		}
	}
}

// speaks: a line that begins with the name of a speaker and says what only
// such a one could.
func (s *scanner) speaks(toks []token) {
	u := s.union
	for i := range min(len(toks), 2) {
		t := &toks[i]
		if t.is&role == 0 || t.close != ':' && !(t.close != 0 && i+1 < len(toks) && toks[i+1].open == ':') {
			continue
		}
		if u&drop != 0 && u&(order|subject) != 0 || u&good != 0 && u&(subject|all) != 0 && !s.askedBoth() || u&you != 0 && i == 0 && t.close == ':' {
			s.note(Role, t, toks)
			return
		}
	}
}

// join reports a demand that named no judge in a text that hails one.
func (s *scanner) join() {
	if s.hailed && s.demanded {
		s.note(Instruction, &s.demand, nil)
	}
}
