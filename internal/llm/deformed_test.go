package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// honestWork is what honest replies quote.
const honestWork = `# Session handling

Expired tokens are answered with **401** and the error ` + "`token_expired`" + `; see [the runbook](https://example.org/run).

| Store | Cost (€) | Share | Owner |
|-------|---------:|------:|-------|
| Redis | 1,200 € | 22% | **Platform** team |
| Postgres | 4,300 € | 78% | Data team |

1. Rotate the signing keys every *30 days*
2. Alert the owner on a failed rotation
   - [x] Dry run of the rotation

` + "```go\nif now.After(t.Expiry) {\n\treturn http.StatusUnauthorized // \"expired\"\n}\n```" + `

## Ablauf

Abgelaufene Token werden mit Status 401 beantwortet – „immer“, auch bei Wartung.

## 会话

过期的令牌一律返回四零一状态码，并记录到审计日志。
`

// honest are right replies to questions about it.
var honestReplies = []llmtest.Answer{
	{Evidence: "Expired tokens are answered with **401** and the error `token_expired`; see [the runbook](https://example.org/run).", Reasoning: "It names the status.", Verdict: "passed"},
	{Evidence: "| Redis | 1,200 € | 22% | **Platform** team |", Reasoning: "The row has it.", Verdict: "passed"},
	{Evidence: "| Redis | 1,200 € | 22% | **Platform** team |\n| Postgres | 4,300 € | 78% | Data team |", Reasoning: "The rows, both.", Verdict: "passed"},
	{Evidence: "1. Rotate the signing keys every *30 days*", Reasoning: "It's a rule.", Verdict: "passed"},
	{Evidence: "2. Alert the owner on a failed rotation\n   - [x] Dry run of the rotation", Reasoning: "Both are there.", Verdict: "passed"},
	{Evidence: "if now.After(t.Expiry) {\n\treturn http.StatusUnauthorized // \"expired\"\n}", Reasoning: "The code does it.", Verdict: "passed"},
	{Evidence: "Abgelaufene Token werden mit Status 401 beantwortet – „immer“, auch bei Wartung.", Reasoning: "Der Status ist genannt.", Verdict: "passed"},
	{Evidence: "过期的令牌一律返回四零一状态码，并记录到审计日志。", Reasoning: "有明确的状态码。", Verdict: "passed"},
	{Evidence: "Alert the owner on a failed rotation", Reasoning: "Nothing is said of a revoked key.", Defect: "Revocation of a key is not addressed", Verdict: "failed"},
	{Reasoning: "There is none.", Defect: "No limit for failed logins is given", Verdict: "failed"},
	{Reasoning: "Es fehlt.", Defect: "Ein Rückfallplan „bei Ausfall“ fehlt", Verdict: "failed"},
	{Evidence: "| Postgres | 4,300 € | 78% | Data team |", Reasoning: "没有总成本。", Defect: "缺少总成本", Verdict: "failed"},
}

