// Package fulltest keeps tests that take long out of a run that should be quick.
package fulltest

import (
	"os"
	"testing"
)

// Variable is the environment variable that asks for all tests, by the value
// "full".
const Variable = "SHADOWD_TEST"

// Only leaves a test out, unless all tests are asked for: those that start whole
// programs, images, browsers or clusters, or that kill for long.
func Only(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "full" {
		t.Skipf("it takes long, and runs with %s=full", Variable)
	}
}
