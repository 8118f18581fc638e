package check

import "strings"

// Cues that a line declines what it speaks of, or puts it off.
var declineCues = cueList(`out of scope|not in scope|outside the scope|outside of the scope|beyond the scope|non-goal|not a goal|not applicable|not relevant
not required|not needed|does not support|doesn't support|do not support|don't support|not planned|not proposed|not currently implemented|not implemented|not yet|not supported|unsupported|will not be|won't be
is deferred|are deferred|defers|deferred|in the future|future work|future release|follow-up|followup|to be determined|tbd|todo|left for
separate kep|separate rfc|separate ticket|handled separately|no plans|future dates|n/a|does not cover|not covered|not addressed|not explicit|did not find
is missing|are missing|no decision|later work|later release|explicitly exclude|does exclude|not include|didn't work|did not work|(future)|not considered
excluded from`)

// declineHeads decline everything under a heading that has one of them.
var declineHeads = cueList(`non-goal|non goal|out of scope|future|not in scope|unresolved|open question|gaps|limitations|alternatives|rejected
deferred|what it does not|not covered|todo|tbd`)

// trivialBodies are texts of a section that say that there is nothing to say.
var trivialBodies = cueList(`not applicable|not required|none|n/a|not relevant|tbd|todo|no|not needed|to be determined|to be defined`)

// negations make a line speak against what it names.
var negations = cueList(` not | never | no | none|cannot|n't | without | nor | neither `)

// cueWords are the words of which every cue has at least one, so that most
// lines need not be searched.
var cueWords = wordSet(`out not non outside beyond unsupported t won deferred defers future follow followup determined tbd todo left separate separately
	no n missing later explicitly exclude excluded didn did never none cannot without nor neither nongoal`)

func cueList(s string) []string {
	return strings.Split(strings.ReplaceAll(s, "\n", "|"), "|")
}

// cuesOf tells which words decline a line, if any, and whether it negates.
func cuesOf(l *Line) (declined string, negated bool) {
	s := " " + strings.ToLower(l.Text) + " "
	for _, c := range declineCues {
		if at := wholeIndex(s, c); at >= 0 && !isCondition(s[:at]) {
			declined = c
			break
		}
	}
	if l.Kind != Code {
		for _, c := range negations {
			if strings.Contains(s, c) {
				negated = true
				break
			}
		}
	}
	return declined, negated || strings.Contains(s, "❌")
}

// wholeIndex finds c in s where it neither begins nor ends inside a word.
func wholeIndex(s, c string) int {
	for from := 0; ; {
		j := strings.Index(s[from:], c)
		if j < 0 {
			return -1
		}
		at, end := from+j, from+j+len(c)
		if (at == 0 || !isAlnum(c[0]) || !isAlnum(s[at-1])) && (end == len(s) || !isAlnum(s[end]) || s[end] == 's') {
			return at
		}
		from = at + 1
	}
}

// isCondition tells whether what stands before a cue makes it a case to be
// handled ("if the algorithm is not supported, …") and no refusal.
func isCondition(before string) bool {
	if i := strings.LastIndexAny(before, ".;:,→"); i >= 0 {
		before = before[i+1:]
	}
	for _, c := range [...]string{" if ", " when ", " whether ", " where ", " unless ", " in case "} {
		if strings.Contains(before, c) {
			return true
		}
	}
	return false
}

// markDeclined carries declining down: from a heading to its section and the
// sections in it, from an item to what is nested in it, from a lead-in to the
// list or table behind it.
func (x *index) markDeclined(t *Text) {
	heads := make([]string, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		if s.Up > 0 && heads[s.Up] != "" {
			heads[i] = heads[s.Up]
		} else {
			heads[i] = declinedSection(t, s)
		}
		if heads[i] == "" {
			continue
		}
		for l := s.First; l < s.Last; l++ {
			if x.lines[l].declined == "" {
				x.lines[l].declined = heads[i]
			}
		}
	}
	for i := range t.Lines {
		p := t.Lines[i].Parent
		if p >= 0 && x.lines[i].declined == "" && t.Lines[p].Block != t.Lines[i].Block {
			x.lines[i].declined = x.lines[p].declined
		}
	}
}

// declinedSection gives the words of the heading, or of the short text under
// it, that decline a whole section.
func declinedSection(t *Text, s *Section) string {
	title := strings.ToLower(s.Title)
	for _, h := range declineHeads {
		if wholeIndex(title, h) >= 0 {
			return h
		}
	}
	if n := s.Last - s.First; n < 2 || n > 4 || s.Heading < 0 {
		return ""
	}
	var b strings.Builder
	for i := s.First + 1; i < s.Last; i++ {
		b.WriteString(t.Lines[i].Text)
		b.WriteByte(' ')
	}
	body := strings.Trim(strings.ToLower(b.String()), " .-")
	if len(body) > 120 {
		return ""
	}
	body = strings.TrimPrefix(strings.TrimPrefix(body, "this section is "), "this is ")
	for _, c := range trivialBodies {
		if body == c || strings.HasPrefix(body, c+" ") || strings.HasPrefix(body, c+".") {
			return c
		}
	}
	return ""
}
