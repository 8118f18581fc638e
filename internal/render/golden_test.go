package render

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

var update = flag.Bool("update", false, "write the golden files anew")

// formats are all renderings, by the ending of their golden files.
var formats = map[string]func(io.Writer, *Document) error{
	"txt":   func(w io.Writer, d *Document) error { return Summary(&Terminal{w: w, Width: 100}, d) },
	"md":    writeMarkdown,
	"jsonl": writeJSON,
	"xml":   writeJUnit,
	"html":  writeHTML,
}

var documents = map[string]func() *Document{"everything": everything, "ended": ended, "suite": suite}

func rendered(t *testing.T, format string, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats[format](&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// styleOfPage is the hash of the style sheet, which no golden file repeats.
var styleOfPage = regexp.MustCompile(`style-src &#39;[^;]*;[^;]*;`)

// TestGolden: go test ./internal/render -update writes the files.
func TestGolden(t *testing.T) {
	for name, document := range documents {
		for format := range formats {
			t.Run(name+"."+format, func(t *testing.T) {
				got := styleOfPage.ReplaceAllString(strings.Replace(rendered(t, format, document()), PageCSS, "", 1), "style-src")
				file := filepath.Join("testdata", "golden", name+"."+format)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("-want +got, run with -update if this is meant\n%s", diff)
				}
			})
		}
	}
}

// TestNothingHidden: every rendering but the public JSON, which has fields for
// them, says in words what keeps a score from being taken at its word.
func TestNothingHidden(t *testing.T) {
	for format := range formats {
		if format == "jsonl" { // for programs
			continue
		}
		for i := range everything().Subjects {
			s := everything().Subjects[i]
			got := rendered(t, format, &Document{Subjects: []Subject{s}})
			for word, want := range map[string]bool{
				"advisory": s.Advisory() != "", "observe mode": s.Observed(), "a fix is awaited": s.Pending(), "items read": s.Read() != "",
				"let a person or a judge read": s.Unread(), "apply to this domain": s.NotApplicableText() != "", "declined": declinesSubTask(&s),
			} {
				if strings.Contains(strings.ToLower(got), word) != want {
					t.Errorf("%s of %s: %q is there: %v", format, s.Name, word, !want)
				}
			}
		}
		for _, d := range []*Document{everything(), ended()} {
			if got := rendered(t, format, d); !strings.Contains(got, "silent") {
				t.Errorf("%s: the domain without a bundle is not there", format)
			}
		}
	}
}

// declinesSubTask tells whether a bundle says of a sub-task that it was not done.
func declinesSubTask(s *Subject) bool {
	return slices.ContainsFunc(s.Items(), func(it Item) bool {
		return it.Verdict == reading.Declined && strings.HasPrefix(it.Text, "sub-task")
	})
}

// TestUnreadIsNoPraise: where too little was read, no rendering for people
// speaks of a perfect score, of a bundle or of a run.
func TestUnreadIsNoPraise(t *testing.T) {
	for format := range formats {
		if format == "jsonl" { // for programs
			continue
		}
		for i, d := 0, everything(); i < len(d.Subjects); i++ {
			s := d.Subjects[i]
			if s.Swarm.Gate.Reason = ""; s.Score.Report.Level != shadow.Perfect {
				continue
			}
			one := &Document{Subjects: []Subject{s, s}, Run: &Run{Run: &history.Run{ID: "demo", Scored: &shadow.RunData{Median: "0.0", Level: shadow.Perfect,
				Domains: make([]shadow.DomainSummary, 3), Read: s.Swarm.Read}}}}
			got := rendered(t, format, one)
			if _, page, ok := strings.Cut(got, "</style>"); ok {
				got, _, _ = strings.Cut(page, "<footer>")
			}
			praised := strings.Contains(got, "% perfect") || strings.Contains(got, "level-perfect") || strings.Contains(got, LookOf(shadow.Perfect, false).Icon)
			if praised == s.Unread() || strings.Contains(got, "unread") != (s.Swarm.Read.Read < s.Swarm.Read.Items) {
				t.Errorf("%s of %s, unread %v:\n%s", format, s.Name, s.Unread(), got)
			}
		}
	}
}

// TestUnreadKeepsBadLevels: too little read is no excuse for what is known to
// be bad.
func TestUnreadKeepsBadLevels(t *testing.T) {
	for level, want := range map[shadow.Level]string{shadow.Perfect: "unread", shadow.Minor: "unread", shadow.Moderate: "moderate", shadow.Critical: "critical"} {
		if look := LookOf(level, true); look.Word != want || (look == LookOf(level, false)) != (want != "unread") {
			t.Errorf("%s is shown as %+v", level, look)
		}
		if look := LookOf(level, false); look.Word != string(level) || look.Icon == LookUnread.Icon {
			t.Errorf("%s is shown as %+v where enough was read", level, look)
		}
	}
}

// TestItems: what is missing or declined is always listed, what is unread up
// to a number.
func TestItems(t *testing.T) {
	for _, c := range []struct {
		missing, unread, listed int
		last, all               string
	}{{0, 0, 0, "", ""}, {30, 0, 30, "sub-task 30: ", ""}, {2, 6, 8, "sub-task 6: ", "sub-tasks 1 to 6"}, {0, 1, 1, "sub-task 1: ", "sub-task 1"}, {2, 7, 8, "sub-tasks 6, 7", "sub-tasks 1 to 7"}} {
		s := &shadow.Swarm{}
		for i := range c.missing + c.unread {
			v := shadow.ItemVerdict{ItemRef: shadow.ItemRef{Kind: shadow.SubTask, Index: i}, Verdict: reading.Unread, By: "rules"}
			if i >= c.unread {
				v.Verdict = reading.Missing
			}
			s.Items = append(s.Items, v, shadow.ItemVerdict{Verdict: reading.Found})
		}
		subject := Subject{Swarm: s}
		list, last := subject.Items(), ""
		if len(list) > 0 {
			last = list[len(list)-1].Text
		}
		if len(list) != c.listed || last != c.last || subject.unreadNames() != c.all || c.missing > 0 && !list[c.missing-1].Failed() {
			t.Errorf("%+v: %d listed, the last is %q", c, len(list), last)
		}
	}
	mixed := []shadow.ItemRef{{Kind: shadow.SubTask}, {Kind: shadow.SubTask, Index: 2}, {Kind: shadow.SubTask, Index: 3}, {Kind: shadow.SubTask, Index: 4},
		{Kind: shadow.Constraint}, {Kind: shadow.RequirementItem, Index: 3}, {Kind: shadow.RequirementItem, Index: 6}}
	if got, want := names(mixed), "sub-tasks 1, 3 to 5; constraint 1; requirements 4, 7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for want, v := range map[string]shadow.ItemVerdict{
		"line 4, by gpt, llama, asked by sc-01, sc-02": {Verdict: reading.Declined, Line: 4, By: "gpt, llama", Criteria: []string{"sc-01", "sc-02"}},
		"by rules, no criterion asks for it":           {Verdict: reading.Missing, By: "rules"},
		"":                                             {Verdict: reading.Unread, By: "rules", Criteria: []string{"sc-01"}},
		"gpt, llama could not settle it":               {Verdict: reading.Unread, By: "gpt, llama"},
	} {
		if got := whereText(&v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestNothingInvisible: what a terminal or a reader would not show, or would
// act on, is in no rendering.
func TestNothingInvisible(t *testing.T) {
	for format := range formats {
		for _, r := range rendered(t, format, everything()) {
			if unicode.IsControl(r) && r != '\n' || r == '\u202e' {
				t.Errorf("%s: %U", format, r)
				break
			}
		}
	}
}

// TestNoForeignCommand: printed into the log of a workflow, no rendering has a
// line that the runner would take for a command.
func TestNoForeignCommand(t *testing.T) {
	for format := range formats {
		for name, document := range documents {
			for line := range strings.Lines(rendered(t, format, document())) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") || shadow.LogCommand.MatchString(line) {
					t.Errorf("%s.%s: %q", name, format, line)
				}
			}
		}
	}
}

// TestOpenTestsStated: where the numbers of open tests are a commander's word, every
// format that has them says so; where they were counted, none does.
func TestOpenTestsStated(t *testing.T) {
	for stated, doc := range map[bool]*Document{true: everything(), false: suite()} {
		for _, format := range []string{"txt", "md", "html", "jsonl"} {
			text := rendered(t, format, doc)
			if got := strings.Contains(text, ", as stated by cmd-pay") || strings.Contains(text, `"open_tests_stated_by":"cmd-pay"`); got != stated {
				t.Errorf("%s: said: %v, want %v", format, got, stated)
			}
		}
	}
}
