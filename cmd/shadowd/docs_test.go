package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/swarmspeed/shadowd/internal/hint"
)

const repository = "../.."

// pages are the README and the pages of docs, by their path in the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.ToSlash(name)] = readFile(t, file)
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d pages were found", len(out))
	}
	return out
}

var (
	docLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	indented = regexp.MustCompile(`(?m)^ {4}.*$`)
	ticked   = regexp.MustCompile("(`+)[^`\\n]+(`+)")
)

// TestDocLinks: each relative link of a page leads to a file, and what stands
// behind # to a heading of it.
func TestDocLinks(t *testing.T) {
	all := pages(t)
	n := 0
	for name, page := range all {
		prose := ticked.ReplaceAllString(indented.ReplaceAllString(fenced.ReplaceAllString(page, ""), ""), "")
		for _, m := range docLink.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			n++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if anchor != "" && !slices.Contains(anchorsOf(all[target]), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d links were found", n)
	}
}

// anchorsOf gives the anchors of a page's headings, as GitHub makes them.
func anchorsOf(page string) (anchors []string) {
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		anchors = append(anchors, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return anchors
}

// commandLine is a line of an example that runs shadowd, up to where the shell
// has something else to do. # within a word begins no comment.
var commandLine = regexp.MustCompile(`(?m)^ *(?:\$ )?(?:[A-Z_]+=\S+ )*(?:[^\n]*\| )?(?:go run \./cmd/shadowd|(?:\./)?shadowd) ([a-z](?:\S#|[^\n|#])*)`)

// TestDocCommands: each command line that a page shows is one that shadowd
// takes.
func TestDocCommands(t *testing.T) {
	n := 0
	for name, page := range pages(t) {
		if name == "CHANGELOG.md" {
			continue
		}
		code := append(fenced.FindAllString(page, -1), indented.FindAllString(fenced.ReplaceAllString(page, ""), -1)...)
		for _, block := range code {
			for _, m := range commandLine.FindAllStringSubmatch(block, -1) {
				n++
				if args, ok := words(m[1]); !ok {
					t.Errorf("%s: quotes are not closed: %s", name, m[1])
				} else if err := parses(t, args); err != nil {
					t.Errorf("%s: shadowd %s: %v", name, m[1], err)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d command lines were found", n)
	}
}

// TestDeployCommands: each command that a sentence of a file of deploy names, a
// comment or the text of an alert, is one that shadowd takes. A sentence may leave
// out what the command needs.
func TestDeployCommands(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "deploy", "*", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		for _, m := range regexp.MustCompile("`shadowd ([^`]+)`").FindAllStringSubmatch(readFile(t, file), -1) {
			n++
			if args, ok := words(m[1]); !ok {
				t.Errorf("%s: quotes are not closed: %s", file, m[1])
			} else if err := parses(t, args); err != nil && !strings.Contains(err.Error(), "missing flags: ") && !strings.HasPrefix(err.Error(), "expected \"<") {
				t.Errorf("%s: shadowd %s: %v", file, m[1], err)
			}
		}
	}
	if n < 6 {
		t.Errorf("only %d commands were found", n)
	}
}

func parses(t *testing.T, args []string) error {
	t.Helper()
	var out bytes.Buffer
	parser, err := kong.New(&cli{}, kong.Name("shadowd"), variables(), kong.Writers(&out, &out), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return err
}

// words divides a command line as a shell does: at spaces, but for those in
// quotes, up to a redirection. ok is false if a quote is not closed.
func words(line string) (args []string, ok bool) {
	var b strings.Builder
	quote, open := rune(0), false
	end := func() {
		if open {
			args = append(args, b.String())
		}
		b.Reset()
		open = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && (r == '>' || r == '<'):
			end()
			return args, true
		case quote == 0 && unicode.IsSpace(r):
			end()
		default:
			b.WriteRune(r)
			open = true
		}
	}
	end()
	return args, quote == 0
}

// TestDocRun: the run that the README plays is one that shadowd takes in whole.
func TestDocRun(t *testing.T) {
	t.Chdir(filepath.Join(repository, "docs", "examples"))
	var stdout, stderr bytes.Buffer
	args := []string{"replay", "--format", "json", "--hardening-timeout", "1s", "run.jsonl"}
	if code := run(t.Context(), args, &app{Stdout: &stdout, Stderr: &stderr}); code != hint.ExitClean {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(stdout.String(), "run-scored") {
		t.Errorf("the run has no score:\n%s", stdout.String())
	}
}

// TestReadmeIsShort: a front door. What takes more room has a page in docs.
func TestReadmeIsShort(t *testing.T) {
	if n := len(readFile(t, filepath.Join(repository, "README.md"))); n > 9<<10 {
		t.Errorf("the README has %d bytes", n)
	}
}
