package rules_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

var full = flag.Bool("full", false, "make as many draws as the measured figures rest on")

// drawsOf is how many of n draws to make: the first ones, unless -full asks for
// all of them. Each draw is the same every time, so that fewer assert the same
// of fewer draws.
func drawsOf(n int) int {
	if *full {
		return n
	}
	return n / 5
}

// A run is a decomposition with the bundles that came of it.
type run struct {
	d       *shadow.Decomposition
	bundles map[string]shadow.Bundle // by domain
}

var fourCategories = []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness}

// source is a source of random bytes that is the same for the same n.
func source(n int) *rand.ChaCha8 {
	var seed [32]byte
	seed[0], seed[1], seed[2], seed[3] = byte(n), byte(n>>8), byte(n>>16), 7
	return rand.NewChaCha8(seed)
}

// seal seals a decomposition in the n-th draw. Seal validates all criteria.
func seal(d *shadow.Decomposition, n, criteria int, categories []shadow.Category) (*shadow.Exam, error) {
	settings := shadow.Settings{
		SpecVersion: "2.0.0", ConformanceLevel: 3, MaxCriteria: 50, Hardening: true, MaxCycles: 1, Threshold: 15,
		FixTimeout: time.Minute, RunTimeout: time.Hour, Categories: categories, DefaultScale: "ss-100",
		Scales: map[string]shadow.Scale{"ss-50": {Criteria: criteria}, "ss-100": {Criteria: criteria}, "ss-250": {Criteria: criteria}},
	}
	src := source(n)
	e, err := shadow.Seal(context.Background(), d, shadow.SealInput{Settings: &settings, Filler: rules.New(src), Rand: src, Now: time.Unix(0, 0)})
	if err != nil {
		return nil, err
	}
	// The envelope is stored as JSON: judge with what comes back.
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	var back shadow.Envelope
	if err := json.Unmarshal(raw, &back); err != nil {
		return nil, err
	}
	c := back.Commitment()
	return shadow.NewExam(&back, &c)
}

func mustSeal(t *testing.T, d *shadow.Decomposition, n, criteria int, categories []shadow.Category) *shadow.Exam {
	t.Helper()
	x, err := seal(d, n, criteria, categories)
	if err != nil {
		t.Fatalf("draw %d: %v", n, err)
	}
	return x
}

// called returns those phrases that a judgement calls missing, and checks that
// every failure has a message.
func called(t *testing.T, j *shadow.Judgement, phrases []string) []string {
	t.Helper()
	var out []string
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		switch v.Outcome {
		case shadow.Passed:
			continue
		case shadow.Undecided:
			t.Errorf("%s is undecided: %s", v.Criterion.Assertion, v.Actual)
		}
		if v.Message == "" {
			t.Errorf("%s: no message", v.Criterion.Assertion)
		}
		for _, p := range phrases {
			if strings.HasPrefix(v.Actual, p+": ") || strings.Contains(v.Actual, "; "+p+": ") {
				out = append(out, p)
				if !strings.Contains(v.Message, p) {
					t.Errorf("the message does not name %q: %s", p, v.Message)
				}
			}
		}
	}
	return out
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readRun reads a file of events, one in a line.
func readRun(t *testing.T, path string) (r run, ok bool) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false
	}
	if err != nil {
		t.Fatal(err)
	}
	r.bundles = map[string]shadow.Bundle{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Event struct {
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			} `json:"event"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(l.Event.Type, "dev.swarmspeed."), ".v1")
		e, err := shadow.Decode(name, l.Event.Data)
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *shadow.Decomposition:
			r.d = e
		case *shadow.Submission:
			r.bundles[e.Bundle.Domain] = e.Bundle
		}
	}
	return r, true
}

const demoDir = "../../../cmd/shadowd/demo"

// demo reads the demo run: its bundles, and its fixes by domain.
func demo(t *testing.T) (r run, fixes map[string]shadow.Bundle) {
	t.Helper()
	r = run{d: new(shadow.Decomposition), bundles: map[string]shadow.Bundle{}}
	fixes = map[string]shadow.Bundle{}
	readJSON(t, filepath.Join(demoDir, "decomposition.json"), r.d)
	for _, dom := range r.d.Domains {
		var b shadow.Bundle
		readJSON(t, filepath.Join(demoDir, "bundles", dom.Domain+".json"), &b)
		b.Content = readFile(t, filepath.Join(demoDir, "bundles", dom.Domain+".md"))
		r.bundles[dom.Domain] = b
		fix := filepath.Join(demoDir, "fixes", dom.Domain)
		if _, err := os.Stat(fix + ".md"); err == nil {
			readJSON(t, fix+".json", &b)
			b.Content = readFile(t, fix+".md")
			fixes[dom.Domain] = b
		}
	}
	return r, fixes
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// tally gathers numbers over draws.
type tally []int

func (s tally) spread() (least, median, most int) {
	slices.Sort(s)
	return s[0], s[len(s)/2], s[len(s)-1]
}

// askedOf lists all that a domain was asked for.
func askedOf(dom *shadow.Domain) []string {
	return slices.Concat(dom.SubTasks, dom.Deliverables, dom.Constraints)
}
