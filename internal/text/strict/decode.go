package strict

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxKept is how many problems of a document are kept, and how many unknown fields
// it may have: each is held against all that are known.
const maxKept = 1000

// Decode reads JSON into what into points to, as an [Input] or an [Output], and says
// which of the fields of an input nobody reads. Its error lists up to five problems with
// JSON pointers, escaped and cut short, so that it is safe to log and to publish.
func Decode(how reading, data []byte, into any) (ignored []string, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the data is empty: a JSON object is expected")
	}
	d := newDecoder(how, data)
	v := reflect.ValueOf(into).Elem()
	d.value(tree(v.Type(), how), v)
	if d.syntax == nil {
		d.syntax = End(d.Decoder)
	}
	if errors.Is(d.syntax, jsontext.ErrDuplicateName) {
		at, _ := errors.AsType[*jsontext.SyntacticError](d.syntax)
		return nil, problem{stepsOf(at.JSONPointer), "the name is there twice in one object"}
	}
	if d.syntax != nil {
		return nil, fmt.Errorf("not JSON at %w", SyntaxError(d.syntax))
	}
	if err := list(d.problems); err != nil {
		return nil, err
	}
	return d.unread(), nil
}

// decoder reads one JSON value and collects what is wrong with it.
type decoder struct {
	*jsontext.Decoder
	how      reading
	path     []step
	problems []problem
	others   int // unknown fields
	unknown  map[string]bool
	syntax   error // ends the reading
}

// step leads to a field, or to an element of a list.
type step struct {
	name  string
	index int // -1 for a field
}

func newDecoder(how reading, data []byte) *decoder {
	return &decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(data)), how: how, unknown: map[string]bool{}}
}

// fail notes a problem of the value that is read.
func (d *decoder) fail(format string, args ...any) {
	if len(d.problems) < maxKept {
		d.problems = append(d.problems, problem{slices.Clone(d.path), fmt.Sprintf(format, args...)})
	}
}

// failAt notes a problem of a field.
func (d *decoder) failAt(name, format string, args ...any) {
	d.path = append(d.path, step{name, -1})
	d.fail(format, args...)
	d.path = d.path[:len(d.path)-1]
}

// next is the next token. Where the syntax is wrong it is of kind 0.
func (d *decoder) next() jsontext.Token {
	t, err := d.ReadToken()
	d.broken(err)
	return t
}

func (d *decoder) skip() { d.broken(d.SkipValue()) }

func (d *decoder) broken(err error) {
	if d.syntax == nil {
		d.syntax = err
	}
}

// goesOn says whether the array or object does. Where the syntax is wrong it does
// not, and what is read next says so.
func (d *decoder) goesOn() bool {
	kind := d.PeekKind()
	return d.syntax == nil && kind != 0 && kind != ']' && kind != '}'
}

var typeNames = map[jsontext.Kind]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '0': "number", '{': "object", '[': "array"}

// value reads the next value into v.
func (d *decoder) value(n *node, v reflect.Value) {
	kind := d.PeekKind()
	got := typeNames[kind]
	switch {
	case kind == 0:
		d.next()
		return
	case kind == 'n' && n.null:
		if d.next(); d.how == file {
			d.finish(n, 0, nil, 0)
		}
		return
	case !slices.Contains(n.types, got) && (got != "number" || !slices.Contains(n.types, "integer")):
		d.wrongType(n, got)
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch kind {
	case '[':
		d.array(n, v)
	case '{':
		d.object(n, v)
	default:
		if t := d.next(); d.syntax == nil {
			d.scalar(n, t.String(), v)
		}
	}
}

// scalar sets v to what a text or a literal says.
func (d *decoder) scalar(n *node, text string, v reflect.Value) {
	switch {
	case n.unit != "":
		d.withUnit(n, text, v)
	case n.fields != nil:
		_ = v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) // a word is taken as it is
	case n.goType == reflect.TypeFor[time.Time]():
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			d.fail("%s is not a date-time", quote(text))
		}
		v.Set(reflect.ValueOf(at))
	case v.Kind() == reflect.Bool:
		v.SetBool(text == "true")
	case v.Kind() != reflect.String || n.goType == reflect.TypeFor[json.Number]():
		d.number(n, text, v)
	case d.text(n, text):
		v.SetString(text)
	}
}

