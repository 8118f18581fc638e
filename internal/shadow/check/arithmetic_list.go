package check

import (
	"strconv"
	"strings"
)

// countedNouns are the things that lists enumerate, in the singular.
var countedNouns = wordSet(`step item thing point phase stage reason risk issue problem bug finding file module component service endpoint
	test case scenario option alternative approach way question task deliverable requirement criterion criteria constraint assumption
	principle rule layer part section pillar goal objective metric category categorie type kind area domain team role table field column
	parameter change update improvement feature benefit advantage drawback disadvantage limitation gap action recommendation decision
	example factor method function classe class command event state mode level tier milestone dependency dependencie tool library librarie
	package source document attribute property propertie claim variable key check condition exception attack threat vulnerability
	vulnerabilitie mitigation strategy strategie technique pattern integration patch patche commit migration script database queue topic
	environment job pipeline hook flag setting ticket storie story epic measure guarantee invariant input output argument header cookie
	token algorithm format protocol interface client consumer producer stream subject bucket role permission scope policy policie
	wave batch batche sprint gate signal indicator trigger alert dashboard report section chapter note lesson outcome result
	win observation concern blocker follow-up prerequisite precondition ingredient idea proposal topic theme trade-off tradeoff`)

// leadEnds may stand between the counted noun and the colon.
var leadEnds = wordSet(`are is as follows follow following below here remain remains exist exists apply matter were was identified found
	to consider needed required involved in total order stand out now open planned proposed must should be done needs attention`)

// notCounting before a number mean that the list is about the things, or that
// the number is not the list's.
var notCounting = wordSet(`for across between among over per after before by from vs versus within during under against every each any both of
	on at to about through throughout behind beyond since until than via using uses if when while because unless`)

// setWords before "of" make "of three steps" count the list.
var setWords = wordSet(`consists consist consisting composed comprised made up set list total sequence series group number`)

// restWords before "on three principles" count the list.
var restWords = wordSet(`rests rest relies rely based built builds depends depend agreed agree settled decided focuses focus`)

// lists checks counts against the list that follows, ticked boxes, items that
// are shares of a whole, and items that are summed up by one of them.
func (c *checker) lists() {
	for i := range c.t.Lines {
		if l := &c.t.Lines[i]; l.Kind == Sentence || l.Kind == Item {
			c.enumerations(i)
			c.lettered(i)
		}
	}
	for i := range c.t.Lists {
		list := &c.t.Lists[i]
		if len(c.found) >= maxFindings {
			return
		}
		c.breakdownList(list)
		c.totalItem(list)
		c.outcomesList(list)
		c.splitList(list)
		lead := c.leadIn(list)
		if lead < 0 {
			continue
		}
		c.ticked(list, lead, i)
		c.count(list, c.leadBefore(lead), i)
	}
}

// leadIn is the line just before list: its lead-in, or bold text that does the
// work of one; -1 if there is none.
func (c *checker) leadIn(list *List) int {
	if len(list.Items) == 0 || list.LeadIn >= 0 && list.Items[0].Line-1 > list.LeadIn {
		return -1 // another paragraph of the item above comes between
	}
	if list.LeadIn >= 0 {
		return list.LeadIn
	}
	if i := list.Items[0].Line - 1; i >= 0 && c.t.Lines[i].Kind == Heading {
		return i
	}
	return -1
}

