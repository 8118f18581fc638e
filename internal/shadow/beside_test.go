package shadow

import (
	"strings"
	"testing"
)

// TestBesidePanics: a panic beside its caller comes to the caller, with its place.
func TestBesidePanics(t *testing.T) {
	wait := beside(func() { panic("a rule fails") })
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.HasPrefix(err.Error(), "a rule fails\n") || !strings.Contains(err.Error(), "TestBesidePanics") {
			t.Errorf("the panic is %v", err)
		}
	}()
	wait()
	t.Error("no panic")
}
