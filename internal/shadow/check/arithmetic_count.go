package check

import (
	"strconv"
	"strings"
)

// countWidely finds the number that a lead-in counts its list with where
// [countIn] finds none: any plural may be counted, and a few words may follow
// it, so that the list must be off by little.
func countWidely(words []string) (n, at, end int) {
	if len(words) > 14 || len(words) < 2 {
		return 0, 0, 0
	}
	if k := len(words) - 2; strings.HasPrefix(words[k], "(") && strings.HasSuffix(words[k+1], ")") { // What changed (5 items)
		v := smallCount(words[k][1:])
		w := clean(words[k+1])
		for _, other := range words[:k] {
			if clean(other) == singular(w) || clean(other) == w || numberWord(other) > 0 || hasDigit(other) {
				return 0, 0, 0 // Command reference (7 commands)
			}
		}
		if v > 1 && isPlural(w) && countedNouns[singular(w)] {
			return v, k, len(words)
		}
		return 0, 0, 0
	}
	at = -1
	for i, w := range words {
		if smallCount(w) > 0 {
			if at >= 0 {
				return 0, 0, 0
			}
			at = i
		} else if hasDigit(w) {
			return 0, 0, 0
		}
	}
	if at < 0 || !countsWhole(words, at) {
		return 0, 0, 0
	}
	n = smallCount(words[at])
	for j := at + 1; j < len(words) && j < at+5; j++ {
		w := clean(words[j])
		if w == "of" && j == at+1 && j+1 < len(words) && (clean(words[j+1]) == "them" || clean(words[j+1]) == "these") && at > 0 && (clean(words[at-1]) == "are" || clean(words[at-1]) == "were") {
			return n, at, j + 2
		}
		if strings.ContainsAny(words[j][:len(words[j])-1], "(),;:.") || notNouns[w] {
			return 0, 0, 0
		}
		if !isPlural(w) {
			if measureNouns[w] {
				return 0, 0, 0
			}
			continue
		}
		if j+1 < len(words) && isPlural(clean(words[j+1])) && !tailVerbs[clean(words[j+1])] {
			continue // three test cases
		}
		if end = wideEnd(words, at, j); end == 0 {
			return 0, 0, 0
		}
		return n, at, end
	}
	return 0, 0, 0
}

// tailVerbs end like plurals.
var tailVerbs = wordSet(`exists remains follows applies matters needs`)

// wideEnd is the end of the claim whose noun is words[j], 0 if what follows may
// turn to something else.
func wideEnd(words []string, at, j int) int {
	tail := words[j+1:]
	if at == 1 && clean(words[0]) == "the" && len(tail) > 1 {
		return 0 // the three layers are distinct
	}
	if len(tail) > 4 || strings.HasSuffix(words[j], ",") {
		return 0
	}
	if len(tail) > 0 && !leadEnds[clean(tail[0])] && !tailStarts[clean(tail[0])] {
		return 0 // three labels share: what the list tells of them
	}
	if len(tail) > 0 && clean(tail[0]) == "with" {
		switch clean(tail[len(tail)-1]) {
		case "this", "that", "it", "these", "them", "design", "approach", "plan":
		default:
			return 0
		}
	}
	for k, w := range tail {
		low := clean(w)
		if leadEnds[low] {
			continue
		}
		if low == "first" || low == "last" {
			return 0
		}
		if strings.HasSuffix(w, ",") || countedNouns[singular(low)] && len(low) > 2 || isPlural(w) && w0(w) >= 'a' || (low == "for" || low == "from" || low == "per" || low == "across" || low == "by") || k == 0 && (low == "and" || low == "or" || low == "is" || low == "of" || low == "each") {
			return 0
		}
	}
	return j + 1
}

// tailStarts may follow the noun of a count: "three problems with this".
var tailStarts = wordSet(`with on in we you i that fail failed failing emerged stood went came arose`)

// countsWhole tells whether words[at] counts the list: little stands before
// it, and nothing by which it may count something else.
func countsWhole(words []string, at int) bool {
	for k, w := range words[:at] {
		low := clean(w)
		if low == "the" && k > 0 && k == at-1 && !theWords[clean(words[k-1])] && !strings.ContainsAny(words[k-1], ".,;:") {
			return false // comparing the two waves
		}
		if notCounting[low] && low != "below" || low == "than" || low == "of" || low == "in" && k > 0 || clauseWords[low] || low == "these" || low == "those" || low == "other" || low == "another" || low == "or" || low == "took" || low == "takes" || low == "lasted" {
			return false
		}
	}
	if at > 0 {
		if c := w0(words[at-1]); c >= 'A' && c <= 'Z' && (at > 1 || !leadWords[clean(words[0])]) {
			return false // Testnet 4
		}
		if low := clean(words[at-1]); hedgeWords[low] || labelWords[low] || low == "first" || low == "last" || low == "next" || low == "top" || low == "all" || low == "both" || low == "runs" || low == "maintains" {
			return false
		}
	}
	return at < 8
}

