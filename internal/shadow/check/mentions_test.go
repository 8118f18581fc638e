package check

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	text := Analyse("Log-in FAILED twice (HTTP 503), re-try_later.\nÜberblick: microservices, on-call, at\nmost 3.")
	for word, want := range map[string]bool{
		"fail*": true, "fail": false, "failed": true, "FAILED": true, "ailed": false, "*ailed": true, "*aile*": true, "aile*": false,
		"service*": false, "*service*": true, "on": true, "call": true, "cal": false, "try": false, "try*": true, "503": true, "50": false,
		"log-in": true, "log in": false, "überblick": true, "ÜBER*": true, "at most": false, "": false, "*": false, "**": false, "(": true, "3.": true,
	} {
		if got := text.Mentions(word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
	if text.Mentions() || !text.Mentions("absent", "twice") {
		t.Error("one of several words")
	}
}

func TestMentionsErrors(t *testing.T) {
	many := make([]any, maxMentions+1)
	for i := range many {
		many[i] = "x"
	}
	for _, c := range []struct {
		words any
		limit bool
	}{{many, true}, {[]any{strings.Repeat("x", maxMention+1)}, true}, {[]any{1.0}, false}} {
		_, err := mustCompile(t, "text.mentions(material.words)").Eval(Input{Text: Analyse("y"), Material: map[string]any{"words": c.words}})
		if err == nil || errors.Is(err, ErrLimit) != c.limit {
			t.Errorf("%.40v: %v", c.words, err)
		}
	}
}

// FuzzMentions holds words against the regular expression that says the same.
func FuzzMentions(f *testing.F) {
	f.Add("fail", "It failed; FAIL", true, false)
	f.Add("at most", "at most 3, that most", false, true)
	f.Add("x_y", "ax_y x_yz", true, true)
	f.Add("503", "HTTP503 503", true, true)
	f.Fuzz(func(t *testing.T, word, text string, begins, ends bool) {
		if !isASCII(word+text) || word == "" || !isNameByte(word[0]) || !isNameByte(word[len(word)-1]) {
			return
		}
		expr, pattern := word, "(?i)"+regexp.QuoteMeta(word)
		if begins {
			pattern = strings.Replace(pattern, "(?i)", `(?i)\b`, 1)
		} else {
			expr = "*" + expr
		}
		if ends {
			pattern += `\b`
		} else {
			expr += "*"
		}
		if got, want := Analyse(text).Mentions(expr), regexp.MustCompile(pattern).MatchString(text); got != want {
			t.Errorf("%q in %q: %v, %s says %v", expr, text, got, pattern, want)
		}
	})
}
