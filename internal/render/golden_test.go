package render

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
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
var styleOfPage = regexp.MustCompile(`style-src &#39;sha256-.*?&#39;;`)

// golden holds what was rendered against a file: go test ./internal/render -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
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
}

func TestGolden(t *testing.T) {
	for name, document := range documents {
		for format := range formats {
			t.Run(name+"."+format, func(t *testing.T) {
				golden(t, name+"."+format, styleOfPage.ReplaceAllString(strings.Replace(rendered(t, format, document()), PageCSS, "", 1), "style-src"))
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
		for _, s := range everything().Subjects {
			got := rendered(t, format, &Document{Subjects: []*Subject{s}})
			for word, want := range map[string]bool{
				"advisory": s.Advisory() != "", "observe mode": s.Observed(), "a fix is awaited": s.Pending(), s.Counts(): s.Counts() != "",
				"let a judge or a person read": s.Swarm.Verdict == shadow.WordUnread, "no rates were given": s.Name == "demo/declared",
				"no vote on this bundle": s.Name == "demo/judged" || s.Name == "demo/hostile",
			} {
				if word != "" && strings.Contains(plain(strings.ToLower(got)), word) != want {
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

// TestUnreadIsNoPraise: where nobody read, no rendering for people speaks of a perfect score, of a bundle or of a
// run, and none counts what is unread among what passed.
func TestUnreadIsNoPraise(t *testing.T) {
	for format := range formats {
		if format == "jsonl" { // for programs
			continue
		}
		for _, r := range reports() {
			if r.Swarm.Gate.Reason = ""; r.Report.Level != shadow.Perfect {
				continue
			}
			s := Of(r)
			isOpen := s.Swarm.Verdict == shadow.WordUnread
			one := &Document{Subjects: []*Subject{s, s}, Run: &Run{Run: &history.Run{ID: "demo", Scored: &shadow.RunData{Median: "0.0", Level: shadow.Perfect, Verdict: s.Swarm.Verdict,
				Domains: make([]shadow.DomainSummary, 3), Counts: s.Swarm.Counts}}}}
			got := rendered(t, format, one)
			if _, page, ok := strings.Cut(got, "</style>"); ok {
				got, _, _ = strings.Cut(page, "<footer>")
			}
			praised := strings.Contains(got, "perfect</") || strings.Contains(got, "% perfect") || strings.Contains(got, "level-perfect") || strings.Contains(got, LookOf("perfect").Icon)
			if praised == isOpen || strings.Contains(got, "8 of 8") == isOpen || strings.Contains(got, "1 of 8 criteria passed, 7 unread") != isOpen {
				t.Errorf("%s of %s, unread %v:\n%s", format, s.Name, isOpen, got)
			}
		}
	}
}

// TestItems: what is missing is always listed, everything else that was not found up to a number.
func TestItems(t *testing.T) {
	for _, c := range []struct {
		missing, unread, listed int
		last                    string
	}{{0, 0, 0, ""}, {30, 0, 30, "sub-task 30: "}, {2, 5, 7, "sub-task 5: "}, {0, 1, 1, "sub-task 1: "}, {2, 7, 8, "sub-task 6, sub-task 7"}} {
		s := &shadow.Swarm{}
		for i := range c.missing + c.unread {
			v := shadow.ItemVerdict{Item: shadow.Item{Name: fmt.Sprintf("sub-task %d", i+1)}, State: shadow.ItemUnread}
			if i >= c.unread {
				v.State = shadow.ItemMissing
			}
			s.Items = append(s.Items, v, shadow.ItemVerdict{State: shadow.ItemFound})
		}
		list, last := (&Subject{Swarm: s}).Items(), ""
		if len(list) > 0 {
			last = list[len(list)-1].Text
		}
		if len(list) != c.listed || last != c.last || c.missing > 0 && !list[c.missing-1].Failed() {
			t.Errorf("%+v: %d listed, the last is %q", c, len(list), last)
		}
	}
}

// TestNothingInvisible: what a terminal or a reader would not show, or would act on, is in no rendering.
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