// count checks "three steps:" in the line lead against list.
func (c *checker) count(list *List, lead, index int) {
	line := &c.t.Lines[lead]
	text := strings.TrimSpace(line.Text)
	bold := line.Kind == Heading && line.Level == 7
	told := strings.HasSuffix(text, ".") && len(text) < 60 // "Four things went wrong."
	if line.Kind != Heading && !told && !strings.HasSuffix(text, ":") || len(text) > 400 || line.Kind == Item && told {
		return
	}
	if line.Kind == Item && !list.Ordered {
		return // what is told of an item need not be what it counts
	}
	words := strings.Fields(strings.TrimRight(text, ":."))
	if k := len(words); k > 0 && words[k-1] == "to" {
		return // changed all three to: read, write
	}
	if k := len(words); k > 2 && (clean(words[k-2]) == "that" || clean(words[k-2]) == "which") && (words[k-1] == "are" || words[k-1] == "have") {
		return // two parts that are: fast, free
	}
	n, at, end := countIn(words)
	if told && (n == 0 || at > 0 && clean(words[at-1]) != "had" && clean(words[at-1]) != "has" && clean(words[at-1]) != "are" || len(words) > 9 || strings.HasSuffix(words[end-1], ",")) {
		n = 0 // "Three layers, each for itself." may sum up what was said before
	}
	if n == 0 && line.Kind != Heading {
		n, at, end = countWidely(words)
		if have := len(list.Items); end == 0 || have < 2 || list.Items[0].Checked != nil || line.Kind == Item && at == 0 || told && at > 0 || have-n > 2 || n-have > 2 {
			return
		}
	}
	if n < 2 || line.Kind == Heading && (at != 0 || end != len(words)) || line.Kind == Heading && !bold && isDigit(words[0][0]) {
		return // "## 3 Options" may be the third section
	}
	for _, w := range words[end:] {
		if perWords[clean(w)] {
			return // two examples in each direction
		}
	}
	have, sum := len(list.Items), 0
	for i, w := range words {
		sum += smallCount(w)
		if i != at && (numberWord(w) == have || isDigit(w[0]) && w == strconv.Itoa(have)) {
			return // "two services own three tables" lists the services
		}
	}
	for _, w := range words[at+1 : max(at+1, end-1)] {
		if measureNouns[clean(w)] {
			return // < 5 seconds checks
		}
	}
	if have == n || have < 2 || have == sum || n-have > 2 || c.defensible(list, n, index, isTests(words[end-1])) {
		return
	}
	claim := strings.Join(words[at:end], " ")
	c.add(Finding{Line: line.No, Claim: shorten(claim), States: words[at], ShouldBe: strconv.Itoa(have)})
}

// countIn finds the number and the noun that a lead-in counts its list with:
// words[at:end]. It returns 0 if the lead-in may mean something else.
func countIn(words []string) (n, at, end int) {
	for i := len(words) - 1; i >= 0 && i >= len(words)-12; i-- {
		w := words[i]
		v := numberWord(w)
		if v == 0 {
			if !isDigit(w[0]) {
				continue
			}
			u, err := strconv.Atoi(w)
			if err != nil || u > 99 {
				continue
			}
			v = u
		}
		j := i + 1 // the noun, behind up to three adjectives
		for ; j < len(words) && j < i+5; j++ {
			w := clean(words[j])
			if clause := strings.HasSuffix(words[j], ",") && len(w) > 2 && countedNouns[singular(w)]; clause {
				if j+1 < len(words) && asideWords[clean(words[j+1])] && counts(words, i) {
					return v, i, j + 1
				}
				return 0, 0, 0
			}
			if strings.ContainsAny(words[j], "(),;:.") || w == "of" || w == "or" || w == "to" || w == "in" {
				return 0, 0, 0
			}
			if len(w) > 2 && w[len(w)-1] == 's' && countedNouns[singular(w)] && !nounFollows(words, j+1) {
				break
			}
			if w == "criteria" {
				break
			}
		}
		if j >= len(words) || j == i+5 {
			return 0, 0, 0
		}
		announced := i != 1 || clean(words[0]) != "the" // "Here are five quick wins you can ship:"
		for k := 0; k < i; k++ {
			announced = announced && announceWords[clean(words[k])]
		}
		for k := j + 1; k < len(words); k++ {
			if w := clean(words[k]); !leadEnds[w] && (!announced || i == 0 || countedNouns[singular(w)] || numberWords[w] > 0 || isDigit(w0(w)) || w == "with" || w == "for") {
				return 0, 0, 0
			}
		}
		if !counts(words, i) {
			return 0, 0, 0
		}
		return v, i, j + 1
	}
	return 0, 0, 0
}

// nounFollows tells whether the noun goes on: "three test cases".
func nounFollows(words []string, i int) bool {
	if i >= len(words) {
		return false
	}
	w := clean(words[i])
	return len(w) > 2 && w[len(w)-1] == 's' && countedNouns[singular(w)]
}

// announceWords are what a lead-in begins with that is nothing but one.
var announceWords = wordSet(`here are there is the following below this section lists list our my we see`)

// asideWords begin a remark behind the noun that a list is counted by.
var asideWords = wordSet(`all each namely in as ordered ranked listed sorted`)

