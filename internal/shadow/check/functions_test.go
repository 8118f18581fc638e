package check

import "testing"

func TestJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1}`: true, " [1]\n": true, "```json\n{}\n```": true, "~~~\n1\n~~~\n": true,
		"": false, "{": false, "Here:\n```json\n{}\n```": false, "```json\n{}\n```\n```json\n{}\n```": false, "```json\n{\n```": false,
	} {
		if r, err := mustCompile(t, "text.is_json()").Eval(Input{Text: Analyse(text)}); err != nil || r.Passed != want {
			t.Errorf("%q: %+v %v", text, r, err)
		}
		if _, err := mustCompile(t, "text.json() == null").Eval(Input{Text: Analyse(text)}); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	r, err := mustCompile(t, "text.json() == {'a': [1, 2.5, 'x', null, true]}").Eval(Input{Text: Analyse(`{"a": [1, 2.5, "x", null, true]}`)})
	if err != nil || !r.Passed {
		t.Errorf("%+v %v", r, err)
	}
}
