package input

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestByteOrderMark: what some editors put before a file of events is no part of it, and says how it is encoded.
func TestByteOrderMark(t *testing.T) {
	const text = "\ufeff" + `{"run_id": "r", "task": "naïve", "domains": [{"domain": "d", "commander_id": "c"}]}`
	var little, big []byte
	for _, c := range utf16.Encode([]rune(text)) {
		little, big = binary.LittleEndian.AppendUint16(little, c), binary.BigEndian.AppendUint16(big, c)
	}
	for name, file := range map[string]string{"UTF-8": text, "UTF-16, little-endian": string(little), "UTF-16, big-endian": string(big)} {
		got, err := Decompositions("-", strings.NewReader(file))
		if err != nil || len(got) != 1 || got[0].Task != "naïve" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Whatever a file holds, reading it ends in decompositions or in an error that names the file.
func FuzzDecompositions(f *testing.F) {
	for _, seed := range []string{
		`{"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}`,
		`{"nats_subject": "s", "event": {"specversion": "1.0", "id": "1", "source": "/n", "type": "dev.swarmspeed.decomposition-done.v1", "data": {"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c"}]}}}`,
		`{"event": 5}`, `{"specversion": "1.0"}`, `[]`, `null`, "\n\n{", `{"event": null}`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Decompositions("-", strings.NewReader(text))
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), "standard input") {
				t.Errorf("the error does not name the file: %v", err)
			}
		case len(got) == 0:
			t.Error("neither a decomposition nor an error")
		}
	})
}
