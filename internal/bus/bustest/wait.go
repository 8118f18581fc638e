// Package bustest starts NATS servers for tests. It does not import package
// bus, so that tests of that package can use it.
package bustest

import (
	"testing"
	"time"
)

// deadline is how long a test waits for something that should happen. It is
// long, since it is reached only when the test has failed, and since what has
// failed many times is tried again after half a minute only.
const deadline = 2 * time.Minute

// WaitFor looks at the broker until cond holds, and fails the test if it
// never does. What says what was waited for.
func WaitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(deadline)
	defer end.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatalf("waited %s in vain: %s", deadline, what)
		}
	}
}

// Must is a value that a test has to have: an error is a panic, which names the line.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// OK ends the test with an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
