package check

import (
	"fmt"
	"strings"
	"testing"
)

// readingAdversaries are texts full of what a phrase looks for.
func readingAdversaries() map[string]string {
	const size = 256 << 10
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	nested := "# token\n"
	for i := range 5000 {
		nested += fmt.Sprintf("%s- audit token %d\n", strings.Repeat(" ", i%40), i)
	}
	return map[string]string{
		"token headings": rep("# token\n"), "token lines": rep("refresh token log\n\n"), "token words": rep("refresh_tokens "),
		"negations": rep("tokens are not logged. "), "put off": rep("token log: not yet\n\n"), "negated words": rep("not log "),
		"token rows": "| refresh | token |\n|---|---|\n" + rep("|not log|tokens|\n"), "nested tokens": nested,
		"alike": rep("tokenising tokenised tokenisable tokenism retokened "), "token code": "```sql\n" + rep("refresh_tokens\n\n") + "```",
		"open tasks": rep("- [x] token\n- [ ] log\n"), "deep heads": rep("# token\n## log\n### audit\n#### not\n##### yet\n###### a\n"),
	}
}

// BenchmarkReadingAdversaries shows what a text of 256 KiB that is made to be
// slow costs to analyse and to search for two phrases.
func BenchmarkReadingAdversaries(b *testing.B) {
	texts := adversaries(wholeSize)
	for name, text := range readingAdversaries() {
		texts[name] = text
	}
	for name, text := range texts {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x := Analyse(text)
				x.Reads("Write the database migration script that creates the refresh_tokens table")
				x.Reads("Log issuance, refresh and revocation of tokens for the audit trail")
			}
		})
	}
}

// TestReadingAdversaries holds that such texts are read at all: the work is
// linear by construction, what would not be ends in the test's own timeout.
func TestReadingAdversaries(t *testing.T) {
	for name, text := range readingAdversaries() {
		x := Analyse(text)
		if r := x.Reads("Log refresh of tokens for the audit trail"); r.Verdict == "" || r.Score < 0 || r.Score > 1.001 {
			t.Errorf("%s: %+v", name, r)
		}
		x.Near("token", "audit", 10)
	}
}
