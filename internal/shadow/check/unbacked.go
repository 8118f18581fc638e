package check

import (
	"math"
	"slices"
	"strings"
)

// maxStated bounds the numbers of a summary that are looked up.
const maxStated = 1000

// UnbackedNumbers finds the numbers that summary states and t backs nowhere.
// A number is backed if t states it, anywhere and in any form (digits or
// words, rounded, in another unit, as a share such as 38/42 for 90%), or if t
// has as many list items, table rows, sections or the like, or a table column
// that adds up to it. Versions, dates, labels ("phase 2"), 0 and 1 state
// nothing. It returns at most 100 findings; Line counts the summary's lines.
// Time is linear in both texts, up to the sorting of t's numbers.
func UnbackedNumbers(t *Text, summary string) []Finding {
	s := Analyse(summary)
	var f *facts
	var found []Finding
	lex, stated := lexer{}, 0
	defer lex.release()
	report := func(line *Line, claim, states string) {
		g := Finding{Line: line.No, Claim: shorten(claim), States: states}
		if len(found) < maxFindings && !slices.Contains(found, g) {
			found = append(found, g)
		}
	}
	for i := range s.Lines {
		line := &s.Lines[i]
		if line.Kind == Code || len(line.Text) > maxLine {
			continue
		}
		for _, w := range statedWords(line.Text) {
			if stated++; stated > maxStated {
				return found
			}
			if f == nil {
				f = factsOf(t)
			}
			if !f.states(float64(w.value), 0.5) && !enumerates(line.Text[w.to:], w.value) {
				report(line, line.Text[w.from:nounEnd(line.Text, w.to)], line.Text[w.from:w.to])
			}
		}
		if !lex.read(line.Text, line.code) {
			continue
		}
		for k := range lex.toks {
			tok := &lex.toks[k]
			if tok.kind != tokNumber || tok.num.word || !lex.statesSomething(k) {
				continue
			}
			if stated++; stated > maxStated {
				return found
			}
			if f == nil {
				f = factsOf(t)
			}
			if !f.back(&tok.num, !lex.exact(k)) && !enumerates(line.Text[tok.to:], int(tok.num.mant)) {
				report(line, line.Text[tok.from:nounEnd(line.Text, tok.to)], line.Text[tok.from:tok.to])
			}
		}
	}
	return found
}

// statesSomething tells whether the number at token k is a statement, and not
// a label, a year or part of a formula.
func (l *lexer) statesSomething(k int) bool {
	n := &l.toks[k].num
	if n.wide != nil || n.unclear || n.loose && n.sep == 0 || labelWords[l.wordAt(k-1)] {
		return false
	}
	if n.dec == 0 && (n.mant <= 1 || n.unit == "" && n.mant >= 1900 && n.mant <= 2100) {
		return false
	}
	return k == 0 || l.kindAt(k-1) != tokOp || l.toks[k-1].dash || l.kindAt(k-2) == tokNumber
}

// stated is a number written as a word.
type statedWord struct{ value, from, to int }

// statedWords finds the numbers from three to twelve that are written as words
// and count something. Smaller ones are too often figures of speech.
func statedWords(text string) (words []statedWord) {
	forWords(text, func(from, to int) {
		v := numberWord(text[from:to])
		if v < 3 || v > 12 || next(text, to) == 0 || next(text, to) != ' ' && next(text, to) != '-' {
			return
		}
		before := strings.ToLower(lastWord(text[:from]))
		if next(text, to+1) == 0 || !isLetterAt(text, to+1) || labelWords[before] || hedgeWords[before] {
			return
		}
		words = append(words, statedWord{v, from, to})
	})
	return words
}

// forWords calls f with the bounds of every run of letters in text.
func forWords(text string, f func(from, to int)) {
	for i := 0; i < len(text); {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			i++
			continue
		}
		from := i
		for i < len(text) && nameBytes[text[i]] {
			i++
		}
		f(from, i)
	}
}

// numberWord is the value of a number word in any case, 0 for other words.
func numberWord(w string) int {
	if !numberShapes.may(w) || w[1] < 'a' {
		return 0
	}
	if v, ok := numberWords[w]; ok {
		return v
	}
	switch w[0] {
	case 'O', 'T', 'F', 'S', 'E', 'N':
		return numberWords[strings.ToLower(w)]
	}
	return 0
}

var numberShapes = shapesOf(numberWords)

func lastWord(text string) string {
	text = strings.TrimRight(text, " ")
	return text[strings.LastIndexByte(text, ' ')+1:]
}