// w0 is the first byte of w, 0 if there is none.
func w0(w string) byte { return next(w, 0) }

func clean(w string) string {
	return strings.ToLower(strings.Trim(w, "*_\"'“”()[],;:."))
}

// counts tells whether words[i], a number, counts what follows the lead-in:
// what stands before it is neither a hedge, nor a label, nor a preposition.
func counts(words []string, i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		w := clean(words[k])
		switch {
		case hedgeWords[w] || labelWords[w] || w == "than" || w == "out" || w == "half":
			return false
		case w == "of":
			return k > 0 && (setWords[clean(words[k-1])] || k > 1 && setWords[clean(words[k-2])])
		case w == "on" && k > 0 && restWords[clean(words[k-1])]:
			return true
		case notCounting[w]:
			return false
		case w == "in":
			return k == i-1
		case w == "these" || w == "those" || w == "both":
			return false // of which was spoken before
		case w == "the" && k > 0 && k == i-1 && !theWords[clean(words[k-1])] && !strings.ContainsAny(words[k-1], ".,;:"):
			return false // fixes for the 4 attacks
		case w == "all" && k == i-1 && (words[len(words)-1] == "are" || words[len(words)-1] == "were"):
			return false // all four checks are: fast, free
		case w == "the" || w == "all" || w == "following":
			continue
		case k == i-1 && hasDigit(w):
			return false // reports 7-9, 11 converge
		case strings.HasSuffix(words[k], ",") || strings.HasSuffix(words[k], ".") || strings.HasSuffix(words[k], ";"):
			return true
		}
		if k == i-1 || k == i-2 {
			continue
		}
	}
	return i < 3 || !clauseWords[clean(words[0])]
}

// theWords before "the four steps" make the list one of them.
var theWords = wordSet(`lists list shows names gives covers are were is follow takes has have these of here all in on`)

// clauseWords begin a lead-in whose list is about something else than what the
// clause counts: "When the server loses these two features:".
var clauseWords = wordSet(`to when whenever if while once after before because since although unless until given where as`)

// defensible tells whether a list of another length than n may still be what
// was counted.
func (c *checker) defensible(list *List, n, index int, tests bool) bool {
	have := len(list.Items)
	if have > n && (list.Items[n].Number == 1 && list.Items[1].Number != 1 || c.apart(list, n)) {
		return true // a second list begins there
	}
	if n > 2*have+1 || have > 2*n+1 {
		return true // it counts something else
	}
	joints, named := 0, 0
	for i := range list.Items {
		text := list.Items[i].Text
		low := strings.ToLower(text)
		head := low
		for _, end := range [...]string{": ", " (", ". ", " — ", " – "} {
			head, _, _ = strings.Cut(head, end)
		}
		named += 1 + strings.Count(low, ", ") + strings.Count(low, " and ")
		joints += strings.Count(head, ", ") + strings.Count(head, " and ") + strings.Count(head, " & ") + strings.Count(head, " + ") + strings.Count(head, " / ") + slashes(head) + strings.Count(head, "–")
		if strings.HasSuffix(low, " each") {
			return true // it tells of all of them
		}
		if strings.HasPrefix(low, "(") && strings.IndexByte(low, ')') > 3 {
			return true // (second order) an aside
		}
		for _, p := range [...]string{"note", "recommend", "verdict", "δ", "delta:", "difference", "gap:", "conclusion", "result", "optional", "(optional", "bonus", "…", "...", "etc", "and ", "each ", "both ", "others", "other", "plus", "also", "total", "sum", "n/a"} {
			if strings.HasPrefix(low, p) {
				return true
			}
		}
		if strings.HasSuffix(low, "etc.") || strings.HasSuffix(low, "…") || strings.HasSuffix(low, "...") || strings.HasSuffix(low, "and so on") {
			return true
		}
	}
	if have < n && (joints >= n-have || named == n) {
		return true // some item is two
	}
	if have < n && (tests || c.goesOn(list, index) || skips(list)) {
		return true
	}
	// The items may be groups: count what is nested in them, and the numbers
	// that they state.
	nested, numbered := c.nestedItems(list, index)
	parents := c.parents(list, index)
	if nested == n && parents == have || nested > 0 && nested+have == n || nested >= 2*parents && nested > 0 && nested+have-parents == n && c.grouped(list, index) {
		return true
	}
	if have > n && have <= maxSplit && distinct(list) == n {
		return true // three forms of one thing
	}
	if alike(list) == n || namesakes(list) == n || have > n && (headed(list) == n || c.marked(list, "**") == n || c.marked(list, "`") == n || remarkedItems(list) == n) {
		return true // Option A, option B, and what to choose
	}
	for _, mark := range [...]string{"**", "`"} {
		if k := c.marked(list, mark); have > n && !list.Ordered && k > 0 && have-k == n {
			return true // three features, and **the solution**
		}
	}
	asked := 0
	for i := range list.Items {
		if strings.HasSuffix(list.Items[i].Text, ":") && i+1 < have {
			return true // the next list has no blank line before it
		}
		if strings.HasSuffix(list.Items[i].Text, "?") {
			asked++
		}
	}
	return asked == n || numbered >= have && have > 0 || c.spelledOut(list) == n || c.cutShort(list)
}

