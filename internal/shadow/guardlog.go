package shadow

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Withheld stands in the place of a text that held sealed words.
const Withheld = "[withheld: it holds sealed text]"

// Guard returns a text that is about to be logged, or to become the label of a
// metric, as it is, or [Withheld] if it holds sealed text of one of the last
// 1024 envelopes that this process has opened. Such a text is a defect: it is
// counted, see [WithheldTexts].
//
// A text without a space is taken for a name, which nobody writes a criterion
// in; it is searched for decoys' tokens alone. So ids, subjects and hashes, of
// which most of a log is made, cost next to nothing.
//
// It is a property of the process, like its log: whichever part of it opened
// the envelope, the words must not come out of another.
func Guard(text string) string {
	if len(text) < minSecret || !opened.holds(text) {
		return text
	}
	withheld.Add(1)
	return Withheld
}

// WithheldTexts is how many texts [Guard] has withheld in this process.
func WithheldTexts() int64 { return withheld.Load() }

var withheld atomic.Int64

// opened are the guards of the envelopes that this process has opened lately.
var opened = &vault{marks: map[mark]int32{}, tokens: map[string]int32{}, ring: make([]*guard, 1024)}

// vault joins guards, the oldest of which gives way to a new one. Runs ask much
// of the same in the same words, so it counts them.
type vault struct {
	mu      sync.RWMutex
	marks   map[mark]int32
	tokens  map[string]int32
	lengths uint32 // never loses a bit: that costs time and nothing else
	ring    []*guard
	next    int
}

func (v *vault) add(g *guard) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if old := v.ring[v.next]; old != nil {
		v.count(old, -1)
	}
	v.ring[v.next] = g
	v.next = (v.next + 1) % len(v.ring)
	v.count(g, 1)
	v.lengths |= g.lengths
}

func (v *vault) count(g *guard, n int32) {
	for _, m := range g.marks {
		if v.marks[m] += n; v.marks[m] == 0 {
			delete(v.marks, m)
		}
	}
	if v.tokens[g.token] += n; v.tokens[g.token] == 0 {
		delete(v.tokens, g.token)
	}
}

// holds reports whether a text holds what one of the guards knows.
func (v *vault) holds(text string) (held bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.ring[0] == nil {
		return false
	}
	words := wordsIn(text, func(w string) {
		for i := 0; i+tokenSize <= len(w) && !held; i++ {
			held = v.tokens[w[i:i+tokenSize]] > 0
		}
	})
	if held || !strings.ContainsAny(text, " \t\n") {
		return held
	}
	take := func(m mark) bool {
		held = v.marks[m] > 0
		return !held
	}
	if runs(words, take); !held {
		wholes(words, v.lengths, take)
	}
	return held
}
