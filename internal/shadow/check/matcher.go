package check

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// matcher runs a compiled regular expression and counts its steps, so that it
// can be stopped. It finds what regexp finds: the leftmost match, and of those
// the one that the order of the alternatives prefers. regexp itself cannot be
// stopped, and finding all matches of x*y|x in a long run of x takes it
// quadratic time.
type matcher struct {
	prog    *syntax.Prog
	prefix  string // what every match begins with, if that is known
	asserts bool   // has ^, $, \b or the like
	now     threads
	next    threads
	left    int // steps that may still be made
}

// caps are the offsets of the match and of its first group, -1 if unset.
type caps [4]int

// threads is a set of program counters in order of priority.
type threads struct {
	at    []uint32 // by program counter: index in list, valid if list agrees
	list  []thread
	alive int // how many of list are not mere marks of where a search has been
}

type thread struct {
	pc   uint32
	live bool
	caps caps
}

func newMatcher(prog *syntax.Prog, left int) *matcher {
	n := len(prog.Inst)
	m := &matcher{prog: prog, left: left}
	m.prefix, _ = prog.Prefix()
	m.asserts = slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth })
	m.now.at, m.now.list = make([]uint32, n), make([]thread, 0, n)
	m.next.at, m.next.list = make([]uint32, n), make([]thread, 0, n)
	return m
}

func (q *threads) clear() { q.list, q.alive = q.list[:0], 0 }

// find gives the first match of s at or behind offset at. It stops when no
// steps are left: then m.left is negative and the result says nothing.
func (m *matcher) find(s string, at int) (found caps, ok bool) {
	m.now.clear()
	r, width := next1(s, at)
	flags := m.around(s, at, r)
	for m.left >= 0 {
		if m.now.alive == 0 {
			if ok {
				break
			}
			m.now.clear()
			if m.prefix != "" {
				j := strings.Index(s[at:], m.prefix)
				if j < 0 {
					break
				}
				if m.left -= j / bytesPerUnit; j > 0 {
					at += j
					r, width = next1(s, at)
					flags = m.around(s, at, r)
				}
			}
		}
		if !ok {
			m.add(&m.now, uint32(m.prog.Start), at, &caps{at, -1, -1, -1}, flags)
		}
		after, afterWidth := next1(s, at+width)
		if flags = 0; m.asserts {
			flags = syntax.EmptyOpContext(r, after)
		}
		m.next.clear()
		if m.step(at, r, width, flags, &found) {
			ok = true
		}
		m.left--
		if r < 0 {
			break
		}
		m.now, m.next = m.next, m.now
		at += width
		r, width = after, afterWidth
	}
	return found, ok
}

// next1 gives the character at offset at, -1 at the end.
func next1(s string, at int) (r rune, width int) {
	switch {
	case at >= len(s):
		return -1, 0
	case s[at] < utf8.RuneSelf:
		return rune(s[at]), 1
	}
	return utf8.DecodeRuneInString(s[at:])
}

// around gives what holds between offset at, where r stands, and the
// character in front of it.
func (m *matcher) around(s string, at int, r rune) syntax.EmptyOp {
	if !m.asserts {
		return 0
	}
	before := rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	return syntax.EmptyOpContext(before, r)
}

// step moves the threads over the character r at offset at. A thread that has
// matched ends those of lower priority.
func (m *matcher) step(at int, r rune, width int, flags syntax.EmptyOp, found *caps) bool {
	m.left -= m.now.alive
	for i := range m.now.list {
		t := &m.now.list[i]
		if !t.live {
			continue
		}
		inst := &m.prog.Inst[t.pc]
		if inst.Op == syntax.InstMatch {
			*found = t.caps
			found[1] = at
			return true
		}
		if r >= 0 && takes1(inst, r) {
			m.add(&m.next, inst.Out, at+width, &t.caps, flags)
		}
	}
	return false
}

func takes1(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRune1:
		return r == inst.Rune[0]
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return inst.MatchRune(r)
}

// add adds the thread pc, and what it leads to without a character.
func (m *matcher) add(q *threads, pc uint32, at int, c *caps, flags syntax.EmptyOp) {
	for m.left >= 0 {
		if i := q.at[pc]; int(i) < len(q.list) && q.list[i].pc == pc {
			return
		}
		m.left--
		q.at[pc] = uint32(len(q.list))
		q.list = q.list[:len(q.list)+1]
		t := &q.list[len(q.list)-1]
		t.pc, t.live = pc, false
		inst := &m.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstFail:
			return
		case syntax.InstAlt, syntax.InstAltMatch:
			m.add(q, inst.Out, at, c, flags)
			pc = inst.Arg
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags != 0 {
				return
			}
			pc = inst.Out
		case syntax.InstCapture:
			if pc = inst.Out; inst.Arg < uint32(len(c)) {
				set := *c
				set[inst.Arg] = at
				c = &set
			}
		case syntax.InstNop:
			pc = inst.Out
		default:
			t.live, t.caps = true, *c
			q.alive++
			return
		}
	}
}

// findAll gives up to n matches that do not overlap.
func (m *matcher) findAll(s string, n int) []caps {
	var out []caps
	for at, last := 0, -1; at <= len(s) && len(out) < n && m.left >= 0; {
		c, ok := m.find(s, at)
		if !ok || m.left < 0 {
			break
		}
		accept := true
		if c[1] == at { // empty: one right behind a match is none
			accept = c[0] != last
			_, width := utf8.DecodeRuneInString(s[at:])
			at += max(width, 1)
		} else {
			at = c[1]
		}
		last = c[1]
		if accept {
			out = append(out, c)
		}
	}
	return out
}