// nounEnd is where the up to three words behind a number end, so that a claim
// shows what it counts.
func nounEnd(text string, i int) int {
	for k := 0; k < 3; k++ {
		j := i
		for next(text, j) == ' ' || next(text, j) == '-' {
			j++
		}
		if j == i || !isLetterAt(text, j) {
			break
		}
		end := lettersEnd(text, j)
		if notNouns[text[j:end]] {
			break
		}
		i = end
	}
	return i
}

// enumerates tells whether n things are named behind a colon or in
// parentheses in text, which follows the number: "3 modules (a, b, c)".
func enumerates(text string, n int) bool {
	i := strings.IndexAny(text, ":(")
	if i < 0 || i > 100 {
		return false
	}
	list := text[i+1:]
	if text[i] == '(' {
		if j := closingParen(list); j >= 0 {
			list = list[:j]
		}
	}
	counts, ok := enumerated(list)
	return ok && slices.Contains(counts[:], n)
}

// enumerated gives the numbers of things that a list in prose may name; false
// if it names none.
func enumerated(list string) ([3]int, bool) {
	commas, ands, joined := 0, 0, 0
	var behind [len("and") + 1]int // where the last one of this length ends: " and and " has one
	for at := 0; ; at++ {
		i := strings.IndexByte(list[at:], ' ')
		if i < 0 {
			break
		}
		at += i
		mark := byte(0)
		if at > 0 {
			mark = list[at-1]
		}
		if mark == ',' || mark == ';' {
			commas++
		}
		w := conjunctionAt(list[at+1:])
		if w == 0 || at < behind[w] {
			continue
		}
		ands++
		behind[w] = at + w + 2
		if mark == ',' && w > 1 || mark == ';' && w == len("and") {
			joined++
		}
	}
	return [3]int{commas + 1, commas + 2, commas + ands - joined + 1}, commas+ands > 0
}

// conjunctionAt gives the length of the conjunction with a space behind it
// that s begins with, 0 if it begins with none.
func conjunctionAt(s string) int {
	switch next(s, 0) {
	case 'a':
		if strings.HasPrefix(s, "and ") {
			return len("and")
		}
	case 'o':
		if strings.HasPrefix(s, "or ") {
			return len("or")
		}
	case '&':
		if next(s, 1) == ' ' {
			return len("&")
		}
	}
	return 0
}

// facts are the numbers that a text backs, in ascending order.
type facts struct {
	values   []float64
	percents []float64
}

// states tells whether some value lies within slack of v.
func (f *facts) states(v, slack float64) bool { return within(f.values, v, slack) }

func within(sorted []float64, v, slack float64) bool {
	slack = math.Max(slack, math.Abs(v)*1e-9)
	i, _ := slices.BinarySearch(sorted, v-slack)
	return i < len(sorted) && sorted[i] <= v+slack
}

// conversions are the factors between the units of time and of data.
var conversions = [...]float64{60, 3600, 24, 1440, 86400, 7, 30, 365, 12, 52, 1000, 1024, 1e6, 1 << 20}

// back tells whether f backs the number n.
func (f *facts) back(n *number, roughly bool) bool {
	v := n.float()
	slack := math.Pow10(-n.dec) * 0.999
	if roughly {
		slack = math.Max(slack, math.Abs(v)/10)
	}
	if n.percent() {
		return within(f.percents, v, slack) || f.states(v/100, slack/100)
	}
	if f.states(v, slack) {
		return true
	}
	switch n.unit {
	case "", "x":
		return n.unit == "x" && within(f.percents, v*100, slack*100)
	case "k":
		return f.states(v*1e3, slack*1e3)
	case "million":
		return f.states(v*1e6, slack*1e6)
	case "billion":
		return f.states(v*1e9, slack*1e9)
	case "hundred":
		return f.states(v*100, slack*100)
	case "dozen":
		return f.states(v*12, slack*12)
	}
	if units[n.unit] != "" || n.compound {
		for _, by := range conversions {
			if f.states(v*by, slack*by/1000) || f.states(v/by, slack/by/1000) {
				return true
			}
		}
	}
	return false
}

func (n *number) float() float64 { return float64(n.mant) * math.Pow10(-n.dec) }

