package check

// rateWord sets how well each line has term k, a word: the word itself, one
// that resembles it, or a synonym.
func (s *scored) rateWord(t *phraseTerm, k int) {
	s.rateExactly(t, k)
	s.x.alike(t.stem, func(id int32, q float32) { s.rate(id, q, t, k) })
}

// rateExactly does so for the word itself and its synonyms.
func (s *scored) rateExactly(t *phraseTerm, k int) {
	if id := s.x.stems.number(t.stem, t.hash); id >= 0 {
		s.rate(id, 1, t, k)
	}
	for _, other := range t.synonyms {
		if id := s.x.stems.number(other.stem, other.hash); id >= 0 {
			s.rate(id, qualitySynonym, t, k)
		}
	}
}

// rate raises the lines that have a stem to q.
func (s *scored) rate(id int32, q float32, t *phraseTerm, k int) {
	for _, h := range s.x.of(id) {
		s.raise(int(h.line), q, t, k)
	}
}

func (s *scored) raise(line int, q float32, t *phraseTerm, k int) {
	if cell := &s.own[line*s.terms+k]; *cell < q {
		*cell = q
	}
	s.is[line] |= t.touches
}

// rateIdentifier sets how well each line has term k, an identifier: as one
// word, with its parts one behind the other, or with its parts scattered.
func (s *scored) rateIdentifier(t *phraseTerm, k int) {
	s.rateExactly(t, k)
	lines := len(s.is)
	have := zeros(s.room.parts[0], lines)
	for _, part := range t.parts {
		row := zeros(s.room.parts[1], lines)
		raise := func(id int32, q float32) {
			for _, h := range s.x.of(id) {
				row[h.line] = max(row[h.line], q)
			}
		}
		hash := hashOf(part)
		if id := s.x.stems.number(part, hash); id >= 0 {
			raise(id, 1)
		}
		s.x.alike(part, raise)
		for i, q := range row {
			have[i] += q
		}
		s.room.parts[1] = row
	}
	s.room.parts[0] = have
	for i, q := range have {
		if share := q / float32(len(t.parts)); share > 0.8 {
			s.raise(i, qualityLoose, t, k)
		} else if share > 0 {
			s.raise(i, qualityLoose*share/2, t, k)
		}
	}
	for _, h := range s.x.sequence(t.parts) {
		s.raise(int(h.line), qualityApart, t, k)
	}
}

// sequence finds where the stems stand one behind the other in a line.
func (x *index) sequence(stems []string) []hit {
	id, ok := x.id(stems[0])
	if !ok {
		return nil
	}
	at := x.of(id)
	for k := 1; k < len(stems); k++ {
		id, ok := x.id(stems[k])
		if !ok {
			return nil
		}
		var kept []hit
		next, j := x.of(id), 0
		for _, h := range at {
			want := hit{h.line, h.pos + int32(k)}
			for j < len(next) && (next[j].line < want.line || next[j].line == want.line && next[j].pos < want.pos) {
				j++
			}
			if j < len(next) && next[j] == want {
				kept = append(kept, h)
			}
		}
		at = kept
	}
	return at
}
