package render

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/calibrate"
)

// A model's name is shown as it is, with spaces too.
func TestCalibratedNames(t *testing.T) {
	for want, j := range map[string]calibrate.Judge{
		"strict  house-rules 2.1, house\n": {Name: "strict", Model: "house-rules 2.1", Family: "house"},
		"strict  house\n":                  {Name: "strict", Family: "house"},
		"strict  house-rules 2.1\n":        {Name: "strict", Model: "house-rules 2.1"},
	} {
		var b strings.Builder
		NewTerminal(&b, true).calibrated(&j, strings.Trim(j.Model+", "+j.Family, ", "))
		if !strings.HasPrefix(b.String(), "\n"+want) {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}