// wrongType skips a value of a type that is not wanted.
func (d *decoder) wrongType(n *node, got string) {
	want := strings.Join(n.types, " or ")
	switch {
	case n.form.words != "":
		want = n.form.words
	case n.must != "" && n.fields != nil:
		want = n.must
	}
	switch {
	case d.how == file && want == "string" && (got == "number" || got == "boolean"):
		want += ": put it in quotes"
	case d.how == file && want == "boolean":
		want += ": write true or false, without quotes"
	}
	d.fail("is of type %s, must be %s", got, want)
	d.skip()
}

// text checks a text.
func (d *decoder) text(n *node, s string) bool {
	length := -1
	if n.min.text != "" || n.max.text != "" && float64(len(s)) > n.max.n {
		length = utf8.RuneCountInString(s)
	}
	switch {
	case n.of != nil && !slices.Contains(n.of, s):
		d.noneOf(n, quote(s), s)
	case n.form.Regexp != nil && !n.form.MatchString(s):
		switch {
		case n.form.String() == `\S`:
			d.fail("is empty")
		case n.form.words != "":
			d.fail("%s is not %s", quote(s), n.form.words)
		default:
			d.fail("%s does not match %s", quote(s), n.form)
		}
	case length == 0 && n.min.n > 0:
		d.fail("is empty")
	case n.min.text != "" && float64(length) < n.min.n:
		d.fail("has %d characters, at least %s are needed", length, n.min.text)
	case n.max.text != "" && float64(length) > n.max.n:
		d.fail("has %d characters, at most %s are allowed", length, n.max.text)
	default:
		return true
	}
	return false
}

func (d *decoder) noneOf(n *node, shown, word string) {
	if len(n.of) == 1 {
		d.fail("%s must be %s", shown, n.shown(n.of[0]))
		return
	}
	all := make([]string, len(n.of))
	for i, w := range n.of {
		all[i] = n.shown(w)
	}
	d.fail("%s is none of %s%s", shown, strings.Join(all, ", "), DidYouMean(word, n.of))
}

// shown is a word of an enumeration as it is shown.
func (n *node) shown(word string) string {
	if n.goType.Kind() == reflect.String {
		return quote(word)
	}
	return word
}

// number reads a literal. JSON Schema takes 1.0 and 1e3 for integers, Go does
// not: they are refused.
func (d *decoder) number(n *node, literal string, v reflect.Value) {
	f, err := strconv.ParseFloat(literal, 64)
	i, notInt := strconv.ParseInt(literal, 10, 64)
	shown := short(literal)
	if notInt == nil {
		shown = strconv.FormatInt(i, 10)
	} else if err == nil {
		shown = strconv.FormatFloat(f, 'g', -1, 64)
	}
	integer := v.CanInt() || v.CanUint()
	switch {
	case err != nil:
		d.fail("%s is out of the range of a 64-bit floating point number", shown)
	case integer && strings.ContainsAny(literal, ".eE"):
		d.fail("%s must be an integer, written without fraction and exponent", short(literal))
	case n.of != nil && !slices.Contains(n.of, literal):
		d.noneOf(n, shown, literal)
	case n.min.text != "" && f < n.min.n:
		d.fail("%s is below the minimum, %s", shown, n.min.text)
	case n.max.text != "" && f > n.max.n:
		d.fail("%s is above the maximum, %s", shown, n.max.text)
	case integer && (notInt != nil || v.CanUint() && i < 0):
		d.fail("%s is out of range", shown)
	case v.CanInt():
		v.SetInt(i)
	case v.CanUint():
		v.SetUint(uint64(i))
	case v.CanFloat():
		v.SetFloat(f)
	default:
		v.SetString(literal)
	}
}

// withUnit reads a duration or a size.
func (d *decoder) withUnit(n *node, text string, v reflect.Value) {
	var i int64
	var shown any = text
	var err error
	if n.unit == "duration" {
		var long time.Duration
		long, err = ParseDuration(text)
		i, shown = int64(long), long
	} else {
		i, err = parseSize(text)
	}
	switch {
	case err != nil || text == "" || !n.form.MatchString(text):
		d.fail("%s is not %s", quote(text), n.form.words)
	case n.min.text != "" && float64(i) < n.min.n || n.max.text != "" && float64(i) > n.max.n:
		d.fail("%v is out of range: allowed is %s to %s", shown, n.min.text, n.max.text)
	default:
		v.SetInt(i)
	}
}

