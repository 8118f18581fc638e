package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
)

// evaluate answers cases and counts those without a verdict.
func evaluate(in io.Reader, out io.Writer) (bad int, err error) {
	w := bufio.NewWriter(out)
	_, bad, err = Run(context.Background(), in, render.NewEncoder(w).Encode, w.Flush)
	return bad, err
}

// Lines of several megabytes work, those that are too long are answered, and
// the order is that of the input however long each takes.
func TestCasesLongLines(t *testing.T) {
	var in, out bytes.Buffer
	in.WriteString("\ufeff")
	for i, size := range []int{3 << 20, 1, input.MaxText, 1 << 20, 10} {
		fmt.Fprintf(&in, `{"id": %d, "check": "text.words().size() == 1", "text": "%s"}`+"\r\n", i, strings.Repeat("x", size))
	}
	if bad, err := evaluate(&in, &out); bad != 2 || err != nil {
		t.Errorf("%d errors, %v", bad, err)
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
	bad, err := evaluate(strings.NewReader("{\"id\": \"a\", \"check\": \"true\", \"text\": \"\xff\"}"), &out)
	want := `{"id":"a","verdict":"error","actual":[],"error":"line 1: not valid UTF-8 at byte 38 of the line"}` + "\n"
	if bad != 1 || err != nil || out.String() != want {
		t.Errorf("%d errors, %v, %s", bad, err, out.String())
	}
}

// A reader that breaks off must not look like the end of the cases, and a lost
// output ends the run.
func TestCasesLostInputOrOutput(t *testing.T) {
	line := `{"id": 1, "check": "true", "text": ""}` + "\n"
	broken := io.MultiReader(strings.NewReader(line), brokenReader{})
	if _, err := evaluate(broken, io.Discard); !errors.Is(err, ErrRead) {
		t.Errorf("broken input: %v", err)
	}
	if _, err := evaluate(strings.NewReader(strings.Repeat(line, 100)), brokenPipe{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("broken output: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

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
	var e evaluator
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.Contains(line, []byte("\n")) {
			return
		}
		r := e.answer(1, line)
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
		"text.unbacked_numbers('All 17 tests passed.')", "text.list_items().size() > 3", "text.tables().size() == 0",
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
			if bad, err := evaluate(&in, io.Discard); bad > 0 || err != nil {
				b.Fatalf("%d errors, %v", bad, err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
