package llm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

// FuzzAnswer: whatever a model says, there is an answer that agrees with itself or
// an error, and no answer without an object.
func FuzzAnswer(f *testing.F) {
	f.Add(llmtest.Verdict("a quote of it", "", "passed"))
	f.Add("<think>{}</think>```json\n" + llmtest.Verdict("", "No.", "failed") + "```")
	f.Add(`{'evidence':"a "b", c", /* x */ defect: null, verdict: PASSED,}`)
	f.Add(`{"a":[{"verdict":"\u0070assed","evidence":["x", 1e9, {"quote":"\ud83d\ude00"}]}]}`)
	f.Add("{\"verdict\":\"passed\",\"defect\":\"\",\"evidence\":\"x\",\"reasoning\":\"\xff\"}")
	for _, a := range injections(f) {
		f.Add(a.Content)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readAnswer(text)
		if err == nil && a.passed != (a.defect == "") {
			t.Errorf("%q: %+v", text, a)
		}
		if err == nil && !strings.Contains(text, "{") && !strings.Contains(text, `\u00`) {
			t.Errorf("%q: %+v of no object", text, a)
		}
		all, _ := objectsIn(thought(text))
		for _, raw := range all {
			if !json.Valid(raw) {
				t.Errorf("%q: %s is no JSON", text, raw)
			}
		}
	})
}

// FuzzLenient: what is JSON is read as such.
func FuzzLenient(f *testing.F) {
	f.Add(`{"a":["x\ny",1.5e3,true,null,{"b":{}}],"c":"\ud83d\ude00 \u00e9 \" , \"d\": "}`)
	f.Add(`{"":",\"}",  "b" : -0, "b'": "// x /* y */ 'z'"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]any
		if !utf8.ValidString(text) || json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		found, err := objectsIn(text)
		if err != nil && len(text) < 200 && strings.Count(text, "{")+strings.Count(text, "[") < maxDepth || err == nil && len(found) != 1 {
			t.Fatalf("%q: %d objects, %v", text, len(found), err)
		}
		if err != nil {
			return
		}
		var got map[string]any
		if json.Unmarshal(found[0], &got) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %s", text, found[0])
		}
	})
}

// TestHostileReplies: what would take a careless reader long comes to an end.
func TestHostileReplies(t *testing.T) {
	for _, unit := range []string{"{", `{"a":`, `{"a":[`, `"//`, `{"`, `{'a`, `{"a":"b"`, `"," `, "{a", "[", `{"a":{}`, "</think>", "<think>", `{"a": "b" /*`, "\\", `\u`} {
		for _, begin := range []string{"", `{"verdict": "passed", "evidence": "`} {
			if _, err := readAnswer(begin + strings.Repeat(unit, maxText/len(unit))); err == nil {
				t.Errorf("%s of %q is an answer", begin, unit)
			}
		}
	}
}
