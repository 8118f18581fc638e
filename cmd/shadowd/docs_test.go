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

// TestDocLinks: each relative link of a page leads to a file, and what stands behind # to a heading of it.
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

// TestDocCommands: each command line that a page shows is one that shadowd takes, and so is each that a sentence of a
// file of deploy names, a comment or the text of an alert. A sentence may leave out what the command needs.
func TestDocCommands(t *testing.T) {
	check := func(where, line string, partly bool) {
		if args, ok := words(line); !ok {
			t.Errorf("%s: quotes are not closed: %s", where, line)
		} else if err := parses(t, args); err != nil && !(partly && regexp.MustCompile(`missing flags: |^expected "<`).MatchString(err.Error())) {
			t.Errorf("%s: shadowd %s: %v", where, line, err)
		}
	}
	lines, sentences := 0, 0
	for name, page := range pages(t) {
		for _, block := range append(fenced.FindAllString(page, -1), indented.FindAllString(fenced.ReplaceAllString(page, ""), -1)...) {
			for _, m := range commandLine.FindAllStringSubmatch(block, -1) {
				lines++
				check(name, m[1], false)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(repository, "deploy", "*", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, m := range regexp.MustCompile("`shadowd ([^`]+)`").FindAllStringSubmatch(readFile(t, file), -1) {
			sentences++
			check(file, m[1], true)
		}
	}
	if lines < 30 || sentences < 6 {
		t.Errorf("only %d command lines and %d sentences were found", lines, sentences)
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
