// Package texttest has texts that tests of the text packages share.
package texttest

import (
	"fmt"
	"strings"
)

// Small are small texts that have every construct, seeds for fuzzing.
var Small = []string{
	"",
	"# A\n\nOne. Two!\n\n- [x] a\n  1. b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sql\nSELECT 1;\n```\n",
	"**Bold**\n\n> quote\n> - item\n\nTitle\n===\n[l](u \"t\") ![i](j) <b>x</b> `code` [Your name] TBD",
	"---\na: b\n---\n<!-- c\n--> d  \ne\\\nf\n\n    code\n",
	"## Out of scope\n- `refresh_tokens` table\n\nRoll back within 10m. Not yet: auditLog. 48/2 = 24 (50%)\r\n",
	"日本語。Überblick 🚀 e\u0301\xff\x00",
}

// Hostile are texts of size bytes or more by name that are made to be slow to
// read: each repeats what a careless parser takes quadratic time for.
func Hostile(size int) map[string]string {
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
	return map[string]string{
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
	}
}
