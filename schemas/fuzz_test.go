package schemas

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// oddities are JSON texts that readers disagree on, and texts that are none.
var oddities = []string{"", "{}", "[]", "null", `"\ud83d\ude00"`, `{"a":{"A":1,"a":[true,false,null,-1.5e-3]}}`, `{"x":"\u00e9\n\/\\\""}`,
	`[1e400]`, `{"\u212a":1,"k":2}`, strings.Repeat("[", 65), "\xff", `"\ud800"`, "{} {}", `{"cycle":1.0}`, " [ 1 , { } ] "}

// What Validate refuses, it refuses in few and legible words, always the same.
// What it takes, the protocol package can decode, and encoding/json reads it
// as the very same value.
func FuzzValidate(f *testing.F) {
	for event, text := range full {
		i := slices.Index(events(), event)
		for _, s := range append([]string{text, text[:len(text)/2],
			strings.Replace(text, "c1", "c 1", 1), strings.Replace(text, "run_id", "Run_ID", 1)}, oddities...) {
			f.Add(i, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, event int, data []byte) {
		names := events()
		name := names[(event%len(names)+len(names))%len(names)]
		if ignored, err := Ignored(name, data); err != nil {
			publishable(t, err)
			if again := Validate(name, data); again == nil || again.Error() != err.Error() {
				t.Errorf("first %v, then %v", err, again)
			}
		} else if _, input := full[name]; input {
			for _, notice := range ignored {
				publishable(t, errors.New(notice))
			}
			var wrongType *json.UnmarshalTypeError
			if _, err := shadow.Decode(name, data); errors.As(err, &wrongType) {
				t.Errorf("valid, but cannot be decoded: %v", err)
			}
		}
		got, err := decode(data, anything())
		if err != nil {
			return
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("decode takes what encoding/json refuses: %v", err)
		}
		if got = floats(got); !reflect.DeepEqual(got, want) {
			t.Errorf("read %#v, encoding/json reads %#v", got, want)
		}
	})
}

// floats turns every integer into a float64, as encoding/json has it.
func floats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}
