package schemas

import (
	"encoding/json"
	"strings"
	"testing"
)

// bundle5K is a bundle-complete of about five kilobytes, with the escapes that
// Markdown has in JSON.
func bundle5K() []byte {
	line := "- The \"refresh\" endpoint answers 401 when the token is older than 3,600 s — see `auth.ts`.\n"
	data, err := json.Marshal(map[string]any{
		"run_id": "run-1", "bundle_id": "bnd-1", "domain": "api", "commander_id": "cmd-api", "status": "success",
		"summary": "An API in three endpoints.", "atoms_merged": 42, "conflicts": nil, "confidence": 0.87, "wall_clock_s": 20.4,
		"implementer": map[string]string{"model": "m-1", "family": "f"},
		"open_tests":  map[string]any{"total": 10, "passed": 9, "failed": 1},
		"content":     strings.Repeat(line, 50),
	})
	if err != nil {
		panic(err)
	}
	return data
}

func BenchmarkValidateBundle(b *testing.B) {
	data := bundle5K()
	if err := Validate("bundle-complete", data); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Validate("bundle-complete", data); err != nil {
			b.Fatal(err)
		}
	}
}