// leadBefore is the line that counts the list whose lead-in is line lead: the
// sentence before "They were:", or lead itself.
func (c *checker) leadBefore(lead int) int {
	if lead < 1 || c.t.Lines[lead].Kind != Sentence || c.t.Lines[lead-1].Block != c.t.Lines[lead].Block {
		return lead
	}
	switch strings.ToLower(c.t.Lines[lead].Text) {
	case "they were:", "they are:", "these are:", "these were:", "they are as follows:", "these are as follows:":
		return lead - 1
	}
	return lead
}

// lettered checks counts against what follows as "a) …", "(1) …" or as
// paragraphs that begin with "Option A:".
func (c *checker) lettered(at int) {
	line := &c.t.Lines[at]
	if !strings.HasSuffix(line.Text, ":") || len(line.Text) > 160 || line.Kind != Sentence {
		return
	}
	words := strings.Fields(strings.TrimSuffix(line.Text, ":"))
	n, from, end := countIn(words)
	if n == 0 {
		n, from, end = countWidely(words)
	}
	if n < 2 {
		return
	}
	have, blank := 0, 0
	for no := line.No + 1; no < line.No+60 && have < 26 && blank < 3; no++ {
		s := strings.TrimSpace(strings.Trim(strings.TrimSpace(c.source(no)), "*_"))
		if s == "" {
			blank++
			continue
		}
		if isMarker(s, have) {
			have++
			blank = 0
		} else if have == 0 || s[0] == '#' || s[0] == '|' || strings.HasPrefix(s, "---") {
			break
		}
	}
	for _, w := range words {
		if smallCount(clean(w)) == have {
			return // three accounts and two rules
		}
	}
	if have < 2 || have <= n || have-n > 2 { // others may stand behind what is in between
		return
	}
	c.at, c.disownedKnown = at, false
	c.report(strings.Join(words[from:end], " "), words[from], strconv.Itoa(have))
}

// isMarker tells whether s begins with the k-th mark of a list.
func isMarker(s string, k int) bool {
	letter, digit := string(rune('a'+k)), strconv.Itoa(k+1)
	for _, mark := range [...]string{letter, digit} {
		for _, form := range [...]string{mark + ") ", "(" + mark + ") "} {
			if len(s) > len(form) && strings.EqualFold(s[:len(form)], form) {
				return true
			}
		}
	}
	word, rest, ok := strings.Cut(s, " ")
	return ok && word != "" && isLetterAt(word, 0) && (strings.HasPrefix(strings.ToLower(rest), letter+":") || strings.HasPrefix(rest, digit+":")) && word[0] < 'a'
}

// leadWords may begin a lead-in right before its count.
var leadWords = wordSet(`all the our my its their your following key main core major known with here has have is are needs only exactly`)

// openWords name what is not ticked yet.
var openWords = wordSet(`open left remaining remain outstanding pending missing unfinished incomplete unchecked undone todo`)

// openBoxes checks "two items are still open" and "all but one are done" in
// the lead-in of a list of boxes, of which on are ticked.
func (c *checker) openBoxes(line *Line, boxes, on int) {
	words := strings.Fields(strings.TrimRight(line.Text, ":."))
	if len(words) > 12 || line.Kind == Heading && strings.HasSuffix(words[0], ".") {
		return
	}
	at, open, done := -1, false, false
	for i, w := range words {
		low := clean(w)
		switch {
		case low != "" && smallCount(low) > 0:
			if at >= 0 {
				return
			}
			at = i
		case hasDigit(w), hedgeWords[low], low == "of":
			if low != "of" {
				return
			}
		}
		open, done = open || openWords[low], done || doneWords[low]
	}
	if at < 0 {
		return
	}
	n := smallCount(clean(words[at]))
	but := at >= 2 && clean(words[at-1]) == "but" && clean(words[at-2]) == "all"
	if !(but && done && !open) && !(at == 0 && open && !done) || n == boxes-on || n > boxes {
		return
	}
	c.add(Finding{Line: line.No, Claim: shorten(strings.Join(words, " ")), States: words[at], ShouldBe: strconv.Itoa(boxes - on)})
}
