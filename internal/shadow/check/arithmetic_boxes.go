package check

import "strconv"

// doneWords behind "5 of 8" count the boxes that are ticked.
var doneWords = wordSet(`done complete completed finished closed ticked checked passed passing met implemented ready resolved fixed`)

// ticked checks "5 of 8 done" in the line lead against the boxes of list.
func (c *checker) ticked(list *List, lead, index int) {
	on, boxes := 0, 0
	for i := range list.Items {
		if b := list.Items[i].Checked; b != nil {
			boxes++
			if *b {
				on++
			}
		}
	}
	if boxes < 2 || boxes != len(list.Items) {
		return
	}
	l := &c.lex
	line := &c.t.Lines[lead]
	if !nestedBoxes(c.t, index) {
		c.openBoxes(line, boxes, on)
	}
	if !l.read(line.Text, line.code) {
		return
	}
	for i := range l.toks {
		if l.toks[i].kind != tokNumber {
			continue
		}
		r, ok := l.ratioAt(i)
		if !ok || !l.standsAlone(r) {
			continue
		}
		done := -1
		for j := r.to; j < len(l.toks) && j < r.to+5; j++ {
			if doneWords[l.wordAt(j)] {
				done = j
			}
			if isTests(l.wordAt(j)) {
				return // they need not have a box each
			}
			if l.wordAt(j) == "" || notNouns[l.wordAt(j)] && l.wordAt(j) != "is" && l.wordAt(j) != "are" {
				break
			}
		}
		if w := l.wordAt(r.from - 1); done < 0 && (doneWords[w] || w == "progress") {
			done = r.to - 1
		}
		if w := l.wordAt(r.from - 2); done < 0 && l.markAt(r.from-1) == ':' && (doneWords[w] || w == "progress" || w == "status") {
			done = r.to - 1
		}
		if done < 0 && line.Kind == Heading && l.kindAt(r.from-1) == tokOpen && l.kindAt(r.to) == tokClose && l.toks[r.m].num.mant == int64(boxes) {
			done = r.to - 1 // ## Tasks (2/4)
		}
		if done < 0 {
			continue
		}
		k, n := &l.toks[r.n].num, &l.toks[r.m].num
		// Boxes that are nested below may count too; then the totals differ.
		if k.wide != nil || n.wide != nil || nestedBoxes(c.t, index) {
			return
		}
		if n.mant == int64(boxes) && k.mant != int64(on) {
			c.add(Finding{Line: line.No, Claim: shorten(l.text(r.from, done)), States: l.text(r.n, r.n), ShouldBe: strconv.Itoa(on)})
		} else if k.mant == int64(on) && n.mant != int64(boxes) && on > 0 && !c.goesOn(list, index) {
			c.add(Finding{Line: line.No, Claim: shorten(l.text(r.from, done)), States: l.text(r.m, r.m), ShouldBe: strconv.Itoa(boxes)})
		}
		return
	}
}

// nestedBoxes tells whether the list after list index is nested in it.
func nestedBoxes(t *Text, index int) bool {
	return index+1 < len(t.Lists) && t.Lists[index+1].Level > t.Lists[index].Level && t.Lists[index+1].Section == t.Lists[index].Section
}
