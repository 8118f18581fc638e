package shadow

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Expectation is what a criterion expects of a requirement, in a form that can
// be compared: a figure, bounds of a figure, one of some outcomes, or whether
// something is there.
type Expectation struct {
	Number  string   `json:"number,omitempty"`   // such as 5, 1 hour, 10 requests/minute
	AtMost  string   `json:"at_most,omitempty"`  // as Number
	AtLeast string   `json:"at_least,omitempty"` // as Number
	OneOf   []string `json:"one_of,omitempty"`
	Present *bool    `json:"present,omitempty"`
}

// Check says why the expectation cannot be compared, or returns nil.
func (e *Expectation) Check() error {
	forms := 0
	for _, given := range []bool{e.Number != "", e.AtMost != "" || e.AtLeast != "", len(e.OneOf) > 0, e.Present != nil} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		return errors.New("an expectation has one form: number, at_most and at_least, one_of, or present")
	}
	for _, s := range []string{e.Number, e.AtMost, e.AtLeast} {
		if s == "" {
			continue
		}
		if _, ok := measureOf(s); !ok {
			return fmt.Errorf("%.40q is not a figure: write digits and then a unit, such as 200 ms, 1 hour, 5 attempts or 10 requests/minute", s)
		}
	}
	for _, s := range e.OneOf {
		if strings.TrimSpace(s) == "" {
			return errors.New("one of the outcomes in one_of is empty")
		}
	}
	if e.AtMost != "" && e.AtLeast != "" {
		low, _ := measureOf(e.AtLeast)
		high, _ := measureOf(e.AtMost)
		if low.of != high.of || low.value > high.value {
			return fmt.Errorf("nothing is at least %.40s and at most %.40s", e.AtLeast, e.AtMost)
		}
	}
	return nil
}

// comparable reports whether two expectations are about the same sort of
// thing, and incompatible whether nothing can meet both.
func (e *Expectation) compare(o *Expectation) (comparable, incompatible bool) {
	switch {
	case e.Present != nil && o.Present != nil:
		return true, *e.Present != *o.Present
	case len(e.OneOf) > 0 && len(o.OneOf) > 0:
		for _, a := range e.OneOf {
			for _, b := range o.OneOf {
				if sameOutcome(a, b) {
					return true, false
				}
			}
		}
		return true, true
	case len(e.OneOf) > 0:
		return o.compareOutcomes(e.OneOf)
	case len(o.OneOf) > 0:
		return e.compareOutcomes(o.OneOf)
	}
	a, ok1 := e.bounds()
	b, ok2 := o.bounds()
	if !ok1 || !ok2 || a.of != b.of {
		return false, false
	}
	return true, a.low > b.high+slack(a, b) || b.low > a.high+slack(a, b)
}

// compareOutcomes compares bounds with outcomes that are all figures of the
// same measure.
func (e *Expectation) compareOutcomes(outcomes []string) (comparable, incompatible bool) {
	a, ok := e.bounds()
	if !ok {
		return false, false
	}
	incompatible = true
	for _, s := range outcomes {
		m, ok := measureOf(s)
		if !ok || m.of != a.of {
			return false, false
		}
		b := bounds{measure: m, low: m.value, high: m.value}
		if a.low <= m.value+slack(a, b) && m.value <= a.high+slack(a, b) {
			incompatible = false
		}
	}
	return true, incompatible
}

func sameOutcome(a, b string) bool {
	x, ok1 := measureOf(a)
	y, ok2 := measureOf(b)
	if ok1 && ok2 {
		return x.of == y.of && math.Abs(x.value-y.value) <= 1e-9*math.Abs(x.value)
	}
	return normalise(a) == normalise(b) && normalise(a) != "" || strings.TrimSpace(a) == strings.TrimSpace(b)
}

// bounds are what a figure may be.
type bounds struct {
	measure
	low, high float64
}

func (e *Expectation) bounds() (b bounds, ok bool) {
	b.low, b.high = math.Inf(-1), math.Inf(1)
	for _, f := range []struct {
		text      string
		low, high bool
	}{{e.Number, true, true}, {e.AtLeast, true, false}, {e.AtMost, false, true}} {
		if f.text == "" {
			continue
		}
		m, good := measureOf(f.text)
		if !good {
			return b, false
		}
		b.measure, ok = m, true
		if f.low {
			b.low = m.value
		}
		if f.high {
			b.high = m.value
		}
	}
	return b, ok
}

// slack is how far two figures may lie apart and still be one: a month has no
// exact length, and a year is not twelve times thirty days.
func slack(a, b bounds) float64 {
	if a.inexact || b.inexact {
		return 0.02 * max(math.Abs(a.value), math.Abs(b.value))
	}
	return 1e-9 * max(math.Abs(a.value), math.Abs(b.value))
}

// measure is a figure in a base unit: seconds, bytes, or what is counted.
type measure struct {
	value   float64
	of      string // what is measured: time, bytes, %, attempt, request/time, or nothing
	inexact bool
}

var (
	figureForm = regexp.MustCompile(`^([+-]?\d[\d,_]*(?:\.\d+)?)\s*(.*)$`)
	perForm    = regexp.MustCompile(`\s*/\s*|\s+(?:per|an?|each|every)\s+`)
)

// units are the words for times and sizes with how much of the base unit each
// is. Sizes count in 1024, as most who write MB and MiB mean the same.
var units = func() map[string]measure {
	m := map[string]measure{}
	add := func(of string, value float64, names string) {
		for name := range strings.FieldsSeq(names) {
			m[name] = measure{value, of, value >= 28*86400 && of == "time"}
		}
	}
	add("time", 1e-6, "us µs microsecond microseconds")
	add("time", 1e-3, "ms msec msecs millisecond milliseconds")
	add("time", 1, "s sec secs second seconds")
	add("time", 60, "min mins minute minutes")
	add("time", 3600, "h hr hrs hour hours")
	add("time", 86400, "d day days")
	add("time", 7*86400, "wk wks week weeks")
	add("time", 30*86400, "month months")
	add("time", 365*86400, "y yr yrs year years")
	add("bytes", 1, "b byte bytes")
	add("bytes", 1<<10, "kb kib kilobyte kilobytes kibibytes")
	add("bytes", 1<<20, "mb mib megabyte megabytes mebibytes")
	add("bytes", 1<<30, "gb gib gigabyte gigabytes gibibytes")
	add("bytes", 1<<40, "tb tib terabyte terabytes tebibytes")
	add("%", 1, "% percent")
	return m
}()

// measureOf reads a figure. What is no time, no size and no share is counted,
// and only compared with the same thing.
func measureOf(s string) (measure, bool) {
	m := figureForm.FindStringSubmatch(fold(s))
	if m == nil {
		return measure{}, false
	}
	value, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(m[1]), 64)
	if err != nil {
		return measure{}, false
	}
	parts := perForm.Split(m[2], 2)
	out := unitOf(parts[0])
	out.value *= value
	if len(parts) == 2 {
		per := unitOf(parts[1])
		out.value /= per.value
		out.of += "/" + per.of
		out.inexact = out.inexact || per.inexact
	}
	return out, true
}

func unitOf(words string) measure {
	words = strings.Trim(words, " .-")
	if u, ok := units[words]; ok {
		return u
	}
	return measure{value: 1, of: strings.TrimSuffix(strings.Join(strings.Fields(words), " "), "s")}
}