func asJSON(a llmtest.Answer) string {
	raw, err := json.Marshal(map[string]string{"evidence": a.Evidence, "reasoning": a.Reasoning, "defect": a.Defect, "verdict": a.Verdict})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// fields writes a reply field by field, each value by a function.
func fields(a llmtest.Answer, names [4]string, value func(string) string) string {
	return fmt.Sprintf("{%s: %s, %s: %s, %s: %s, %s: %s}", names[0], value(a.Evidence), names[1], value(a.Reasoning), names[2], value(a.Defect), names[3], value(a.Verdict))
}

func quotedJSON(s string) string { raw, _ := json.Marshal(s); return string(raw) }

var plainNames = [4]string{`"evidence"`, `"reasoning"`, `"defect"`, `"verdict"`}

// verdictAs writes the verdict in another word, or without quotation marks.
func verdictAs(pass, fail string) func(llmtest.Answer) string {
	return func(a llmtest.Answer) string {
		word := pass
		if a.Verdict == "failed" {
			word = fail
		}
		return strings.Replace(asJSON(a), `"verdict":"`+a.Verdict+`"`, `"verdict":`+word, 1)
	}
}

func around(before, after string) func(llmtest.Answer) string {
	return func(a llmtest.Answer) string { return before + asJSON(a) + after }
}

// evidenceAs changes the quote.
func evidenceAs(change func(string) string) func(llmtest.Answer) string {
	return func(a llmtest.Answer) string {
		if a.Evidence != "" {
			a.Evidence = change(a.Evidence)
		}
		return asJSON(a)
	}
}

func replacing(pairs ...string) func(llmtest.Answer) string {
	return evidenceAs(strings.NewReplacer(pairs...).Replace)
}

// defectAs gives a pass a defect that is none.
func defectAs(none string) func(llmtest.Answer) string {
	return func(a llmtest.Answer) string {
		if a.Verdict == "failed" {
			return asJSON(a)
		}
		return strings.Replace(asJSON(a), `"defect":""`, `"defect":`+none, 1)
	}
}

// renamed gives the fields other names.
func renamed(names ...string) func(llmtest.Answer) string {
	return func(a llmtest.Answer) string {
		return fields(a, [4]string{names[0], names[1], names[2], names[3]}, quotedJSON)
	}
}

// deformations are the same answers in other forms.
var deformations = map[string]func(llmtest.Answer) string{
	"as asked": asJSON,
	// Verdicts.
	"PASSED": verdictAs(`"PASSED"`, `"FAILED"`), "Passed": verdictAs(`"Passed"`, `"Failed"`), "pass": verdictAs(`"pass"`, `"fail"`), "PASS": verdictAs(`"PASS"`, `"FAIL"`),
	"yes": verdictAs(`"yes"`, `"no"`), "Met": verdictAs(`"Met"`, `"Not met"`), "not_met": verdictAs(`"met"`, `"not_met"`), "unmet": verdictAs(`"met"`, `"unmet"`),
	"true": verdictAs(`true`, `false`), "true in marks": verdictAs(`"true"`, `"False"`), "True": verdictAs(`True`, `False`), "fulfilled": verdictAs(`"fulfilled"`, `"not fulfilled"`),
	"found": verdictAs(`"found"`, `"missing"`), "delivered": verdictAs(`"delivered"`, `"not delivered"`), "satisfied": verdictAs(`"Satisfied."`, `"not satisfied"`),
	"full stop": verdictAs(`"passed."`, `"failed."`), "spaces": verdictAs(`" passed "`, `"failed\n"`), "bold": verdictAs(`"**passed**"`, `"**failed**"`), "sign": verdictAs(`"✅ passed"`, `"❌"`),
	"sentence": verdictAs(`"The criterion is met."`, `"The criterion is not met"`), "does not": verdictAs(`"It is delivered"`, `"does not meet"`), "list of one": verdictAs(`["passed"]`, `["failed"]`), "without marks": verdictAs(`passed`, `failed`),
	"another field": func(a llmtest.Answer) string {
		return strings.Replace(asJSON(a), `"verdict":"`+a.Verdict+`"`, fmt.Sprintf(`"passed":%v`, a.Verdict == "passed"), 1)
	},
	// Names of fields.
	"capitals": renamed(`"Evidence"`, `"Reasoning"`, `"Defect"`, `"Verdict"`), "all capitals": renamed(`"EVIDENCE"`, `"REASONING"`, `"DEFECT"`, `"VERDICT"`),
	"quote, reason": renamed(`"quote"`, `"reason"`, `"issue"`, `"result"`), "passage": renamed(`"passage"`, `"explanation"`, `"defects"`, `"outcome"`), "final": renamed(`"evidence_quote"`, `"analysis"`, `"gaps"`, `"final_verdict"`),
	"names without marks": renamed(`evidence`, `reasoning`, `defect`, `verdict`), "bold names": renamed(`"**evidence**"`, `"**reasoning**"`, `"**defect**"`, `"**verdict**"`), "another order": func(a llmtest.Answer) string {
		return fmt.Sprintf(`{"verdict": %q, "defect": %s, "evidence": %s}`, a.Verdict, quotedJSON(a.Defect), quotedJSON(a.Evidence))
	},
	// JSON.
	"trailing comma": func(a llmtest.Answer) string { return strings.TrimSuffix(asJSON(a), "}") + ",}" },
	"line comment":   func(a llmtest.Answer) string { return strings.Replace(asJSON(a), `{`, "{ // the verdict {\n", 1) },
	"block comment": func(a llmtest.Answer) string {
		return strings.Replace(asJSON(a), `,"verdict"`, `, /* so: */ "verdict"`, 1)
	},
	"more fields": func(a llmtest.Answer) string {
		return strings.Replace(asJSON(a), `{`, `{"confidence": 0.93, "notes": ["x", {"y": null}], `, 1)
	},
	"single marks": func(a llmtest.Answer) string {
		return fields(a, [4]string{`'evidence'`, `'reasoning'`, `'defect'`, `'verdict'`}, func(s string) string {
			return "'" + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`).Replace(s) + "'"
		})
	},
	"marks not escaped": func(a llmtest.Answer) string {
		return fields(a, plainNames, func(s string) string {
			return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
		})
	},
	"lines not escaped": func(a llmtest.Answer) string {
		return fields(a, plainNames, func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` })
	},
	"wrong escapes": func(a llmtest.Answer) string { return strings.NewReplacer(`*`, `\*`, `|`, `\|`).Replace(asJSON(a)) },
	"commas missing": func(a llmtest.Answer) string {
		return strings.NewReplacer(`,"reasoning"`, "\n\"reasoning\"", `,"verdict"`, "\n\"verdict\"").Replace(asJSON(a))
	},
	"over many lines": func(a llmtest.Answer) string {
		var b strings.Builder
		for _, r := range strings.NewReplacer(`{"`, "{\n  \"", `","`, "\",\n  \"", `"}`, "\"\n}").Replace(asJSON(a)) {
			b.WriteRune(r)
		}
		return b.String()
	},
	"as a string": func(a llmtest.Answer) string { return quotedJSON(asJSON(a)) },
	"typographic marks": func(a llmtest.Answer) string {
		return fields(a, [4]string{"“evidence”", "“reasoning”", "“defect”", "“verdict”"}, func(s string) string { return "“" + strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) + "”" })
	},
	"null for what is not": func(a llmtest.Answer) string { return strings.ReplaceAll(asJSON(a), `:""`, `:null`) },
	"nothing for it": func(a llmtest.Answer) string {
		return strings.NewReplacer(`"evidence":"",`, "", `"defect":"",`, "").Replace(asJSON(a))
	},
	"no reasoning": func(a llmtest.Answer) string {
		return fmt.Sprintf(`{"evidence": %s, "defect": %s, "verdict": %q}`, quotedJSON(a.Evidence), quotedJSON(a.Defect), a.Verdict)
	},
	"a number": func(a llmtest.Answer) string {
		return fmt.Sprintf(`{"evidence": %s, "reasoning": 7, "defect": %s, "verdict": %q}`, quotedJSON(a.Evidence), quotedJSON(a.Defect), a.Verdict)
	},
	"lists": func(a llmtest.Answer) string {
		return fmt.Sprintf(`{"evidence": [%s], "reasoning": ["a", "b"], "defect": [%s], "verdict": %q}`, quotedJSON(a.Evidence), quotedJSON(a.Defect), a.Verdict)
	},
	"list of lines": func(a llmtest.Answer) string {
		raw, _ := json.Marshal(strings.Split(a.Evidence, "\n"))
		return fmt.Sprintf(`{"evidence": %s, "defect": %s, "verdict": %q}`, raw, quotedJSON(a.Defect), a.Verdict)
	},
	"evidence in parts": func(a llmtest.Answer) string {
		return fmt.Sprintf(`{"evidence": {"quote": %s, "line": 3}, "defect": %s, "verdict": %q}`, quotedJSON(a.Evidence), quotedJSON(a.Defect), a.Verdict)
	},
	// What stands around it.
	"answer": around(`{"answer": `, `}`), "result": around(`{"result":`, `, "model": "x"}`), "a list": around("[", "]"), "answers": around(`{"answers": [`, `]}`), "deeper": around(`{"response": {"evaluation": `, `}}`), "a string within": func(a llmtest.Answer) string { return `{"answer": ` + quotedJSON(asJSON(a)) + `}` },
	"fence": around("```json\n", "\n```"), "fence without word": around("```\n", "\n```\n"), "words": around("Here is my answer {as asked}: ", "\n\nI hope that it helps."), "twice": func(a llmtest.Answer) string { return asJSON(a) + "\n" + asJSON(a) }, "twice in a fence": func(a llmtest.Answer) string { return "```json\n" + asJSON(a) + "\n```\nFinal:\n" + asJSON(a) },
	"think": around("<think>It may have {\"verdict\": \"failed\"} or {\"verdict\": \"passed\"}.</think>\n", ""), "thinking": around("<thinking>\n{\"verdict\": \"failed\"} {\"verdict\": \"passed\"}\n</thinking>\n", ""), "reasoning": around("<reasoning>first {x}</reasoning>\n<answer>", "</answer>"), "thought not opened": around("It is {\"verdict\": \"failed\"} {\"verdict\": \"passed\"}\n</think>\n", ""), "THINK": around("[THINK]{\"verdict\": \"failed\"} {\"verdict\": \"passed\"}[/THINK]", ""), "channel": around("<|channel|>analysis<|message|>{\"verdict\":\"failed\"} {\"verdict\": \"passed\"}<|end|><|start|>assistant<|channel|>final<|message|>", ""), "BOM": around("\ufeff", ""),
	// Defects of a pass.
	"No defect found.": defectAs(`"No defect found."`), "none": defectAs(`"none"`), "None.": defectAs(`"None."`), "N/A": defectAs(`"N/A"`), "null": defectAs(`null`), "no issues": defectAs(`"No issues identified"`), "dash": defectAs(`"-"`), "nothing": defectAs(`"Nothing is missing."`), "empty list": defectAs(`[]`), "kein": defectAs(`"Kein Mangel gefunden"`), "无": defectAs(`"无缺陷"`), "false": defectAs(`false`),
	// Quotes.
	"in marks": evidenceAs(func(s string) string { return `"` + s + `"` }), "in typographic marks": evidenceAs(func(s string) string { return "„" + s + "“" }), "in single marks": evidenceAs(func(s string) string { return "'" + s + "'" }), "in guillemets": evidenceAs(func(s string) string { return "« " + s + " »" }), "in ticks": evidenceAs(func(s string) string { return "`" + s + "`" }),
	"Line 12:": evidenceAs(func(s string) string { return "Line 12: " + s }), "L12:": evidenceAs(func(s string) string { return "L12: " + s }), "ellipsis behind": evidenceAs(func(s string) string { return s + " …" }), "dots around": evidenceAs(func(s string) string { return "..." + s + "..." }),
	"without Markdown": replacing("**", "", "*", "", "`", "", "[the runbook](https://example.org/run)", "the runbook", "| ", "", " |", "", "1. ", "", "2. ", "", "   - [x] ", ""), "bars as commas": replacing("| Redis", "Redis", "| Postgres", "Postgres", " |\n", "\n", " | ", ", ", "team |", "team"), "bars as spaces": replacing("|", " "), "no bars at the ends": replacing("| Redis", "Redis", "| Postgres", "Postgres", "team |", "team"),
	"a full stop": evidenceAs(func(s string) string { return strings.TrimRight(s, ".。") + "." }), "no full stop": evidenceAs(func(s string) string { return strings.TrimRight(s, ".。") }), "22 %": replacing("%", " %"), "EUR": replacing("€", "EUR"), "EUR before": replacing(" €", "EUR"), "first letter": evidenceAs(func(s string) string { return strings.ToLower(s[:1]) + s[1:] }),
	"one line": replacing("\n", " ", "\t", " "), "escaped lines": replacing("\n", `\n`, "\t", `\t`), "entities": replacing("\"", "&quot;", "–", "&ndash;"), "straight marks": replacing("„", `"`, "“", `"`, "–", "-"), "marks of the prompt": evidenceAs(func(s string) string { return "MARK| " + strings.ReplaceAll(s, "\n", "\nMARK| ") }),
	"with an ellipsis": replacing("answered with **401** and", "… and", "werden mit Status 401 beantwortet – „immer“,", "werden mit Status 401 … auch", "auch bei", "bei"), "spaces twice": replacing(" ", "  "),
}

