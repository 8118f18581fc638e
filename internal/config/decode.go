package config

import (
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// The walk from YAML nodes to the fields of Config. It follows the structs,
// never the file, so that neither nesting nor aliases can make it long.

// mapping lays the top of a document over c.
func (p *parse) mapping(root *yaml.Node, c *Config) {
	p.value(root, reflect.ValueOf(c).Elem(), "", "")
}

// shorthand is a mapping that may also be written as one word. setShort returns
// what is wrong with the word, or "".
type shorthand interface{ setShort(word string) string }

var durationType = reflect.TypeFor[time.Duration]()

// value lays n over v, the field at path. Allowed is the field's tag.
func (p *parse) value(n *yaml.Node, v reflect.Value, path, allowed string) {
	line := n.Line
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if s, ok := v.Addr().Interface().(shorthand); ok && n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		p.origin[path] = strconv.Itoa(line)
		if problem := s.setShort(n.Value); problem != "" {
			p.fail(line, path, "%s", problem)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.structure(n, line, v, path)
		return
	case reflect.Slice:
		p.list(n, line, v, path, allowed)
		return
	}
	p.origin[path] = strconv.Itoa(line)
	want := describe(v.Type(), allowed)
	if n.Kind != yaml.ScalarNode {
		p.fail(line, path, "%s: allowed %s", kindOf(n), want)
		return
	}
	if problem := setScalar(n, v, allowed); problem != "" {
		p.fail(line, path, "%s: allowed %s", problem, want)
	}
}

// structure lays the mapping n over the struct v. Nothing at all, which is
// what is left when every setting of a block is commented out, keeps the
// defaults.
func (p *parse) structure(n *yaml.Node, line int, v reflect.Value, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	names := fieldNames(v.Type())
	if n.Kind != yaml.MappingNode {
		// Not shown: it may be a key file, or a URL with a password.
		what := "not a mapping"
		if n.Kind == yaml.SequenceNode {
			what = "a list"
		}
		p.fail(line, path, "%s: allowed is a mapping with the keys %s", what, strings.Join(names, ", "))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if len(p.problems) >= maxProblems {
			return
		}
		key, child := n.Content[i], n.Content[i+1]
		line := key.Line
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		name, ok := key.Value, false
		for f := range v.NumField() {
			field := v.Type().Field(f)
			if key.Kind != yaml.ScalarNode || fieldName(field) != name {
				continue
			}
			ok = true
			if first := seen[name]; first > 0 {
				p.fail(line, join(path, name), "the key is there twice, first in line %d: allowed is one", first)
				break
			}
			seen[name] = line
			p.value(child, v.Field(f), join(path, name), field.Tag.Get("allowed"))
		}
		if !ok {
			p.unknownKey(key, line, path, names)
		}
	}
}

// unknownKey notes a key that no field has, with the key that was likely
// meant.
func (p *parse) unknownKey(key *yaml.Node, line int, path string, names []string) {
	if key.Kind != yaml.ScalarNode {
		p.fail(line, path, "a key that is %s: allowed are %s", kindOf(key), strings.Join(names, ", "))
		return
	}
	guess := didYouMean(key.Value, names)
	if guess == "" {
		guess = elsewhere(key.Value)
	}
	p.fail(line, join(path, shorten(key.Value)), "unknown key%s: allowed are %s", guess, strings.Join(names, ", "))
}

// list lays the sequence n over the slice v.
func (p *parse) list(n *yaml.Node, line int, v reflect.Value, path, allowed string) {
	p.origin[path] = strconv.Itoa(line)
	want := describe(v.Type().Elem(), allowed)
	if n.Kind != yaml.SequenceNode {
		p.fail(line, path, "%s: allowed is a list of %s", kindOf(n), strings.TrimPrefix(want, "are "))
		return
	}
	items := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, child := range n.Content {
		here := path + "[" + strconv.Itoa(i) + "]"
		p.origin[here] = strconv.Itoa(child.Line)
		p.value(child, items.Index(i), here, allowed)
	}
	v.Set(items)
}

// setScalar sets v to the scalar n. It returns what is wrong, or "".
func setScalar(n *yaml.Node, v reflect.Value, allowed string) string {
	shown := shorten(n.Value)
	switch {
	case v.Type() == durationType:
		d, err := time.ParseDuration(n.Value)
		if n.Tag == "!!int" && err != nil {
			return shown + " has no unit"
		}
		if err != nil {
			return shown + " is not a duration"
		}
		if low, high, _ := strings.Cut(allowed, ".."); d < mustDuration(low) || d > mustDuration(high) {
			return shown + " is out of range"
		}
		v.SetInt(int64(d))
	case v.Kind() == reflect.Bool:
		if n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
			return kindOf(n)
		}
		v.SetBool(n.Value == "true")
	case v.CanInt():
		if n.Tag != "!!int" && n.Tag != "!!float" {
			return kindOf(n)
		}
		i, err := strconv.ParseInt(n.Value, 10, 64)
		if digits := strings.TrimLeft(n.Value, "+-"); err != nil && strings.Trim(digits, "0123456789") != "" {
			return shown + " is not a whole number in decimal digits"
		}
		if err != nil || !allowsInt(allowed, i) {
			return shown + " is out of range"
		}
		v.SetInt(i)
	case v.CanFloat():
		if n.Tag != "!!int" && n.Tag != "!!float" {
			return kindOf(n)
		}
		f, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || strings.Trim(n.Value, "0123456789.") != "" {
			return shown + " is not a decimal number"
		}
		if low, high, _ := strings.Cut(allowed, ".."); f < mustFloat(low) || f > mustFloat(high) {
			return shown + " is out of range"
		}
		v.SetFloat(f)
	default:
		if n.Tag != "!!str" {
			return unquoted(n)
		}
		if strings.ContainsFunc(n.Value, unicode.IsControl) {
			return controlCharacter
		}
		if allowed != "" && !contains(allowed, n.Value) {
			return shown + " is not one of them" + didYouMean(n.Value, strings.Split(allowed, "|"))
		}
		v.SetString(n.Value)
	}
	return ""
}

// allowsInt says if i is in LOW..HIGH or one of A|B|C.
func allowsInt(allowed string, i int64) bool {
	low, high, ok := strings.Cut(allowed, "..")
	if !ok {
		return contains(allowed, strconv.FormatInt(i, 10))
	}
	return i >= mustInt(low) && i <= mustInt(high)
}

func contains(allowed, value string) bool {
	for a := range strings.SplitSeq(allowed, "|") {
		if a == value {
			return true
		}
	}
	return false
}

// The tags are part of the program, and a test decodes each of them.

func mustInt(s string) int64 {
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("the tag allowed: " + err.Error())
	}
	return i
}

func mustFloat(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("the tag allowed: " + err.Error())
	}
	return f
}

func mustDuration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic("the tag allowed: " + err.Error())
	}
	return d
}