// factsOf collects what t backs.
func factsOf(t *Text) *facts {
	f := &facts{values: make([]float64, 0, 64+len(t.Source)/32)}
	f.read(t.Source)
	for i := range t.Lists {
		f.count(len(t.Lists[i].Items))
		ticked, nested := 0, len(t.Lists[i].Items)
		for _, it := range t.Lists[i].Items {
			if it.Checked != nil && *it.Checked {
				ticked++
			}
		}
		for k := i + 1; k < len(t.Lists) && k < i+50 && t.Lists[k].Level > t.Lists[i].Level; k++ {
			nested += len(t.Lists[k].Items)
		}
		f.count(ticked)
		f.count(nested)
		f.count(nested - len(t.Lists[i].Items))
	}
	for i := range t.Tables {
		f.table(&t.Tables[i])
	}
	under := make([]int, len(t.Sections))
	byLevel := [9]int{}
	for i := 1; i < len(t.Sections); i++ {
		under[t.Sections[i].Up]++
		byLevel[min(t.Sections[i].Level, 8)]++
	}
	for _, n := range append(under, byLevel[:]...) {
		f.count(n)
	}
	f.count(len(t.Code))
	f.count(len(t.Tables))
	f.count(len(t.Links))
	for i := range t.Lines {
		if l := &t.Lines[i]; l.Kind != Code && len(l.Text) <= maxLine {
			if counts, ok := enumerated(l.Text); ok {
				for _, n := range counts {
					f.count(n)
				}
			}
		}
	}
	slices.Sort(f.values)
	slices.Sort(f.percents)
	return f
}

func (f *facts) count(n int) {
	if n > 1 {
		f.values = append(f.values, float64(n))
	}
}

// table takes the numbers of rows and columns, and the sum of each column.
func (f *facts) table(t *Table) {
	f.count(len(t.Rows))
	f.count(len(t.Rows) - 1)
	f.count(len(t.Header))
	f.count(len(t.Header) - 1)
	c := checker{}
	defer c.lex.release()
	sums := make([]float64, len(t.Header))
	for _, row := range t.Rows {
		for k, text := range row {
			if cl := c.cell(text); cl.kind == cellNumber && (k > 0 || len(t.Header) == 1) && totalLabel(row[0]) == rowPlain {
				sums[k] += cl.num.float()
			}
		}
	}
	f.values = append(f.values, sums...)
}

// read takes every number in the source, those in code, versions and names
// included, and the shares that two of them make.
func (f *facts) read(src string) {
	for i := 0; i < len(src); {
		if !isDigit(src[i]) {
			i++
			continue
		}
		n, end, ok := numberAt(src, i)
		if ok && n.wide == nil {
			f.number(&n)
			f.ratio(src, end, n.float())
		}
		if !ok || n.loose || n.unclear || n.sep != 0 || n.compound || n.wide != nil {
			f.pieces(src[i:end])
		}
		i = end
	}
	forWords(src, func(from, to int) {
		if v := numberWord(src[from:to]); v > 0 {
			f.values = append(f.values, float64(v))
		}
	})
}

func (f *facts) number(n *number) {
	v := n.float()
	if n.percent() {
		f.percents = append(f.percents, v, 100-v)
		return
	}
	f.values = append(f.values, v)
	switch n.unit {
	case "k":
		f.values = append(f.values, v*1e3)
	case "million":
		f.values = append(f.values, v*1e6)
	case "billion":
		f.values = append(f.values, v*1e9)
	}
}

// ratio takes the share of v in what follows at i: "/42", " of 42", " out of
// the 42".
func (f *facts) ratio(src string, i int, v float64) {
	rest := src[i:min(len(src), i+24)]
	for rest != "" && (rest[0] == ' ' || rest[0] == '*') {
		rest = rest[1:]
	}
	if c := next(rest, 0); c != '/' && c != 'o' {
		return
	}
	for _, p := range [...]string{"/", "of ", "out of "} {
		if r, ok := strings.CutPrefix(rest, p); ok {
			r = strings.TrimPrefix(strings.TrimLeft(r, " *"), "the ")
			if r == "" || !isDigit(r[0]) {
				return
			}
			if m, _, ok := numberAt(r, 0); ok && m.wide == nil && m.mant != 0 {
				share := 100 * v / m.float()
				f.percents = append(f.percents, share, 100-share)
			}
			return
		}
	}
}

// pieces takes the runs of digits in text, with and without what joins them.
func (f *facts) pieces(text string) {
	whole := 0.0
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		end := digitsEnd(text, i)
		if end-i <= 15 {
			v := 0.0
			for ; i < end; i++ {
				v = v*10 + float64(text[i]-'0')
			}
			f.values = append(f.values, v)
			if whole < 1e12 && end-i <= 3 {
				whole = whole*1000 + v
			}
		}
		i = end
	}
	f.values = append(f.values, whole)
}