// array reads a list. What is beyond its bound is counted only.
func (d *decoder) array(n *node, v reflect.Value) {
	d.next()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	d.path = append(d.path, step{})
	count, before := 0, len(d.problems)
	for ; d.goesOn(); count++ {
		if n.max.text != "" && float64(count) >= n.max.n {
			d.skip()
			continue
		}
		d.path[len(d.path)-1].index = count
		v.Grow(1)
		v.SetLen(count + 1)
		v.Index(count).SetZero()
		d.value(n.elem, v.Index(count))
	}
	d.path = d.path[:len(d.path)-1]
	if n.max.text != "" && float64(count) > n.max.n {
		d.problems = d.problems[:before] // that there are too many is enough
	}
	if d.next(); d.syntax != nil || !d.count(n, count, "items") || !n.unique {
		return
	}
	for i := range count {
		for j := range i {
			if v.Index(i).Equal(v.Index(j)) {
				d.fail("items %d and %d are equal", j, i)
				return
			}
		}
	}
}

// count checks how many elements or fields there are.
func (d *decoder) count(n *node, got int, what string) bool {
	switch {
	case n.min.text != "" && float64(got) < n.min.n:
		d.fail("has %d %s, at least %s are needed", got, what, n.min.text)
	case n.max.text != "" && float64(got) > n.max.n:
		d.fail("has %d %s, at most %s are allowed", got, what, n.max.text)
	default:
		return true
	}
	return false
}

// object reads a struct or a map.
func (d *decoder) object(n *node, v reflect.Value) {
	d.next()
	if v.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	var seen uint64     // of the fields
	var others []string // names that are no fields
	count := 0
	for ; d.goesOn(); count++ {
		name, at := d.name(n)
		d.path = append(d.path, step{name, -1})
		switch {
		case at >= 0:
			seen |= 1 << at
			d.value(n.fields[at].node, v.FieldByIndex(n.fields[at].index))
		case n.elem == nil:
			if d.others++; d.others <= maxKept {
				others = append(others, name)
			} else if d.others == maxKept+1 {
				d.fail("is the %d. field that nobody reads: too many", d.others)
			}
			d.skip()
		case n.max.text != "" && float64(count) >= n.max.n, n.key.of != nil && !d.text(n.key, name):
			d.skip()
		default:
			one := reflect.New(v.Type().Elem()).Elem()
			d.value(n.elem, one)
			v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), one)
		}
		d.path = d.path[:len(d.path)-1]
	}
	if d.next(); d.syntax == nil {
		d.finish(n, seen, others, count)
	}
}

// name reads the name of a field, and finds it among the fields of n; at is -1 if it
// is none.
func (d *decoder) name(n *node) (name string, at int) {
	raw, err := d.ReadValue()
	d.broken(err)
	if err != nil {
		return "", -1
	}
	at, known := n.byName[string(raw[1:len(raw)-1])]
	if !known {
		text, _ := jsontext.AppendUnquote(nil, raw) // the decoder has checked it
		if at, known = n.byName[string(text)]; !known {
			return string(text), -1
		}
	}
	return n.fields[at].name, at
}

// finish checks what a whole object shows: others are the names that nobody knows.
func (d *decoder) finish(n *node, seen uint64, others []string, count int) {
	d.count(n, count, "fields")
	var absent []string
	for i := range n.fields {
		f := &n.fields[i]
		if seen&(1<<i) != 0 {
			continue
		}
		if absent = append(absent, f.name); f.required {
			must := ""
			if f.must != "" {
				must = ", must be " + f.must
			}
			d.failAt(f.name, "is missing%s", must)
		}
	}
	for _, name := range others {
		spelt := slices.IndexFunc(n.fields, func(f field) bool { return strings.EqualFold(f.name, name) })
		switch guess := DidYouMean(name, absent); {
		case d.how == file || d.how == Output && spelt < 0:
			d.failAt(name, "is unknown%s: allowed are %s", DidYouMean(name, n.names()), strings.Join(n.names(), ", "))
		case spelt >= 0: // encoding/json would take it
			d.failAt(name, "is spelt %s: names are case-sensitive", quote(n.fields[spelt].name))
		case guess != "": // taken for a field of somebody else, it would be lost in silence
			d.failAt(name, "is unknown%s", guess)
		default:
			d.unknown[pointer(append(d.path, step{name, -1}), true)+": is unknown, and nobody reads it"] = true
		}
	}
}
