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

// word is what a word or a sign means beside a number. It may mean several
// things: min is a unit and a limit.
type word struct {
	unit           *Unit
	number, scale  float64 // twelve, million
	near, far      bool    // it qualifies a number beside it, or a few words away
	bound          Bound   // of a word that qualifies; one that has none says about
	light          bool    // it may stand between a number and a near word
	article, whole bool    // it stands before what there is one of, or all of
}

//go:embed words.txt
var wordList string

// words are the words of words.txt, in small letters.
var words = readWords()

// unknown is what a word means that is none of them.
var unknown word

// find finds a word of any case.
func find(w string) *word {
	if found := words[strings.ToLower(w)]; found != nil {
		return found
	}
	return &unknown
}

func readWords() map[string]*word {
	words := map[string]*word{}
	for line := range strings.Lines(wordList) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		names := f[2:]
		var unit *Unit
		if f[0] == "unit" {
			unit, names = readUnit(f[1], f[2]), f[3:]
		}
		for _, name := range names {
			w := words[name]
			if w == nil {
				w = &word{}
				words[name] = w
			}
			switch f[0] {
			case "unit":
				w.unit = unit
			case "number":
				w.number = float(f[1])
			case "scale":
				w.scale = float(f[1])
			case "near", "far":
				w.near, w.far, w.bound = f[0] == "near", f[0] == "far", bounds[f[1]]
			case "light":
				w.light = true
			case "article":
				w.article, w.whole = true, f[1] == "100"
			}
		}
	}
	return words
}

var bounds = map[string]Bound{"<": AtMost, ">": AtLeast}

// readUnit reads the size of a unit: 60, or 1000:1024 where usage differs.
func readUnit(of, size string) *Unit {
	low, high, two := strings.Cut(size, ":")
	if !two {
		high = low
	}
	return &Unit{Of: of, Low: float(low), High: float(high)}
}

func float(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err) // the list is part of the program
	}
	return v
}