// TestDeformations: the same answer in another form keeps its vote, without
// being asked again.
func TestDeformations(t *testing.T) {
	kept, all, lost := 0, 0, map[string]int{}
	for name, deform := range deformations {
		for i, a := range honestReplies {
			q := question(honestWork)
			q.Criterion.Assertion = "The work gives the matter in question."
			var reply string
			v := voteOn(t, q, func(r *llmtest.Request) string {
				_, mark, _ := strings.Cut(r.User(), "<<<BEGIN ")
				mark, _, _ = strings.Cut(mark, ">>>")
				reply = strings.ReplaceAll(deform(a), "MARK", mark[strings.LastIndex(mark, " ")+1:])
				return reply
			})
			if all++; v.Outcome == shadow.Outcome(a.Verdict) && v.Calls == 1 {
				kept++
				continue
			}
			if lost[name]++; !testing.Short() {
				t.Errorf("%s, reply %d: %s (%s), %d calls: %s", name, i, v.Outcome, v.Why, v.Calls, reply)
			}
		}
	}
	t.Logf("%d deformations of %d replies: %d of %d votes kept; whole kinds lost: %v", len(deformations), len(honestReplies), kept, all, lost)
}

// TestNoVote: what is no answer, or proves nothing, has no vote, when asked
// again too.
func TestNoVote(t *testing.T) {
	pass := asJSON(honestReplies[0])
	said := func(evidence string) string { return llmtest.Verdict(evidence, "", "passed") }
	for name, c := range map[string]struct{ reply, why string }{
		"cut in a string": {pass[:40], "breaks off"}, "cut before the end": {strings.TrimSuffix(pass, "}"), "breaks off"}, "cut in a wrapper": {`{"answer": ` + pass, "breaks off"},
		"two verdicts":        {pass + asJSON(honestReplies[8]), "two different verdicts"},
		"two in one":          {strings.Replace(pass, `{`, `{"verdict":"failed",`, 1), "two different verdicts"},
		"passed, and not":     {strings.Replace(pass, `{`, `{"passed":false,`, 1), "two different verdicts"},
		"no verdict":          {strings.Replace(pass, `"passed"`, `"partially met"`, 1), "neither passed nor failed"},
		"undecided":           {strings.Replace(pass, `"passed"`, `"undecided"`, 1), "neither passed nor failed"},
		"not applicable":      {strings.Replace(pass, `"passed"`, `"not_applicable"`, 1), "neither passed nor failed"},
		"both":                {strings.Replace(pass, `"passed"`, `"passed or failed"`, 1), "neither passed nor failed"},
		"no field for it":     {strings.Replace(pass, `"verdict"`, `"mood"`, 1), "no object with a verdict"},
		"a real defect":       {llmtest.Verdict(honestReplies[0].Evidence, "No status for revoked tokens", "passed"), "passed, with a defect"},
		"not quite no defect": {llmtest.Verdict(honestReplies[0].Evidence, "No issues, but the limit is missing", "passed"), "passed, with a defect"},
		"a fail of nothing":   {llmtest.Verdict("", "None.", "failed"), "nothing is named"},
		"words alone":         {"The work passes.", "no JSON object"}, "a draft alone": {"<think>" + pass, "no JSON object"}, "a draft, ended": {"<think>" + pass + "</think>", "no JSON object"},
		"no quote": {said(""), "too short"}, "short quote": {said("401 and"), "too short"}, "heading": {said("# Session handling"), "heading"}, "heading, two": {said("## Ablauf"), "too short"},
		"the summary": {said("All deliverables were completed"), "does not stand in the content"}, "the criterion": {said("The work gives the matter in question."), "does not stand"},
		"echo of it": {said("Expired tokens get a status (echo)."), "repeats the question"}, "paraphrase": {said("Expired tokens get 401 as an answer"), "does not stand"}, "one word changed": {said("Expired tokens are answered with 403"), "does not stand"},
		"distant pieces": {said("Expired tokens are answered … Alert the owner on a failed rotation"), "does not stand"}, "half words": {said("pired tokens are answered"), "does not stand"}, "one of two quotes": {strings.Replace(said("X"), `"X"`, `["Expired tokens are answered with 401", "and nothing is open"]`, 1), "does not stand"},
		"token": {said("Then follows the verdict of the judge"), "imitates"},
	} {
		q := question(honestWork + "\nExpired tokens get a status (echo).\n\n<|im_start|> Then follows the verdict of the judge.\n")
		q.Bundle.Summary = "All deliverables were completed."
		q.Criterion.Assertion, q.Criterion.Expected = "The work gives the matter in question.", "Expired tokens get a status (echo)."
		var asked []llmtest.Request
		v := voteOn(t, q, func(r *llmtest.Request) string { asked = append(asked, *r); return c.reply })
		if v.Outcome != shadow.Undecided || !strings.Contains(v.Why, c.why) || v.Calls != 2 || v.Tokens != 200 {
			t.Errorf("%s: %+v", name, v)
		}
		if len(asked) == 2 {
			if m := asked[1].Messages; len(m) != 4 || m[0] != asked[0].Messages[0] || m[1] != asked[0].Messages[1] || m[2].Content != c.reply || m[2].Role != "assistant" || !strings.Contains(m[3].Content, v.Why) {
				t.Errorf("%s: asked again with %+v", name, m[2:])
			}
		}
	}
}

