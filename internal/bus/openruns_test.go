package bus

import (
	"fmt"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestOpenRunsBounded: opened envelopes stay in memory up to a sum of bytes, those
// that were used last.
func TestOpenRunsBounded(t *testing.T) {
	s := &session{Engine: NewEngine(&layout.Store{}, Config{})}
	open := func(n int, size int64) { s.keepOpen(fmt.Sprint("run-", n), &sealedRun{size: size}) }
	for n := range 20 {
		open(n, examsBytes/4)
		open(n, examsBytes/4) // an envelope that was opened again
	}
	if keys := fmt.Sprint(s.exams.Keys()); keys != "[run-16 run-17 run-18 run-19]" || s.examBytes.Load() != examsBytes {
		t.Errorf("%s of %d bytes", keys, s.examBytes.Load())
	}
	open(99, 2*examsBytes)
	if keys := fmt.Sprint(s.exams.Keys()); keys != "[run-99]" {
		t.Error(keys)
	}
	if s.exams.Remove("run-99"); s.examBytes.Load() != 0 {
		t.Errorf("%d bytes of no run", s.examBytes.Load())
	}
}
