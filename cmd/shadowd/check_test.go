package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

func TestPointAt(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"tex", "column 1: undeclared reference to 'tex' (did you mean 'text'?)\n  tex\n  ^"},
		{"true &&\n\ttex", "line 2, column 2: undeclared reference to 'tex' (did you mean 'text'?)\n   tex\n   ^"},
		{"true && // tex\r\n  text == '''\na''' &&\r\n\r\n  tex\n", "line 5, column 3: undeclared reference to 'tex' (did you mean 'text'?)\n    tex\n    ^"},
		{"text.words().size() >\n1 +\n", "line 3, column 1: "},
		{"text.words()\n.size()", "column 1: the check is of type int, but must be a bool or a list(string) of what is wrong"},
	} {
		_, err := check.Compile(c.expr)
		if got := pointAt(c.expr, err).Error(); !strings.HasPrefix(got, c.want) || strings.HasSuffix(c.want, "^") && got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.expr, got, c.want)
		}
	}
}

// cases runs shadowd check --cases on standard input.
func cases(tb testing.TB, in io.Reader, out io.Writer) int {
	tb.Helper()
	return run(context.Background(), []string{"check", "--cases", "-"}, &app{Stdin: in, Stdout: out, Stderr: io.Discard})
}

// Lines of several megabytes work, those that are too long are answered, and
// the order is that of the input however long each takes.
func TestCasesLongLines(t *testing.T) {
	var in, out bytes.Buffer
	in.WriteString("\ufeff")
	for i, size := range []int{3 << 20, 1, maxLine, 1 << 20, 10} {
		fmt.Fprintf(&in, `{"id": %d, "check": "text.words().size() == 1", "text": "%s"}`+"\r\n", i, strings.Repeat("x", size))
	}
	if code := cases(t, &in, &out); code != hint.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	want := []string{
		`{"id":0,"verdict":"error","actual":[],"error":"line 1: limit exceeded: the text is 3145728 bytes long, at most 1048576 are accepted"}`,
		`{"id":1,"verdict":"passed","actual":[],"error":""}`,
		`{"id":null,"verdict":"error","actual":[],"error":"line 3: longer than 16777216 bytes"}`,
		`{"id":3,"verdict":"passed","actual":[],"error":""}`,
		`{"id":4,"verdict":"passed","actual":[],"error":""}`,
	}
	if got := strings.TrimSpace(out.String()); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestCasesInvalidUTF8(t *testing.T) {
	var out bytes.Buffer
	code := cases(t, strings.NewReader("{\"id\": \"a\", \"check\": \"true\", \"text\": \"\xff\"}"), &out)
	want := `{"id":"a","verdict":"error","actual":[],"error":"line 1: not valid UTF-8 at byte 38 of the line"}` + "\n"
	if code != hint.ExitFailed || out.String() != want {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}

// A reader that breaks off must not look like the end of the cases, and a lost
// output ends the run.
func TestCasesLostInputOrOutput(t *testing.T) {
	line := `{"id": 1, "check": "true", "text": ""}` + "\n"
	broken := io.MultiReader(strings.NewReader(line), brokenReader{})
	if code := cases(t, broken, io.Discard); code != hint.ExitUsage {
		t.Errorf("broken input: exit code %d", code)
	}
	if code := cases(t, strings.NewReader(strings.Repeat(line, 100)), brokenPipe{}); code != hint.ExitFailed {
		t.Errorf("broken output: exit code %d", code)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Whatever a line holds, its answer is one line of JSON that says why there
// is no verdict, or one that needs no such words.
func FuzzCase(f *testing.F) {
	for _, seed := range []string{
		`{"id": "a", "check": "text.words().size() > 1", "text": "two words"}`,
		`{"id": 1, "check": "bundle.conflicts == []", "bundle": {"bundle": {"content": "x"}}}`,
		`{"id": 1, "check": "true", "bundle": {"event": {"specversion": "1.0", "id": "1", "source": "/", "type": "dev.swarmspeed.bundle-complete.v1", "data": {"content": ""}}}}`,
		`{"id": null, "check": "tex &&\n te", "text": "\u009b"}`, "{\"id\": \"\xff\"}", `{} {}`, `[1]`, `5`,
	} {
		f.Add([]byte(seed))
	}
	e := newCaseEvaluator()
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.Contains(line, []byte("\n")) {
			return
		}
		r := e.answer(&caseLine{no: 1, data: line})
		if (r.Verdict == "error") != (r.Error != "") {
			t.Errorf("%+v", r)
		}
		var out bytes.Buffer
		enc := render.NewEncoder(&out)
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out.Bytes()) || bytes.Count(out.Bytes(), []byte("\n")) != 1 || bytes.ContainsFunc(bytes.TrimSuffix(out.Bytes(), []byte("\n")), func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0
		}) {
			t.Errorf("answer %q", out.Bytes())
		}
	})
}