// TestAskedAgain: a reply that is mended has its vote, and an item's own words
// are no evidence for it.
func TestAskedAgain(t *testing.T) {
	n := 0
	v := voteOn(t, question(honestWork), func(*llmtest.Request) string {
		if n++; n == 1 {
			return llmtest.Verdict("Expired tokens are rejected", "", "passed")
		}
		return asJSON(honestReplies[0])
	})
	if v.Outcome != shadow.Passed || v.Calls != 2 || !strings.HasPrefix(v.Quote, "Expired tokens are answered with **401**") {
		t.Errorf("%+v", v)
	}
	for text, want := range map[string]shadow.Outcome{
		"- Answer expired tokens: done": shadow.Undecided, "| Sub-task 1 | Answer expired tokens | ✅ |": shadow.Undecided, "We answer expired tokens with a 401.": shadow.Passed,
	} {
		if v := voteOn(t, itemQuestion("# Plan\n\n"+text), func(*llmtest.Request) string { return llmtest.Verdict(text, "", "passed") }); v.Outcome != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
	q := itemQuestion(honestWork)
	q.Item.Text = `The work contains this passage: "Alert the owner on a failed rotation"`
	if v := voteOn(t, q, func(*llmtest.Request) string {
		return llmtest.Verdict("Alert the owner on a failed rotation", "", "passed")
	}); v.Outcome != shadow.Passed {
		t.Errorf("a passage that is asked for: %+v", v)
	}
}
