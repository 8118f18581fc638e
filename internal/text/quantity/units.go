package quantity

import (
	_ "embed"
	"maps"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
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

var units, meanings = readUnits(), readMeanings()

func readUnits() table[*Unit] {
	words := table[*Unit]{}
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

func readMeanings() table[meaning] {
	words := table[meaning]{}
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

// table has words in small letters.
type table[V any] map[string]V

// find finds a word of any case.
func (t table[V]) find(word string) (v V, ok bool) {
	if known.May(word) {
		v, ok = t[strings.ToLower(word)]
	}
	return v, ok
}

// known are the words of all tables.
var known = fold.ShapesOf(maps.Keys(units), maps.Keys(meanings), maps.Keys(light), maps.Keys(articles))
