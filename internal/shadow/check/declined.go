package check

import (
	"cmp"
	"slices"
	"strings"
)

// Cues that a line declines what it speaks of, or puts it off.
var declineCues = newCues(`out of scope|not in scope|outside the scope|outside of the scope|beyond the scope|non-goal|not a goal|not applicable|not relevant
not required|not needed|does not support|doesn't support|do not support|don't support|not currently implemented|not yet|not supported|is unsupported|are unsupported
will not be|won't be|we will not|we won't|not going to|not intend|no plans|no decision|not part of|no part of|not explicit|not include|does not cover
is deferred|are deferred|defers|deferred|postponed|shelved|put off|on hold|in the future|future dates|(future)|follow-up|followup|some day|one day
to be determined|to be decided|to be defined|to be discussed|to be done|to be written|tbd|todo|left for|left to|left out|left open|leave out|leave open
handled separately|n/a|did not find|is missing|are missing|explicitly exclude|does exclude|excluded from|didn't work|did not work|decided against
considered and|stays as it is|stay as they are|stays where it is|stay where they are|out of time|no effect|nice to have|looked at when|looked at later|says nothing
undecided|unresolved|not possible|wish of|for another time|would like to|we would like|topic for later|for later|may follow|might follow|excluded by`,
	product("not|not been|n't|n't been|never been|yet to be", "planned|proposed|implemented|covered|addressed|considered|tested|measured|estimated|decided|written|done|benchmarked|automated|started"),
	product("later|future", "release|version|phase|project|iteration|milestone|stage|work|date|sprint|pr|step|time|quarter|year|effort"),
	product("next|second", "release|version|quarter|year|iteration"),
	product("first|third|fourth", "quarter"),
	product("separate|another|own|different|follow-up", "project|document|kep|rfc|adr|proposal|ticket|epic|story|effort|spec|issue|experiment|pr"),
)

// declineHeads decline everything under a heading that has one of them.
var declineHeads = newCues(`non-goal|non goal|out of scope|future|not in scope|unresolved|open question|open point|open issue|gaps|limitations|alternatives|rejected
deferred|postponed|what it does not|what we do not|not covered|todo|to do|tbd|not in this|not part of|leave out|left out|leave open|later|next steps|outlook|exclusions|excluded`)

// trivialBodies are texts of a section that say that there is nothing to say.
var trivialBodies = cueList(`not applicable|not required|none|n/a|not relevant|tbd|todo|no|not needed|to be determined|to be defined|to be done|to be written|pending|later|…|...`)

// negations are the words that make a line speak against what it names.
var negations = wordSet(`not never no none cannot without nor neither`)

// prohibitions negate what follows, unless softenings say what holds instead:
// "never logged without consent", "not in the clear, but hashed".
var (
	prohibitions = wordSet(`not never cannot`)
	softenings   = wordSet(`without but only instead unless until except rather just yet longer`)
)

// cues are phrases to be found in lines, by a word of each, so that only the
// lines that have the word need to be searched for the phrase.
type cues struct {
	of     map[string]int32 // word -> group + 1
	groups [][]string
}

func newCues(lists ...string) cues {
	c := cues{of: map[string]int32{}}
	for _, list := range lists {
		for _, cue := range cueList(list) {
			key := ""
			tokenise(cue, cue, func(t lexeme) {
				if t.joined {
					return
				}
				if key == "" || stopWords[key] && !stopWords[t.word] || stopWords[key] == stopWords[t.word] && len(t.word) > len(key) {
					key = t.word
				}
			})
			if c.of[key] == 0 {
				c.groups = append(c.groups, nil)
				c.of[key] = int32(len(c.groups))
			}
			g := c.of[key] - 1
			c.groups[g] = append(c.groups[g], cue)
		}
	}
	return c
}

// product joins each word of the first list with each of the second.
func product(first, second string) string {
	var out []string
	for a := range strings.SplitSeq(first, "|") {
		for b := range strings.SplitSeq(second, "|") {
			out = append(out, a+" "+b)
		}
	}
	return strings.Join(out, "|")
}

func cueList(s string) []string {
	return strings.Split(strings.ReplaceAll(s, "\n", "|"), "|")
}

// group gives the group of the cues that have a word, or the singular of it,
// + 1, or 0.
func (c *cues) group(word string) int32 {
	if g := c.of[word]; g > 0 {
		return g
	}
	return c.of[strings.TrimSuffix(word, "s")]
}

// find gives the cue that a line has, "" if it has none. low is the line in
// lower case, groups are those of the cues whose words it has. A cue in a
// condition is none.
func (c *cues) find(low string, groups []int32) string {
	for _, g := range groups {
		for _, cue := range c.groups[g] {
			if at := wholeIndex(low, cue); at >= 0 && !isCondition(low[:at]) {
				return cue
			}
		}
	}
	return ""
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
// handled ("if the algorithm is not supported, …", "algorithms that are not
// supported") and no refusal.
func isCondition(before string) bool {
	if i := strings.LastIndexAny(before, ".;:,→"); i >= 0 {
		before = before[i+1:]
	}
	for _, c := range [...]string{"if ", "when ", "whether ", "where ", "unless ", "in case "} {
		if i := strings.Index(before, c); i == 0 || i > 0 && before[i-1] == ' ' {
			return true
		}
	}
	words := strings.Fields(before[max(0, len(before)-maxRelative):])
	for _, w := range words[max(0, len(words)-2):] {
		if w == "that" || w == "which" || w == "who" || w == "whose" {
			return true
		}
	}
	return false
}

// maxRelative is how many bytes before a cue are searched for the beginning of
// a relative clause.
const maxRelative = 30

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
			heads[i] = x.declinedSection(t, s)
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
	x.markOpenTasks(t)
	for i := range t.Lines {
		p := t.Lines[i].Parent
		if p >= 0 && x.lines[i].declined == "" && t.Lines[p].Block != t.Lines[i].Block {
			x.lines[i].declined = x.lines[p].declined
		}
	}
}

// markOpenTasks declines the empty boxes of a list in which others are
// ticked. A list of nothing but empty boxes is a form, not a report.
func (x *index) markOpenTasks(t *Text) {
	for i := range t.Lists {
		items := t.Lists[i].Items
		if !slices.ContainsFunc(items, func(it ListItem) bool { return it.Checked != nil && *it.Checked }) {
			continue
		}
		for _, it := range items {
			if f := &x.lines[it.Line]; it.Checked != nil && !*it.Checked && f.declined == "" {
				f.declined = "[ ]"
			}
		}
	}
}

// declinedSection gives the words of the heading, or of the short text under
// it, that decline a whole section.
func (x *index) declinedSection(t *Text, s *Section) string {
	if s.Heading >= 0 {
		if f := &x.lines[s.Heading]; f.declined != "" || f.heads != "" {
			return cmp.Or(f.declined, f.heads)
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
