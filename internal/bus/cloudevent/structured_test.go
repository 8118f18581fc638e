package cloudevent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// TestSmallThings: what RFC 3339 and the JSON format allow is taken.
func TestSmallThings(t *testing.T) {
	for _, body := range []string{
		`{"specversion":"1.0","id":"1","source":"/n","type":"x","data":{},"data_base64":null}`,
		`{"specversion":"1.0","id":"1","source":"/n","type":"x","data":null,"data_base64":"e30="}`,
		`{"specversion":"1.0","id":"1","source":"/n","type":"x","time":"2026-01-31t12:00:00z","data":{}}`,
		`{"specversion":"1.0","id":"1","source":"/n","type":"x","time":"2026-01-31t12:00:00+01:00","data":{}}`,
	} {
		if e, err := decodeStructured([]byte(body)); err != nil || string(e.Data()) != "{}" {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := decodeStructured([]byte(`{"specversion":"1.0","id":"1","source":"/n","type":"x","data":null,"data_base64":null}`)); err == nil {
		t.Error("an event without data is taken")
	}
}

// Where the standard library reads an object, each member has the same bytes
// here, and an object is only refused for what the library overlooks.
func FuzzReadObject(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { "a" : 1 , "b":[1,{"c":"}]\\\""}] } `, `{"a":-1.5e3,"b":true,"c":null,"d":""}`, `{"a\"":"\\","\u0061":{}}`,
		`{"a":1,"a":2}`, `[]`, `"x"`, `{"a":1}}`, `{"a"}`, ``, "{\"\":\t\n0\r}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := readObject(body)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(body, &want)
		if err == nil && (wantErr != nil || len(got) != len(want)) {
			t.Fatalf("got %d members, the library %d, %v", len(got), len(want), wantErr)
		}
		if err != nil {
			bustest.CheckMessage(t, err)
			return
		}
		for name, w := range want {
			if !bytes.Equal(got[name], w) {
				t.Fatalf("%q: got %q, want %q", name, got[name], w)
			}
		}
	})
}
