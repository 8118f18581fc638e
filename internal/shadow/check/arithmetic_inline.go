package check

import (
	"strconv"
	"strings"
)

// measureNouns count an amount rather than the things of a list.
var measureNouns = wordSet(`days hours minutes seconds weeks months years times percent points dollars euros bytes degrees metres meters miles
	lines words characters pages tokens rows bits cents sessions users people items_of times rounds requests runs tries attempts copies
	decades quarters sprints nights mornings evenings milliseconds ms kilometers calories series this does was is has its thus plus minus
	process access address status analysis basis bus class less various others us yes`)

// enumerations checks counts of what is named in the same sentence: "four
// roles: admin, editor and viewer", "three databases (PostgreSQL, MySQL)".
func (c *checker) enumerations(at int) {
	s := c.t.Lines[at].Text
	if len(s) > 600 || strings.IndexByte(s, ',') < 0 {
		return
	}
	for i := 3; i+6 < len(s); i++ {
		paren := s[i] == '(' && s[i-1] == ' '
		if !paren && !(s[i] == ':' && s[i+1] == ' ') {
			continue
		}
		before := strings.TrimRight(s[:i], " ")
		if !endsPlural(before) {
			continue
		}
		n, claim := countBefore(before)
		if n < 2 || paren && !endsNoun(before) {
			continue
		}
		after := s[i+1:]
		have := 0
		if paren {
			end := strings.IndexByte(after, ')')
			if end < 0 || strings.IndexByte(after[:end], '(') >= 0 {
				continue
			}
			// In digits it may count things of which these are the kinds.
			if have = namedCount(after[:end], isDigit(claim[0])); have < 3 || remarkedOn(after[:end]) {
				continue // a remark
			}
			if hasDigit(after[:end]) || end+1 < len(after) && strings.IndexByte(".,;:", after[end+1]) < 0 {
				continue
			}
			if end+1 < len(after) && have > 0 && have < n && strings.HasPrefix(after[end+1:], " and ") {
				continue
			}
		} else {
			have = namedCount(strings.TrimRight(strings.TrimSpace(after), "."), true)
		}
		if strings.Contains(after, " or ") {
			continue // these may be alternatives
		}
		if have == n+1 && !strings.Contains(after, ", and ") && !strings.Contains(after, ", or ") && strings.Contains(after, " and ") {
			continue // the last name may have an "and"
		}
		if have < 2 || have == n || have-n > 2 || n-have > 2 {
			continue
		}
		c.at, c.disownedKnown = at, false
		c.report(claim+s[len(before):min(len(s), i+1+60)], strings.Fields(claim)[0], strconv.Itoa(have))
		return
	}
}

// remarkedOn tells whether what begins s says something of the things counted
// instead of naming one: "cross-checked in A, B and C".
func remarkedOn(s string) bool {
	first, _, _ := strings.Cut(s, ",")
	words := strings.Fields(first)
	for i, w := range words {
		if narrowing[w] && (i == 0 || strings.HasSuffix(words[i-1], "ed")) {
			return true
		}
	}
	return false
}

func endsPlural(s string) bool {
	return len(s) > 3 && (s[len(s)-1] == 's' || strings.HasSuffix(s, " are") || strings.HasSuffix(s, " exist") || strings.HasSuffix(s, " were"))
}

func endsNoun(s string) bool {
	w := s[strings.LastIndexByte(s, ' ')+1:]
	return isPlural(strings.ToLower(w))
}

// isPlural tells whether w reads as the plural of something that can be named.
func isPlural(w string) bool {
	n := len(w)
	return n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != '\'' && w[n-2] != 'u' && !measureNouns[w]
}

// countBefore finds the count that s ends in: "we support four databases",
// "the five pillars are".
func countBefore(s string) (n int, claim string) {
	from := max(0, len(s)-120)
	words := strings.Fields(s[from:])
	end := len(words)
	for end > 0 && (words[end-1] == "are" || words[end-1] == "were" || words[end-1] == "exist" || words[end-1] == "follows" || words[end-1] == "as") {
		end--
	}
	if end < 2 || !isPlural(strings.ToLower(words[end-1])) {
		return 0, ""
	}
	for i := end - 2; i >= 0 && i >= end-4; i-- {
		w := words[i]
		v := smallCount(w)
		if v == 0 {
			if strings.ContainsAny(w, ",;:.()") || isDigit(w[0]) || notNouns[strings.ToLower(w)] {
				return 0, ""
			}
			continue
		}
		if !countsHere(words, i) || v > 20 || w[0] == '0' {
			return 0, ""
		}
		return v, strings.Join(words[i:], " ")
	}
	return 0, ""
}

// smallCount is the value of a count in words or digits, 0 for other words.
func smallCount(w string) int {
	if v := numberWord(w); v > 0 {
		return v
	}
	if w != "" && isDigit(w[0]) && len(w) < 3 {
		v, _ := strconv.Atoi(w)
		return v
	}
	return 0
}

// countsHere tells whether words[i], a number, counts what is named behind it
// in full.
func countsHere(words []string, i int) bool {
	if i == 0 {
		return true
	}
	w := clean(words[i-1])
	switch {
	case w == "to" && i > 1 && clean(words[i-2]) == "up":
		return false
	case listPrepositions[w]:
		return true
	case hedgeWords[w], labelWords[w], notCounting[w], otherCounts[w]:
		return false
	case w == "the" || w == "a":
		return i < 2 || !hedgeWords[clean(words[i-2])] && clean(words[i-2]) != "of"
	}
	return true
}

// listPrepositions may stand before a count of what is named behind it.
var listPrepositions = wordSet(`with into for across by from through via in at on to`)

// otherCounts before a number say that it does not count what follows.
var otherCounts = wordSet(`than of other these those another or first last next`)

// unfinished words in an enumeration say that it names examples, or goes on.
var unfinished = wordSet(`etc e.g eg example including like such among mostly mainly or optionally plus see per with without via from where which that
	when if is are was has have for but not to each both more others other also depending either by one two three four five six seven
	in on at of as while so can will should must using vs versus than then before after because only same new
	all any some every it they we you this these those i.e ie namely default respectively`)

// namedCount counts the short names that s lists; 0 if it is something else.
// If closed is set, the last one must be joined by "and".
func namedCount(s string, closed bool) int {
	if strings.ContainsAny(s, "…;:=→[](){}\"?!/&+|%$#<>") || strings.Contains(s, ". ") || strings.HasSuffix(s, "...") || strings.Contains(s, " – ") || strings.Contains(s, " — ") || strings.Contains(s, " - ") {
		return 0
	}
	n, and := 0, 0
	for _, item := range strings.Split(s, ",") {
		words := strings.Fields(item)
		if len(words) > 0 && (words[0] == "and" || words[0] == "or") {
			and++
			words = words[1:]
		}
		if len(words) == 0 || len(words) > 7 {
			return 0
		}
		n++
		size := 0
		for k, w := range words {
			if w == "and" && k > 0 {
				and++
				n++
				size = 0
				continue
			}
			low := strings.ToLower(w)
			if size++; size > 3 || unfinished[strings.Trim(low, "().")] || isDigit(w[0]) {
				return 0
			}
		}
	}
	if and > 1 || closed && and != 1 {
		return 0
	}
	if and == 1 { // "and" must join the last
		tail := s[strings.LastIndexByte(s, ',')+1:]
		if !strings.Contains(tail, " and ") && !strings.HasPrefix(strings.TrimSpace(tail), "or ") {
			return 0
		}
	}
	return n
}
