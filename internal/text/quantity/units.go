package quantity

import (
	_ "embed"
	"strconv"
	"strings"
)

// Unit is a unit of measure.
type Unit struct {
	Of        string  // what it measures
	Low, High float64 // its size in the base unit, which is not always exact
}

// IsMoney tells whether the unit is a currency. It may be nil.
func (u *Unit) IsMoney() bool { return u != nil && len(u.Of) == 3 && u.Of != "ada" && u.Of != "eth" }

//go:embed units.txt
var unitList string

//go:embed words.txt
var wordList string

// meaning is what a word means beside a number.
type meaning struct {
	kind  byte // number, scale, approx or bound: the first letter of it
	value float64
	bound Bound
}

var units, meanings = tableOf(readUnits()), tableOf(readMeanings())

func readUnits() map[string]*Unit {
	words := map[string]*Unit{}
	for f := range entries(unitList) {
		low, high, two := strings.Cut(f[1], "-")
		if strings.HasSuffix(low, "e") { // 1e-3
			low, two = f[1], false
		}
		u := &Unit{Of: f[0], Low: float(low)}
		u.High = u.Low
		if two {
			u.High = float(high)
		}
		for _, name := range f[2:] {
			words[name] = u
		}
	}
	return words
}

func readMeanings() map[string]meaning {
	words := map[string]meaning{}
	for f := range entries(wordList) {
		m := meaning{kind: f[0][0]}
		switch f[2] {
		case "~":
		case "<":
			m.bound = AtMost
		case ">":
			m.bound = AtLeast
		default:
			m.value = float(f[2])
		}
		words[f[1]] = m
	}
	return words
}

// entries gives the fields of each line of an embedded list.
func entries(list string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(list) {
			if f := strings.Fields(line); len(f) > 2 && f[0] != "#" && !yield(f) {
				return
			}
		}
	}
}

func float(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err) // the lists are part of the program
	}
	return v
}

// table finds words of any case, of at most 16 bytes, without making a copy.
type table[V any] struct {
	words  map[string]V
	begins [1 << 10]bool // by the first two bytes: most words are in no table
}

func tableOf[V any](words map[string]V) *table[V] {
	t := &table[V]{words: words}
	for w := range words {
		t.begins[beginning(w)] = true
	}
	return t
}

// beginning makes a number of the first two bytes of a word. It is the same in
// capital and in small letters.
func beginning(w string) int {
	n := int(w[0]&31) << 5
	if len(w) > 1 {
		n |= int(w[1] & 31)
	}
	return n
}

func (t *table[V]) find(word string) (v V, ok bool) {
	var low [16]byte
	if word == "" || len(word) > len(low) || !t.begins[beginning(word)] {
		return v, false
	}
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	v, ok = t.words[string(low[:len(word)])]
	return v, ok
}
