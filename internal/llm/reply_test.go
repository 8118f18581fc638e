package llm

import (
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
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
		"thought unopened":  {"maybe {} or " + llmtest.Verdict("", "x", "failed") + "</think>\n" + pass, "passed"},
		"quotes a thought":  {llmtest.Verdict("a {quote} of </think> it", "", "passed"), "passed"},
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
		a := answersIn(x.text, 1)[0]
		v, err := a.verdict, a.err
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
	f.Add(llmtest.Answers(llmtest.Answer{Question: 1, Evidence: "a quote of it", Verdict: "passed"}, llmtest.Answer{Question: 2, Defect: "No.", Verdict: "failed"}))
	f.Add(`{"verdict":"\u0070assed","defect":"","evidence":"x","reasoning":"` + "\xff" + `"}`)
	for _, a := range injections(f) {
		f.Add(a.Content)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for n := 1; n <= 2; n++ {
			all := answersIn(text, n)
			if len(all) != n {
				t.Fatalf("%d answers to %d questions", len(all), n)
			}
			for _, a := range all {
				if a.err == nil && (!slices.Contains([]string{"passed", "failed", "not_applicable"}, a.verdict.verdict) || a.verdict.verdict == "passed" && a.defect != "" || a.verdict.verdict == "failed" && a.defect == "") {
					t.Errorf("%q: %+v", text, a)
				}
				if n := strings.Count(text, "{"); a.err == nil && n == 0 {
					t.Errorf("%q: %+v of no object", text, a)
				}
			}
		}
	})
}

// TestAnswers: each question has the answer with its number, and what is wrong
// with one answer takes no other.
func TestAnswers(t *testing.T) {
	pass := func(n int) llmtest.Answer {
		return llmtest.Answer{Question: n, Evidence: "a quote of it", Verdict: "passed"}
	}
	fail := llmtest.Answer{Question: 2, Defect: "No status.", Verdict: "failed"}
	both := llmtest.Answers(pass(1), fail)
	for name, x := range map[string]struct{ text, want string }{
		"as asked":            {both, "passed failed"},
		"another order":       {llmtest.Answers(fail, pass(1)), "passed failed"},
		"numbers as strings":  {strings.ReplaceAll(both, `"question":1`, `"question":"1"`), "passed failed"},
		"in a fence":          {"```json\n" + both + "\n```", "passed failed"},
		"one is missing":      {llmtest.Answers(pass(1)), "passed -"},
		"one twice":           {llmtest.Answers(pass(1), fail, fail), "passed -"},
		"one contradicts":     {llmtest.Answers(pass(1), llmtest.Answer{Question: 2, Defect: "x", Verdict: "passed"}), "passed -"},
		"another verdict":     {llmtest.Answers(pass(1), llmtest.Answer{Question: 2, Verdict: "perfect"}), "passed -"},
		"not applicable":      {llmtest.Answers(pass(1), llmtest.Answer{Question: 2, Verdict: "not_applicable"}), "passed not_applicable"},
		"none was asked":      {llmtest.Answers(pass(1), pass(3), pass(0), pass(-1)), "passed -"},
		"a field too many":    {strings.Replace(both, `"question":2`, `"question":2,"note":1`, 1), "passed -"},
		"a number twice":      {strings.Replace(both, `"question":2`, `"question":2,"question":2`, 1), "passed -"},
		"no number":           {strings.Replace(both, `"question":2`, `"question":"second"`, 1), "passed -"},
		"a text for an array": {`{"answers":"passed"}`, "- -"},
		"null":                {`{"answers":null}`, "- -"},
		"answers twice":       {strings.Replace(both, `{"answers"`, `{"answers":[],"answers"`, 1), "- -"},
		"one for all":         {llmtest.Verdict("a quote of it", "", "passed"), "- -"},
		"a list":              {strings.TrimSuffix(strings.TrimPrefix(both, `{"answers":`), "}"), "- -"},
		"no JSON":             {"all passed", "- -"},
	} {
		var got []string
		for _, a := range answersIn(x.text, 2) {
			if a.err != nil {
				got = append(got, "-")
			} else {
				got = append(got, a.verdict.verdict)
			}
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
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
			asked := *d
			asked.Domains = slices.DeleteFunc(slices.Clone(d.Domains), func(dom shadow.Domain) bool {
				_, ok := dr.criteria[i].Material[dom.Domain]
				return !ok
			})
			if err := dr.criteria[i].Usable(&asked); err != nil || len(asked.Domains) == 0 {
				t.Errorf("%q: %v, asked of %d domains", text, err, len(asked.Domains))
			}
		}
		if len(dr.criteria)+dr.wanting() != len(smallQuota()) {
			t.Errorf("%d criteria and %d wanting", len(dr.criteria), dr.wanting())
		}
	})
}