// spelledOut adds up the number words that items begin with: "Two for general
// ranges …".
func (c *checker) spelledOut(list *List) int {
	n := 0
	for i := range list.Items {
		first, _, _ := strings.Cut(list.Items[i].Text, " ")
		n += spelled(first)
	}
	return n
}

// cutShort tells whether the text behind list says that something is left out.
func (c *checker) cutShort(list *List) bool {
	for i := list.Items[len(list.Items)-1].Line + 1; i < len(c.t.Lines) && i <= list.Items[len(list.Items)-1].Line+3; i++ {
		low := strings.ToLower(c.t.Lines[i].Text[:min(len(c.t.Lines[i].Text), 80)])
		if strings.Contains(low, "truncated") || strings.Contains(low, "omitted") || strings.HasPrefix(low, "…") || strings.HasPrefix(low, "...") {
			return true
		}
	}
	return false
}

// slashes counts the slashes between two words: not those of a path.
func slashes(s string) int {
	n := 0
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '/' && isWordAt(s, i-1) && isWordAt(s, i+1) {
			n++
		}
	}
	return n
}

// apart tells whether a blank line sets off the items from the n-th on, and
// only those.
func (c *checker) apart(list *List, n int) bool {
	for i := 1; i <= n; i++ {
		blank := strings.TrimSpace(c.source(list.Items[i].No-1)) == ""
		if blank != (i == n) {
			return false
		}
	}
	return true
}

// goesOn tells whether list is continued behind something that interrupts it:
// another list at the same level before the section ends.
func (c *checker) goesOn(list *List, index int) bool {
	for k := index + 1; k < len(c.t.Lists) && k < index+200; k++ {
		other := &c.t.Lists[k]
		if other.Level == list.Level && other.Items[0].Number == len(list.Items)+1 && list.Ordered {
			return true
		}
		if other.Section != list.Section {
			return false
		}
		if other.Level == list.Level {
			return true
		}
	}
	return false
}

// nestedItems counts the items directly below those of list, and those of its
// own items that begin with a number or state one behind a colon.
func (c *checker) nestedItems(list *List, index int) (nested, numbered int) {
	for k := index + 1; k < len(c.t.Lists) && k < index+200; k++ {
		other := &c.t.Lists[k]
		if other.Level <= list.Level || other.Section != list.Section {
			break
		}
		if other.Level == list.Level+1 {
			nested += len(other.Items)
		}
	}
	for i := range list.Items {
		if c.lex.read(list.Items[i].Text, nil) && c.lex.firstCount() >= 0 {
			numbered++
		}
	}
	return nested, numbered
}

// grouped tells whether every list directly below list has several items, so
// that its item stands for a group of them.
func (c *checker) grouped(list *List, index int) bool {
	for k := index + 1; k < len(c.t.Lists) && k < index+200 && c.t.Lists[k].Level > list.Level; k++ {
		if c.t.Lists[k].Level == list.Level+1 && len(c.t.Lists[k].Items) < 2 {
			return false
		}
	}
	return true
}

// parents counts the items of list that have items below them.
func (c *checker) parents(list *List, index int) int {
	n := 0
	for k := index + 1; k < len(c.t.Lists) && k < index+200 && c.t.Lists[k].Level > list.Level; k++ {
		if c.t.Lists[k].Level == list.Level+1 {
			n++
		}
	}
	return n
}