// BenchmarkCases reports lines a second, for texts of about 800 words that
// are all different, and for ten checks on each.
func BenchmarkCases(b *testing.B) {
	checks := []string{
		"text.miscalculations()", "text.words().size() >= 300", "text.missing(['Define a rate limit', 'Encrypt the backups at rest'])",
		"text.has_section('Plan 3')", "text.placeholders()", "!text.matches('(?i)todo')", "text.sentences().size() > 5",
		"text.unbacked_numbers('All 17 tests passed.')", "text.list_items().size() > 3", "text.near('token', 'expiry', 10)",
	}
	for _, c := range []struct {
		name string
		same int // lines with the same text
	}{{"texts", 1}, {"checks", 10}} {
		b.Run(c.name, func(b *testing.B) {
			var in bytes.Buffer
			for i := range b.N {
				var text strings.Builder
				for j := range 20 {
					fmt.Fprintf(&text, "## Plan %d\n\nThe token of user %d is kept for %d minutes in the cache, and is then rotated by the job that runs at night.\n\n- Errors are logged with code %d.\n- Retries: %d × 3 = %d.\n\n", j, i/c.same, j+5, 400+j, j, 3*j)
				}
				line, err := json.Marshal(map[string]any{"id": i, "check": checks[i%len(checks)], "text": text.String()})
				if err != nil {
					b.Fatal(err)
				}
				in.Write(append(line, '\n'))
			}
			b.ReportAllocs()
			b.ResetTimer()
			if code := cases(b, &in, io.Discard); code != hint.ExitClean {
				b.Fatalf("exit code %d", code)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// A byte order mark is not part of a text, and what is not UTF-8 is refused
// with its place, as the bus would.
func TestTextBytes(t *testing.T) {
	for _, c := range []struct {
		text, stderr string
		code         int
	}{
		{"\ufeffa", "", hint.ExitClean},
		{"a", "", hint.ExitClean},
		{"a\r\n", "", hint.ExitFailed},
		{"ok\nab\xff\n", "shadowd: -:2: not valid UTF-8 at byte 5 of the file: convert it to UTF-8\n", hint.ExitUsage},
		{strings.Repeat("x", 2<<20), "shadowd: no verdict: limit exceeded: the text is 2097152 bytes long, at most 1048576 are accepted\n", hint.ExitUsage},
		{strings.Repeat("x", maxCheckFile+1), "shadowd: -: larger than 16777216 bytes\n", hint.ExitUsage},
	} {
		var stderr bytes.Buffer
		a := &app{Stdin: strings.NewReader(c.text), Stdout: io.Discard, Stderr: &stderr}
		code := run(context.Background(), []string{"check", "text == 'a'", "--text", "-"}, a)
		if code != c.code || stderr.String() != c.stderr {
			t.Errorf("%.20q: exit code %d, %q", c.text, code, stderr.String())
		}
	}
}
