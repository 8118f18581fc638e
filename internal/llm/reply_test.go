package llm

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

func TestParseVerdict(t *testing.T) {
	pass := llmtest.Verdict("a {quote} of it", "", "passed")
	for name, x := range map[string]struct {
		text    string
		verdict string // empty: an error
	}{
		"as asked":          {pass, "passed"},
		"failed":            {llmtest.Verdict("", "No status.", "failed"), "failed"},
		"in a fence":        {"```json\n" + pass + "\n```", "passed"},
		"words around it":   {"I think {this} is it: " + pass + " That's all.", "passed"},
		"thought first":     {"<think>maybe " + llmtest.Verdict("", "x", "failed") + "</think>\n" + pass, "passed"},
		"thought unended":   {"<think>" + pass, ""},
		"no defect in word": {llmtest.Verdict("abcdefgh", "None.", "passed"), "passed"},
		"spaces":            {"  \n" + strings.ReplaceAll(pass, ",", " ,\n "), "passed"},
		"nothing":           {"", ""},
		"an array of it":    {"[" + pass + "," + pass + "]", ""},
		"nested":            {`{"result": ` + pass + `}`, ""},
		"same twice":        {pass + pass, ""},
		"null":              {`{"evidence":null,"reasoning":"","defect":"","verdict":"passed"}`, ""},
		"wrong case":        {strings.Replace(pass, `"verdict"`, `"Verdict"`, 1), ""},
		"capital verdict":   {strings.Replace(pass, `"passed"`, `"Passed"`, 1), ""},
		"undecided":         {strings.Replace(pass, `"passed"`, `"undecided"`, 1), ""},
		"a list for a text": {strings.Replace(pass, `"as scripted"`, `["as scripted"]`, 1), ""},
		"comment":           {strings.Replace(pass, `{`, `{/* passed */`, 1), ""},
		"cut":               {pass[:len(pass)-1], ""},
		"many braces":       {strings.Repeat("{", 1<<20), ""},
		"deep":              {strings.Repeat(`{"a":`, 1<<16), ""},
	} {
		v, err := parseVerdict(x.text)
		if (err == nil) != (x.verdict != "") || err == nil && v.verdict != x.verdict {
			t.Errorf("%s: %+v, error %v, want %q", name, v, err, x.verdict)
		}
		if err != nil && strings.Contains(err.Error(), "quote") {
			t.Errorf("%s: the error quotes the reply: %v", name, err)
		}
	}
}

// FuzzParseVerdict: whatever a model says, there is a verdict that agrees with
// itself or an error, and no verdict that the text does not hold.
func FuzzParseVerdict(f *testing.F) {
	f.Add(llmtest.Verdict("a quote of it", "", "passed"))
	f.Add("<think>{}</think>```json\n" + llmtest.Verdict("", "No.", "failed") + "```")
	f.Add(`{"evidence":"","evidence":"","reasoning":{},"defect":1,"verdict":"passed"}`)
	f.Add(`{"verdict":"\u0070assed","defect":"","evidence":"x","reasoning":"` + "\xff" + `"}`)
	for _, a := range injections(f) {
		f.Add(a.Content)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseVerdict(text)
		if err != nil {
			return
		}
		if v.verdict != "passed" && v.verdict != "failed" || (v.verdict == "passed") != (v.defect == "") {
			t.Errorf("%q: %+v", text, v)
		}
		if n := strings.Count(text, "{"); n == 0 {
			t.Errorf("%q: %+v of no object", text, v)
		}
	})
}

// FuzzDraft: whatever a model writes, what is kept can be sealed.
func FuzzDraft(f *testing.F) {
	f.Add(authored(criterionOf("happy_path", 1), criterionOf("edge_case", 2)), true)
	f.Add(authored(criterionOf("happy_path", 1), criterionOf("happy_path", 1)), false)
	f.Add(`{"criteria":[{"category":"security","check":"text.words("}]}`, false)
	f.Add(`{"criteria":null}{"criteria":[]}`, false)
	d := decomposition()
	f.Fuzz(func(t *testing.T, text string, need bool) {
		dr := newDraft(d, smallQuota(), need)
		dr.take(text)
		for i := range dr.criteria {
			if err := dr.criteria[i].Usable(d); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if len(dr.criteria)+dr.wanting() != sum(smallQuota()) {
			t.Errorf("%d criteria and %d wanting", len(dr.criteria), dr.wanting())
		}
	})
}
