package check

import (
	"strings"
	"testing"
)

func TestJSONErrors(t *testing.T) {
	for _, text := range []string{"", "{", "Here: {}", "```json\n{}\n```\n```json\n{}\n```"} {
		if _, err := mustCompile(t, "text.json() == 1").Eval(Input{Text: Analyse(text)}); err == nil || !strings.Contains(err.Error(), "not JSON") {
			t.Errorf("%q: %v", text, err)
		}
	}
	r, err := mustCompile(t, "text.json() == {'a': [1, 2.5, 'x', null, true]}").Eval(Input{Text: Analyse(`{"a": [1, 2.5, "x", null, true]}`)})
	if err != nil || !r.Passed {
		t.Errorf("%+v %v", r, err)
	}
}

func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1}`: true, " [1]\n": true, "```json\n{}\n```": true, "~~~\n1\n~~~\n": true,
		"": false, "{": false, "Here:\n```json\n{}\n```": false, "```json\n{}\n```\n```json\n{}\n```": false, "```json\n{\n```": false,
	} {
		if r, err := mustCompile(t, "text.is_json()").Eval(Input{Text: Analyse(text)}); err != nil || r.Passed != want {
			t.Errorf("%q: %+v %v", text, r, err)
		}
	}
}
