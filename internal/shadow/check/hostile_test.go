package check

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
)

// hostileSize is the length of the hostile texts, in bytes.
const hostileSize = 64 << 10

// hostile are texts by name that are made to be slow to read: each repeats what a
// careless parser takes quadratic time for.
func hostile() map[string]string {
	const size = hostileSize
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	grow := func(f func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(f(i))
		}
		return b.String()
	}
	table := "| n | m |\n|---|---|\n"
	for i := range 10_000 {
		table += fmt.Sprintf("| %d | tokens |\n", i)
	}
	texts := map[string]string{
		"table":      table,
		"wide table": strings.Repeat("|a", 20_000) + "\n" + strings.Repeat("|-", 20_000) + "\n" + rep("a|\n"),
		"bars":       rep("|"), "bar rows": rep("|a|\n|-|\n"),
		"quotes": rep(">"), "quoted lines": rep(strings.Repeat(">", 60) + "a\n"),
		"bullets": rep("- "), "numbers": rep("1. "), "list lines": rep("- a\n"),
		"nested list": grow(func(i int) string { return strings.Repeat("  ", i) + "- x\n" }),
		"definitions": rep("[a]: x\n"), "brackets": rep("["), "links": rep("[a](b)"), "half links": rep("[a]("),
		"nested links": strings.Repeat("[", 50_000) + strings.Repeat("](u)", 50_000),
		"ticks":        rep("`a``b```c"), "emphasis": rep("*a"), "bold": rep("**a* _b__ "), "angles": rep("<"), "comments": rep("a <!-- "),
		"headings": rep("# a\n"), "underlines": rep("a\n\n=\n"), "fences": rep("```\na\n```\n"), "open fences": rep("```\n"),
		"code": "```\n" + rep("x → y\n") + "```", "lines": rep("a\n"), "empty lines": rep("\n"), "spaces": rep(" "),
		"one line": rep("word word. Word `x` *y* "), "sentences": rep("A b. "), "one word": rep("x"), "identifier": rep("a_"), "camel": rep("aB"),
		"new words": grow(func(i int) string { return fmt.Sprintf("w%dx ", i) }), "addresses": rep("http://"), "cues": rep("not in the future.\n\n"),
		"cjk": rep("漢字。"), "invalid": rep("\xff\xfeA"), "zero": rep("\x00"), "placeholders": rep("<insert x> [your "),
		"figures": rep("1 000,000 "), "names with digits": rep("1a"), "articles": rep("a "), "units": rep("1 s "),
		"json list": "[" + rep("1,") + "1]", "json depth": strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"json object": "{" + grow(func(i int) string { return fmt.Sprintf("\"k%d\":[{}],", i) }) + "\"k\":1}",
		"marks":       rep("e\u0301\u0301"), "gaps": rep(".((((((((((((((((((((((((((((((a"), "long gaps": rep(".((((((((((((((((((((((((((((((((((((((((((((( "), "stars": rep("*** ** * _ "),
		"spans": rep("*a* **b** "), "code spans": rep("`a`. "), "capitals": rep("AB. CD. "), "prose": rep("The limiter takes a token from the bucket, and refills it. "),
		"kana": rep("これは文です。カタカナ"), "accents": rep("Größe é "), "stops": rep("."), "initials": rep("A. "), "abbreviations": rep("e.g. "),
		"sums": rep("1 + 1 = 3, "), "counts": rep("3 items:\n- a\n\n"), "shares": rep("3/4 (80%) "),
		"one line of numbers": rep("17 "), "one sum": rep("1+1+"), "spaced sums": rep("1 + 1 + "), "equalities": rep("= "), "equations": rep("1 + 1 = 3\n"),
		"shares on lines": rep("8 of 20 (45%)\n\n"), "cells": "|a|b|\n|-|-|\n" + rep("|1|2|\n"), "totals": "|a|b|\n|-|-|\n" + rep("|Total|2|\n"),
		"narrow tables": rep("|a|b|\n|-|-|\n|x|1|\n|Total|2|\n\n"), "wide": strings.Repeat("|1", 16) + "\n" + strings.Repeat("|-", 16) + "\n" + rep("|Total"+strings.Repeat("|1", 15)+"\n"),
		"cells to fill": "|a|b|\n|-|-|\n" + rep("|TBD|TBD|\n"), "stubs": "```\n" + rep("def f():\n") + "```",
		"a word of X": "a" + rep("X"), "images": strings.Repeat("![", size/6) + strings.Repeat("](u)", size/6), "images over lines": strings.Repeat("![", 200) + strings.Repeat("\n](u)", size/6),
		"defined": "[a]: b\n\n" + strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
	}
	for _, s := range []string{"*a_ ", "**a_ ~~b", "![", "[a](b \"", "[a](<", "- - - a\n", "> - ", "> ", "`", "a\n> ", "[a]:\n", "[a]: b 'c\n", "`a\n", "http://a.b ", "https://a.b/(((", "&amp;",
		"[![a](b)](c)", "<a@b", "[insert ", "TODO: a\n\n", "AKIA", "ghp_ ", "-----BEGIN ", "lorem ipsum dolo ", "TODO: a [your b]\n", "`[your x]` ", "1,200 ms and ",
		"](", "<|", "<b ", "<<begin ", "&", "\\", "_", "-", "- [x] ", "\u200b", "…", "<|a", "[^", "a-", "1,", "设", "💻"} {
		texts[s] = rep(s)
	}
	return texts
}

// TestAdversaries runs all that reads a text, and every function, over every
// adversary: it takes milliseconds where the time is linear, and minutes where it is not.
func TestAdversaries(t *testing.T) {
	checks := []*Check{}
	for _, expr := range []string{
		"text.words().size() + text.sentences().size() + text.paragraphs().size() + text.headings().size() + text.list_items().size() > 0",
		"text.tables().size() + text.code_blocks().size() + text.links().size() + text.placeholders().size() >= 0",
		"text.occurrences('a') >= 0 || text.section('a') == '' || text.is_json()",
		"text.matches('(x+x+)+y(a|b|c|d)*$') || text.find_all('.').size() >= 0",
		"text.miscalculations()",
		"text.mentions(['absent', 'x*', '*zz', 'a']) || text.mentions(['a a', '1a*', '*1', '漢'])",
		"text.blocks().size() + text.sections().size() + text.bullet_items().size() + text.numbered_items().size() + text.highlights().size() >= 0",
		"text.upper() == text.lower() || text.plain().count('é') + text.count('A') >= 0",
		"text.words().filter(w, w == w.upper() && w != w.lower()).size() >= 0",
		"text.split('***').all(p, p.trim().startsWith('x')) || text.find_all('(?m)^SECTION \\\\d+').size() >= 0",
		"text.is_json() && text.json() == null",
	} {
		checks = append(checks, mustCompile(t, expr))
	}
	quotes := []string{strings.Repeat("a ", 400) + "b", strings.Repeat("a a a a a a a a a a a a a…", 30) + strings.Repeat("b ", 12)}
	for name, text := range hostile() {
		began := time.Now()
		x := Analyse(text)
		x.Defects(false)
		p := passage.New(text)
		for _, quote := range append(quotes, text, text[:min(1000, len(text))]+"b") {
			p.Find(quote)
		}
		for i, c := range checks {
			if r, err := c.Eval(Input{Text: x}); err != nil && !errors.Is(err, ErrLimit) || r.Cost > 2*MaxCost {
				t.Errorf("%s: check %d: cost %d: %v", name, i, r.Cost, err)
			}
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
	}
}
