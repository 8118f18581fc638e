package check

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// wordFacts is what is known of a word whatever text it stands in.
type wordFacts struct {
	word      string
	stem      string
	stands    string // stem of the word that it stands for as well, "" if none
	cue       int32  // group of declineCues that has it + 1
	head      int32  // group of declineHeads that has it + 1
	negates   bool
	prohibits bool // negates the words just behind it
	softens   bool // in a line that negates: says what holds instead
	stop      bool
	second    bool // second half of a compound
}

// knownWord gives what is known of a lower-case word, hash its hash by hashOf.
//
// Stemming takes most of the time of indexing a text, and the documents of a
// swarm share their words, so results are remembered in a table of fixed size
// that later words overwrite. It holds nothing but values of a pure function:
// what is in it never changes an answer.
func knownWord(word string, hash uint64) *wordFacts {
	var free *atomic.Pointer[wordFacts]
	for i := range uint64(ways) {
		slot := &vocabulary[(hash+i)%uint64(len(vocabulary))]
		known := slot.Load()
		if known == nil {
			free = slot
			break
		}
		if known.word == word {
			return known
		}
	}
	if free == nil {
		free = &vocabulary[(hash+hash>>32%ways)%uint64(len(vocabulary))]
	}
	if len(word) > maxStemmed {
		return &wordFacts{word: word, stem: word}
	}
	word = strings.Clone(word) // it is a piece of a document
	f := &wordFacts{word: word, stem: stemOf(word), cue: declineCues.group(word), head: declineHeads.group(word), negates: negations[word], prohibits: prohibitions[word], softens: softenings[word], stop: stopWords[word], second: secondHalves[word]}
	if stands := quantityWords[word]; stands != "" {
		f.stands = stemOf(stands)
	}
	free.Store(f)
	return f
}

// ways is in how many places of the table a word may stand.
const ways = 4

var (
	vocabulary [1 << 13]atomic.Pointer[wordFacts]
	hashSeed   = maphash.MakeSeed()
)

func hashOf(word string) uint64 { return maphash.String(hashSeed, word) }

// table numbers strings in the order in which they come: a hash table for
// strings whose hash is known.
type table struct {
	slots []int32 // number + 1; a power of two of them
	keys  []string
}

func newTable(n int) table {
	size := 64
	for size < 2*n {
		size *= 2
	}
	return table{slots: make([]int32, size), keys: make([]string, 0, n)}
}

// reset empties the table and keeps its space.
func (t *table) reset() {
	clear(t.slots)
	t.keys = t.keys[:0]
}

// number gives the number of a key, or -1.
func (t *table) number(key string, hash uint64) int32 {
	return t.slots[t.slot(key, hash)] - 1
}

// add numbers a key that may be new.
func (t *table) add(key string, hash uint64) (number int32, isNew bool) {
	i := t.slot(key, hash)
	if n := t.slots[i]; n > 0 {
		return n - 1, false
	}
	t.keys = append(t.keys, key)
	t.slots[i] = int32(len(t.keys))
	if 2*len(t.keys) > len(t.slots) {
		t.grow()
	}
	return int32(len(t.keys)) - 1, true
}

// slot finds the place of a key, or the free one where it belongs.
func (t *table) slot(key string, hash uint64) int {
	mask := len(t.slots) - 1
	i := int(hash>>16) & mask
	for t.slots[i] > 0 && t.keys[t.slots[i]-1] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	for n, key := range t.keys {
		t.slots[t.slot(key, hashOf(key))] = int32(n) + 1
	}
}
