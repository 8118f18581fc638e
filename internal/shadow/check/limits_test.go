package check

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

// large makes the tests of hostile texts take them as long as a bundle may be,
// as the benchmarks do:
//
//	go test ./internal/shadow/check -run 'Adversaries|Hostile' -args -large
var large = flag.Bool("large", false, "test hostile texts of 256 KiB instead of 32")

// hostileSize is the length of the hostile texts of tests, in bytes. An eighth
// of the whole meets the same limits in less time.
func hostileSize() int {
	if *large {
		return wholeSize
	}
	return wholeSize / 8
}

// wholeSize is the length that a hostile text is measured with, in bytes.
const wholeSize = texttest.Size

// TestLanguageCost: telling the language is priced, so that it cannot be asked
// of every word.
func TestLanguageCost(t *testing.T) {
	text := Analyse(strings.Repeat("The limiter takes a token from the bucket, and refills it by the time that has passed. ", 500))
	if _, err := mustCompile(t, "text.sentences().all(s, (s + s).language() != 'xx')").Eval(Input{Text: text}); !errors.Is(err, ErrLimit) {
		t.Errorf("500 sentences: %v", err)
	}
	if r, err := mustCompile(t, "text.language() == 'en' && text.sentences()[0].language() != 'xx'").Eval(Input{Text: text}); err != nil || !r.Passed || r.Cost < unitsForLanguage {
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
		"text.occurrences('a') >= 0 || text.section('a') == '' || text.is_json()",
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
	for name, text := range texttest.Hostile(hostileSize()) {
		t.Run(name, func(t *testing.T) {
			x := Analyse(text)
			for _, c := range checks {
				if r, err := c.Eval(Input{Text: x}); err != nil && !errors.Is(err, ErrLimit) || r.Cost > 2*MaxCost {
					t.Errorf("%s: cost %d: %v", c, r.Cost, err)
				}
			}
		})
	}
}
