package check

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
)

// large makes the tests of hostile texts take them as long as a bundle may be,
// as the benchmarks do:
//
//	go test ./internal/shadow/check -run 'Adversaries|Hostile' -args -large
var large = flag.Bool("large", false, "test hostile texts of 256 KiB instead of 128")

// hostileSize is the length of the hostile texts of tests, in bytes. Half of
// the whole meets the same limits in half of the time.
func hostileSize() int {
	if *large {
		return wholeSize
	}
	return wholeSize / 2
}

// wholeSize is the length that a hostile text is measured with, in bytes.
const wholeSize = 256 << 10

// adversaries are texts that are made to be slow: size bytes each of what
// makes Markdown parsers, matchers or word lists grow.
func adversaries(size int) map[string]string {
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

// TestLanguageCost: telling the language is priced, so that it cannot be asked
// of every word.
func TestLanguageCost(t *testing.T) {
	text := Analyse(strings.Repeat("The limiter takes a token from the bucket, and refills it by the time that has passed. ", 500))
	if _, err := mustCompile(t, "text.sentences().all(s, (s + s).language() != 'xx')").Eval(Input{Text: text}); !errors.Is(err, ErrLimit) {
		t.Errorf("500 sentences: %v", err)
	}
	if r, err := mustCompile(t, "text.language() == 'en' && text.sentences()[0].language() != 'xx'").Eval(Input{Text: text}); err != nil || !r.Passed || r.Cost < unitsPerPiece*languagePieces {
		t.Errorf("twice: %+v %v", r, err)
	}
}

// TestAdversaries runs every function over every adversary. The work is
// bounded by construction; what would not be ends in the test's own timeout.
func TestAdversaries(t *testing.T) {
	checks := []*Check{}
	for _, expr := range []string{
		"text.missing(['Write the database migration script that creates the refresh_tokens table', 'Log issuance of tokens for the audit trail'])",
		"text.words().size() + text.sentences().size() + text.paragraphs().size() + text.headings().size() + text.list_items().size() > 0",
		"text.tables().size() + text.code_blocks().size() + text.links().size() + text.placeholders().size() >= 0",
		"text.near('token', 'table', 10) || text.occurrences('a') >= 0 || text.section('a') == '' || text.is_json()",
		"text.matches('(x+x+)+y(a|b|c|d)*$') || text.find_all('.').size() >= 0",
		"text.miscalculations()",
		"text.unbacked_numbers(text)",
		"text.mentions(['absent', 'x*', '*zz', 'a']) || text.mentions(['a a', '1a*', '*1', '漢'])",
		"text.blocks().size() + text.sections().size() + text.bullet_items().size() + text.numbered_items().size() + text.highlights().size() >= 0",
		"text.upper() == text.lower() || text.plain().count('é') + text.count('A') >= 0",
		"text.words().filter(w, w == w.upper() && w != w.lower()).size() >= 0",
		"text.split('***').all(p, p.trim().startsWith('x')) || text.find_all('(?m)^SECTION \\\\d+').size() >= 0",
		"text.language() == ''",
		"text.is_json() && text.json() == null",
		"text.states('7 hours, 8 %, 9 rows, at most 3 attempts')",
	} {
		checks = append(checks, mustCompile(t, expr))
	}
	for name, text := range adversaries(hostileSize()) {
		t.Run(name, func(t *testing.T) {
			x := Analyse(text)
			validate(t, x)
			for _, c := range checks {
				if r, err := c.Eval(Input{Text: x}); err != nil && !errors.Is(err, ErrLimit) || r.Cost > 2*MaxCost {
					t.Errorf("%s: cost %d: %v", c, r.Cost, err)
				}
			}
		})
	}
}
