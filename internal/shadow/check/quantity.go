package check

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Quantity is a figure of a phrase with what it counts or measures, such as
// the hour in "access tokens expire after 1 hour".
type Quantity struct {
	Value float64
	Unit  string // as the phrase has it, in lower case: hour, ms, %, attempts
	// Bound says that the phrase names a limit (at most, within). A text that
	// keeps it may state only what it reaches.
	Bound bool

	kind    quantityKind
	unit    *timeUnit    // of a time
	measure *measureUnit // of a measure
	thing   string       // of a count: how the word for what is counted begins
	per     *timeUnit    // of a count that is a rate
}

type quantityKind uint8

const (
	noKind quantityKind = iota
	share
	duration
	count
	measured
)

// Searchable tells whether a text can be searched for the quantity. A number
// behind a name ("HTTP 2"), and a small one of a thing without a plural ("one
// row"), cannot be told from others.
func (q *Quantity) Searchable() bool { return q.kind != noKind }

// maxQuantities is how many quantities of a phrase are taken.
const maxQuantities = 8

var (
	quantityForm = regexp.MustCompile(`(?i)(?:^|[\s(~≤≥<>=])(\d[\d,.]*|half(?:\s+an?)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?:\s*-?\s*)(%|[a-zµ]+)`)
	boundWords   = regexp.MustCompile(`(?i)\b(at most|at least|no more than|not more than|more than|less than|fewer than|up to|within|under|below|above|max|maximum|min|minimum|exceeds?|or less|or more|or fewer)\b|[≤≥<>]`)
)

// Quantities lists the quantities of a phrase, at most 8.
func Quantities(phrase string) []Quantity {
	var out []Quantity
	for _, m := range quantityForm.FindAllStringSubmatchIndex(phrase, maxQuantities) {
		q := Quantity{Unit: strings.ToLower(phrase[m[4]:m[5]])}
		var ok bool
		if q.Value, ok = quantityValue(phrase[m[2]:m[3]]); !ok {
			continue
		}
		if !behindName(phrase[:m[2]]) {
			q.classify()
		}
		if q.kind == count {
			q.per = perAt(strings.ToLower(phrase[m[5]:]), 0)
		}
		out = append(out, q)
	}
	out = append(out, moneyOf(phrase)...)
	out = out[:min(len(out), maxQuantities)]
	if len(out) > 0 && boundWords.MatchString(phrase) {
		for i := range out {
			out[i].Bound = true
		}
	}
	return out
}

func (q *Quantity) classify() {
	q.unit, q.measure = timeUnits[q.Unit], measureUnits[q.Unit]
	plural := strings.HasSuffix(q.Unit, "s")
	switch {
	case q.Unit == "%" || q.Unit == "percent":
		q.kind = share
	case q.unit != nil:
		q.kind = duration
	case q.measure != nil:
		q.kind = measured
	case q.Value == float64(int(q.Value)) && len(q.Unit) >= 4 && (plural || q.Value >= bareFrom):
		q.kind = count
		if plural {
			q.thing = strings.TrimRight(q.Unit[:len(q.Unit)-1], "e")
		}
	}
}

func quantityValue(s string) (float64, bool) {
	if half := strings.ToLower(s); strings.HasPrefix(half, "half") {
		return 0.5, true
	}
	if n, ok := numberWords[strings.ToLower(s)]; ok {
		return float64(n), true
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(s, ",."), ",", ""), 64)
	return n, err == nil && n > 0 && n < 1e9
}

// behindName tells whether what stands before a number ends in a name that the
// number belongs to, as in "HTTP 2" or "Python 3".
func behindName(before string) bool {
	words := strings.Fields(before)
	if len(words) < 2 {
		return false // the first word of a sentence is capitalised anyway
	}
	r := []rune(words[len(words)-1])
	return unicode.IsUpper(r[0])
}

// timeUnit is a unit of time.
type timeUnit struct {
	seconds float64
	names   []string
	once    []string // words for "once in each of it"
}

var (
	timeUnitList = []timeUnit{
		{seconds: 0.001, names: strings.Fields("ms msec msecs millisecond milliseconds")},
		{seconds: 1, names: strings.Fields("s sec secs second seconds")},
		{seconds: 60, names: strings.Fields("m min mins minute minutes")},
		{seconds: 3600, names: strings.Fields("h hr hrs hour hours"), once: strings.Fields("hourly")},
		{seconds: 86400, names: strings.Fields("d day days"), once: strings.Fields("daily nightly")},
		{seconds: 7 * 86400, names: strings.Fields("w wk wks week weeks"), once: strings.Fields("weekly")},
		{seconds: monthSeconds, names: strings.Fields("month months"), once: strings.Fields("monthly")},
		{seconds: 365 * 86400, names: strings.Fields("y yr yrs year years"), once: strings.Fields("yearly annual annually")},
	}
	timeUnits = func() map[string]*timeUnit {
		m := map[string]*timeUnit{}
		for i := range timeUnitList {
			for _, n := range timeUnitList[i].names {
				m[n] = &timeUnitList[i]
			}
		}
		return m
	}()
)

const monthSeconds = 30 * 86400

// quantitiesOf is Quantities with a memory. The phrases are those of sealed
// material: every bundle of a domain is asked for the same.
func quantitiesOf(phrase string) []Quantity {
	if qs, ok := knownQuantities.Get(phrase); ok {
		return qs
	}
	phrase = strings.Clone(phrase) // it may be a piece of a document
	qs := Quantities(phrase)
	knownQuantities.Add(phrase, qs)
	return qs
}

var knownQuantities = newLRU[[]Quantity](1024)

// newLRU makes a memory of n results of a pure function of a string.
func newLRU[V any](n int) *lru.Cache[string, V] {
	c, err := lru.New[string, V](n)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return c
}
