package rules

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// maxQuoted is how many characters of an item a message quotes.
const maxQuoted = 240

// message tells a commander which item of its assignment to see to.
func (it *item) message() string {
	p := clip(it.phrase, maxQuoted)
	switch {
	case it.kind == deliverable:
		return "Still to hand over: " + p
	case it.kind == constraint:
		return "Show that you keep to this: " + p
	case it.kind == requirement && it.id != "":
		return fmt.Sprintf("Still to meet, %s: %s", clip(it.id, 40), p)
	case it.kind == requirement:
		return "Still to meet: " + p
	case it.kind == name:
		return "Still to deal with, named in the " + it.id + ": " + p
	}
	return "Still to do: " + p
}

// keepSecrets takes the quotation out of every message that would give a
// criterion away. That happens only if a decomposition uses the very words of
// a criterion; such a decomposition must not keep a run from being sealed.
func keepSecrets(criteria []shadow.Criterion) {
	var secrets []string
	for i := range criteria {
		c := &criteria[i]
		for _, s := range []string{c.Assertion, c.Expected, c.Check} {
			secrets = append(secrets, plain(s))
		}
	}
	leaks := func(message string) bool {
		p := plain(message)
		for _, s := range secrets {
			if len(s) <= len(p) && strings.Contains(p, s) {
				return true
			}
		}
		return false
	}
	for i := range criteria {
		for domain, m := range criteria[i].Material {
			if leaks(m.Message) {
				m.Message = unquoted
				criteria[i].Material[domain] = m
			}
			for item, msg := range m.Messages {
				if leaks(msg) {
					m.Messages[item] = unquoted
				}
			}
		}
	}
}

// unquoted replaces a message that may not be told.
const unquoted = "Go through your assignment again: a part of it is still to be done"

// plain keeps the letters and digits of a text, in lower case, one space
// between words: what counts when two texts are held to say the same.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
