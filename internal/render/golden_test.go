package render

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// formats are all renderings, by the ending of their golden files.
var formats = map[string]func(io.Writer, *Document) error{
	"txt":    func(w io.Writer, d *Document) error { return Summary(w, d, 100) },
	"md":     Markdown,
	"jsonl":  JSON,
	"xml":    JUnit,
	"github": GitHub,
	"html":   HTML,
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

// TestGolden: go test ./internal/render -update writes the files.
func TestGolden(t *testing.T) {
	for name, document := range documents {
		for format := range formats {
			t.Run(name+"."+format, func(t *testing.T) {
				got := rendered(t, format, document())
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
		if format == "jsonl" {
			continue
		}
		for i := range everything().Subjects {
			s := everything().Subjects[i]
			got := rendered(t, format, &Document{Subjects: []Subject{s}})
			for word, want := range map[string]bool{
				"advisory": s.Advisory() != "", "observe mode": s.Observed(), "a fix is awaited": s.Pending(), "could not tell": len(s.unread()) > 0,
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
// line that the runner would take for a command, but for the annotations.
func TestNoForeignCommand(t *testing.T) {
	for format := range formats {
		for name, document := range documents {
			for line := range strings.Lines(rendered(t, format, document())) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") && format != "github" {
					t.Errorf("%s.%s: %q", name, format, line)
				}
			}
		}
	}
}
