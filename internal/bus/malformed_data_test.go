package bus

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// fault is good data with one place replaced by another.
type fault struct {
	name, old, with, message string
}

// faulty are events called name, each with one fault in its data, in the four
// shapes by turns.
func faulty(name string, reason shadow.Reason, faults []fault) []malformed {
	var kinds []malformed
	for i, f := range faults {
		h, body := inShape(i, name, swap(goodData[name], f.old, f.with))
		kinds = append(kinds, malformed{name + ": " + f.name, subjectOf(name), h, body, reason, f.message})
	}
	return kinds
}

const noID = ` is not a name of A-Z, a-z, 0-9, _ and -, at most 64`

// repeated is n times s with commas between.
func repeated(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

func wrongDecompositions() []malformed {
	const name = shadow.DecompositionDone
	kinds := faulty(name, shadow.InvalidData, []fault{
		{"no run_id", `"run_id":"run-1",`, ``, `/run_id: is missing`},
		{"no task", `"task":"Build it",`, ``, `/task: is missing`},
		{"no domains", `"domains":`, `"parts":`, `/domains: is missing`},
		{"requirement without id", `"id":"R-2",`, ``, `/requirements/1/id: is missing`},
		{"requirement without text", `{"id":"R-2","text":"u"}`, `{"id":"R-2"}`, `/requirements/1/text: is missing`},
		{"domain without name", `"domain":"two",`, ``, `/domains/1/domain: is missing`},
		{"domain without commander", `{"domain":"two","commander_id":"cmd-2"}`, `{"domain":"two"}`, `/domains/1/commander_id: is missing`},

		{"run_id a number", `"run-1"`, `1`, `/run_id: is of type number, must be a name`},
		{"scale a number", `"ss-100"`, `100`, `/scale: is of type number, must be one of ss-50`},
		{"task a list", `"Build it"`, `["Build it"]`, `/task: is of type array, must be string`},
		{"task null", `"Build it"`, `null`, `/task: is of type null, must be string`},
		{"specification an object", `"specification":"s"`, `"specification":{}`, `/specification: is of type object, must be null or string`},
		{"specification_truncated a word", `false`, `"no"`, `/specification_truncated: is of type string, must be null or boolean`},
		{"specification_truncated a number", `false`, `0`, `/specification_truncated: is of type number, must be null or boolean`},
		{"requirements an object", `[{"id":"R-1","text":"t"},{"id":"R-2","text":"u"}]`, `{"R-1":"t"}`, `/requirements: is of type object, must be null or array`},
		{"requirement a string", `{"id":"R-2","text":"u"}`, `"u"`, `/requirements/1: is of type string, must be object`},
		{"requirement id a number", `"R-2"`, `2`, `/requirements/1/id: is of type number, must be string`},
		{"requirement text null", `"text":"u"`, `"text":null`, `/requirements/1/text: is of type null, must be string`},
		{"specifier a string", `{"model":"m","family":"f"}`, `"m"`, `/specifier: is of type string, must be null or object`},
		{"model a number", `"model":"m"`, `"model":5.4`, `/specifier/model: is of type number, must be null or string`},
		{"family a list", `"family":"g"`, `"family":["g"]`, `/domains/0/implementer/family: is of type array, must be null or string`},
		{"domains a string", `"domains":[`, `"domains":"one","rest":[`, `/domains: is of type string, must be array`},
		{"domains null", `"domains":[`, `"domains":null,"rest":[`, `/domains: is of type null, must be array`},
		{"domains by name", `"domains":[`, `"domains":{"one":"cmd-1"},"rest":[`, `/domains: is of type object, must be array`},
		{"domain a string", `{"domain":"two","commander_id":"cmd-2"}`, `"two"`, `/domains/1: is of type string, must be object`},
		{"domain name a number", `"two"`, `2`, `/domains/1/domain: is of type number, must be a name`},
		{"commander null", `"cmd-2"`, `null`, `/domains/1/commander_id: is of type null, must be a name`},
		{"several commanders", `"cmd-2"`, `["cmd-2","cmd-3"]`, `/domains/1/commander_id: is of type array, must be a name`},
		{"task_brief a number", `"task_brief":"b"`, `"task_brief":1`, `/domains/0/task_brief: is of type number, must be null or string`},
		{"sub_tasks a string", `["s"]`, `"s"`, `/domains/0/sub_tasks: is of type string, must be null or array`},
		{"sub-task a number", `["s"]`, `["s",2]`, `/domains/0/sub_tasks/1: is of type number, must be string`},
		{"deliverable an object", `["d"]`, `[{"file":"d"}]`, `/domains/0/deliverables/0: is of type object, must be string`},
		{"constraint null", `["c"]`, `["c",null]`, `/domains/0/constraints/1: is of type null, must be string`},
		{"implementer a list", `{"model":"n","family":"g"}`, `["n"]`, `/domains/0/implementer: is of type array, must be null or object`},

		{"no domain at all", `"domains":[`, `"domains":[],"rest":[`, `/domains: has 0 items, at least 1 are needed`},
		{"501 domains", `{"domain":"two","commander_id":"cmd-2"}`, repeated(`{"domain":"d","commander_id":"c"}`, 500), `/domains: has 501 items, at most 500 are allowed`},
		{"2,001 requirements", `{"id":"R-1","text":"t"}`, repeated(`{"id":"R","text":"t"}`, 2000), `/requirements: has 2001 items, at most 2000 are allowed`},
		{"1,001 sub-tasks", `["s"]`, `[` + repeated(`"s"`, 1001) + `]`, `/domains/0/sub_tasks: has 1001 items, at most 1000 are allowed`},
		{"task too long", `"Build it"`, `"` + strings.Repeat("x", 65_537) + `"`, `/task: has 65537 characters, at most 65536 are allowed`},
		{"sub-task too long", `["s"]`, `["` + strings.Repeat("x", 16_385) + `"]`, `/domains/0/sub_tasks/0: has 16385 characters, at most 16384 are allowed`},
		{"requirement id too long", `"R-2"`, `"` + strings.Repeat("R", 129) + `"`, `/requirements/1/id: has 129 characters, at most 128 are allowed`},
		{"model too long", `"model":"m"`, `"model":"` + strings.Repeat("m", 201) + `"`, `/specifier/model: has 201 characters, at most 200 are allowed`},
		{"task empty", `"Build it"`, `""`, `/task: is empty`},
		{"task blank", `"Build it"`, `" \n\t"`, `/task: is empty`},
		{"requirement blank", `"text":"u"`, `"text":" "`, `/requirements/1/text: is empty`},
		{"requirement id empty", `"R-2"`, `""`, `/requirements/1/id: is empty`},
		{"scale of 75", `"ss-100"`, `"ss-75"`, `/scale: "ss-75" is not one of ss-50`},
		{"scale a word", `"ss-100"`, `"large"`, `/scale: "large" is not one of ss-50`},
		{"scale without dash", `"ss-100"`, `"ss100"`, `/scale: "ss100" is not one of ss-50`},
		{"scale with a line break", `"ss-100"`, `"ss-100\n"`, `/scale: "ss-100\n" is not one of ss-50`},
		{"scale with a long s", `"ss-100"`, `"ſs-100"`, `/scale: "ſs-100" is not one of ss-50`},

		{"run_id with a dot", `"run-1"`, `"run.1"`, `/run_id: "run.1"` + noID},
		{"run_id a wildcard", `"run-1"`, `"*"`, `/run_id: "*"` + noID},
		{"run_id empty", `"run-1"`, `""`, `/run_id: ""` + noID},
		{"domain with a space", `"two"`, `"domain two"`, `/domains/1/domain: "domain two"` + noID},
		{"domain a wildcard", `"two"`, `">"`, `/domains/1/domain: ">"` + noID},
		{"commander with a dot", `"cmd-2"`, `"cmd.2"`, `/domains/1/commander_id: "cmd.2"` + noID},

		{"task with a long s", `"task":`, `"ta\u017fk":`, `/taſk: is spelt "task": names are case-sensitive`},
		{"task with a Kelvin sign", `"task":`, "\"tas\u212a\":", "/tas\u212a: is spelt \"task\": names are case-sensitive"},
		{"domains in capitals", `"domains":`, `"DOMAINS":`, `/DOMAINS: is spelt "domains": names are case-sensitive`},
		{"commander_id in camel case of its own", `"commander_id":"cmd-2"`, `"Commander_ID":"cmd-2"`, `/domains/1/Commander_ID: is spelt "commander_id"`},
		{"run_id there twice", `"run_id":"run-1"`, `"run_id":"run-1","run_id":"run-1"`, `/run_id: the name is there twice in one object`},
		{"commander there twice", `"commander_id":"cmd-2"`, `"commander_id":"cmd-2","commander_id":"cmd-1"`, `/domains/1/commander_id: the name is there twice in one object`},

		{"a domain of two commanders", `"two"`, `"one"`, `/domains/1/domain: "one" is there twice: each domain has one commander`},
		{"a requirement id there twice", `"R-2"`, `"R-1"`, `/requirements/1/id: "R-1" is there twice`},
	})
	return append(kinds, faulty(name, shadow.IDMismatch, []fault{
		{"another run", `"run-1"`, `"run-2"`, `the subject names run "run-1", the data run "run-2"`},
		{"the run in another case", `"run-1"`, `"Run-1"`, `the subject names run "run-1", the data run "Run-1"`},
	})...)
}

func wrongBundles() []malformed {
	const name = shadow.BundleComplete
	kinds := faulty(name, shadow.InvalidData, []fault{
		{"no run_id", `"run_id":"run-1",`, ``, `/run_id: is missing`},
		{"no bundle_id", `"bundle_id":"b-one",`, ``, `/bundle_id: is missing`},
		{"no domain", `"domain":"one",`, ``, `/domain: is missing`},
		{"no commander_id", `"commander_id":"cmd-1",`, ``, `/commander_id: is missing`},
		{"no status", `"status":"success",`, ``, `/status: is missing`},
		{"no content", `"content":"words",`, ``, `/content: is missing`},
		{"conflict without description", `"description":"d",`, ``, `/conflicts/0/description: is missing`},
		{"tests without total", `"open_tests":{"total":2,`, `"open_tests":{`, `/open_tests/total: is missing`},
		{"category without passed", `"edge_case":{"total":2,"passed":1,`, `"edge_case":{"total":2,`, `/open_tests/by_category/edge_case/passed: is missing`},

		{"run_id null", `"run-1"`, `null`, `/run_id: is of type null, must be a name`},
		{"bundle_id a number", `"b-one"`, `1`, `/bundle_id: is of type number, must be a name`},
		{"domain a list", `"one"`, `["one","two"]`, `/domain: is of type array, must be a name`},
		{"commander_id an object", `"cmd-1"`, `{"id":"cmd-1"}`, `/commander_id: is of type object, must be a name`},
		{"status true", `"success"`, `true`, `/status: is of type boolean, must be string`},
		{"content a list of lines", `"words"`, `["words"]`, `/content: is of type array, must be string`},
		{"content a number", `"words"`, `1`, `/content: is of type number, must be string`},
		{"content null", `"words"`, `null`, `/content: is of type null, must be string`},
		{"summary a number", `"summary":"s"`, `"summary":1`, `/summary: is of type number, must be null or string`},
		{"atoms a string", `"atoms_merged":3`, `"atoms_merged":"3"`, `/atoms_merged: is of type string, must be null or integer`},
		{"conflicts an object", `[{"description":"d","resolution":"r"}]`, `{}`, `/conflicts: is of type object, must be null or array`},
		{"conflict a string", `{"description":"d","resolution":"r"}`, `"d"`, `/conflicts/0: is of type string, must be object`},
		{"resolution a number", `"resolution":"r"`, `"resolution":0`, `/conflicts/0/resolution: is of type number, must be null or string`},
		{"confidence a word", `0.5`, `"high"`, `/confidence: is of type string, must be null or number`},
		{"confidence true", `0.5`, `true`, `/confidence: is of type boolean, must be null or number`},
		{"wall clock a string", `1.5`, `"1.5 s"`, `/wall_clock_s: is of type string, must be null or number`},
		{"implementer a string", `{"model":"m","family":"f"}`, `"m"`, `/implementer: is of type string, must be null or object`},
		{"tests a list", `"open_tests":{`, `"open_tests":[],"rest":{`, `/open_tests: is of type array, must be null or object`},
		{"tests' total a string", `"open_tests":{"total":2`, `"open_tests":{"total":"2"`, `/open_tests/total: is of type string, must be integer`},
		{"by_category a list", `"by_category":{`, `"by_category":[],"rest":{`, `/open_tests/by_category: is of type array, must be null or object`},
		{"category a number", `"by_category":{`, `"by_category":{"a":1,`, `/open_tests/by_category/a: is of type number, must be object`},

		{"confidence 1.1", `0.5`, `1.1`, `/confidence: 1.1 is above the maximum, 1`},
		{"confidence in percent", `0.5`, `95`, `/confidence: 95 is above the maximum, 1`},
		{"confidence -1", `0.5`, `-1`, `/confidence: -1 is below the minimum, 0`},
		{"confidence just below 0", `0.5`, `-5e-324`, `/confidence: -5e-324 is below the minimum, 0`},
		{"confidence 1e999", `0.5`, `1e999`, `/confidence: 1e999 is out of the range of a 64-bit floating point number`},
		{"wall clock negative", `1.5`, `-1.5`, `/wall_clock_s: -1.5 is below the minimum, 0`},
		{"wall clock huge", `1.5`, `1e300`, `/wall_clock_s: 1e+300 is above the maximum, 1000000000`},
		{"atoms a fraction", `"atoms_merged":3`, `"atoms_merged":3.5`, `/atoms_merged: 3.5 must be an integer, written without fraction and exponent`},
		{"atoms with a fraction of zero", `"atoms_merged":3`, `"atoms_merged":3.0`, `/atoms_merged: 3.0 must be an integer`},
		{"atoms with an exponent", `"atoms_merged":3`, `"atoms_merged":3e2`, `/atoms_merged: 3e2 must be an integer`},
		{"atoms negative", `"atoms_merged":3`, `"atoms_merged":-3`, `/atoms_merged: -3 is below the minimum, 0`},
		{"atoms of 20 digits", `"atoms_merged":3`, `"atoms_merged":99999999999999999999`, `/atoms_merged: 1e+20 is above the maximum, 1000000000`},
		{"atoms of 400 digits", `"atoms_merged":3`, `"atoms_merged":` + strings.Repeat("9", 400), `/atoms_merged: ` + strings.Repeat("9", 60) + `… is out of the range`},
		{"tests failed negative", `"open_tests":{"total":2,"passed":1,"failed":1`, `"open_tests":{"total":2,"passed":1,"failed":-1`, `/open_tests/failed: -1 is below the minimum, 0`},

		{"status unknown", `"success"`, `"done"`, `/status: "done" is none of "success", "partial", "failed"`},
		{"status in capitals", `"success"`, `"SUCCESS"`, `/status: "SUCCESS" is none of`},
		{"status empty", `"success"`, `""`, `/status: "" is none of`},
		{"status with white space", `"success"`, `" success"`, `/status: " success" is none of`},

		{"bundle_id empty", `"b-one"`, `""`, `/bundle_id: ""` + noID},
		{"bundle_id with a slash", `"b-one"`, `"../one"`, `/bundle_id: "../one"` + noID},
		{"bundle_id of 65", `"b-one"`, `"` + strings.Repeat("b", 65) + `"`, `/bundle_id: "` + strings.Repeat("b", 60) + `…"` + noID},
		{"bundle_id with NUL", `"b-one"`, `"b\u0000one"`, `/bundle_id: "b\x00one"` + noID},
		{"bundle_id with a line break at the end", `"b-one"`, `"b-one\n"`, `/bundle_id: "b-one\n"` + noID},
		{"bundle_id with markup", `"b-one"`, `"<b>one</b>"`, `/bundle_id: "<b>one</b>"` + noID},
		{"domain with a wildcard", `"one"`, `"one.*"`, `/domain: "one.*"` + noID},
		{"domain in Cyrillic look-alikes", `"one"`, `"оne"`, `/domain: "оne"` + noID},
		{"domain in full-width letters", `"one"`, `"ｏｎｅ"`, `/domain: "ｏｎｅ"` + noID},
		{"domain with an accent", `"one"`, `"one\u0301"`, noID},
		{"domain with a zero-width space", `"one"`, `"one\u200b"`, `/domain: "one\u200b"` + noID},
		{"domain with a tab", `"one"`, `"one\t"`, `/domain: "one\t"` + noID},
		{"commander_id with a direction mark", `"cmd-1"`, `"\u202ecmd-1"`, `/commander_id: "\u202ecmd-1"` + noID},
		{"commander_id with a dollar sign", `"cmd-1"`, `"$JS"`, `/commander_id: "$JS"` + noID},
		{"commander_id percent-encoded", `"cmd-1"`, `"cmd%2D1"`, `/commander_id: "cmd%2D1"` + noID},
		{"run_id with white space around", `"run-1"`, `" run-1 "`, `/run_id: " run-1 "` + noID},
		{"run_id with an emoji", `"run-1"`, `"run-\ud83d\ude00"`, `/run_id: "run-😀"` + noID},

		{"content there twice", `"content":"words"`, `"content":"words","content":"other"`, `/content: the name is there twice in one object`},
		{"content there twice, escaped", `"content":"words"`, `"content":"words","c\u006fntent":"other"`, `/content: the name is there twice in one object`},
		{"content in two cases", `"content":"words"`, `"content":"words","Content":"other"`, `/Content: is spelt "content": names are case-sensitive`},
		{"content in another case", `"content":"words"`, `"Content":"words"`, `/Content: is spelt "content": names are case-sensitive`},
		{"status with a long s", `"status":`, `"\u017ftatus":`, `/ſtatus: is spelt "status": names are case-sensitive`},
		{"wall_clock_s with a Kelvin sign", `"wall_clock_s"`, "\"wall_cloc\u212a_s\"", `is spelt "wall_clock_s": names are case-sensitive`},
		{"a vendor's field there twice", `"summary":"s"`, `"x":{"a":1,"a":2}`, `/x/a: the name is there twice in one object`},
		{"half a surrogate pair", `"words"`, `"\ud800"`, "byte 107: /content: invalid surrogate pair `\\ud800\",\"sum`"},
		{"the other half", `"words"`, `"\udc00 words"`, `byte 107: /content: invalid surrogate pair "\\udc00 words"`},
		{"surrogates in the wrong order", `"words"`, `"\udc00\ud800"`, "byte 107: /content: invalid surrogate pair `\\udc00\\ud800`"},
		{"half a surrogate pair in a name", `"summary":"s"`, `"\ud800":1`, "byte 115: invalid surrogate pair `\\ud800\":1,\"a`"},
		{"data of an event in the data", `"words"`, `{"data":"words"}`, `/content: is of type object, must be string`},
		{"hostile names", `"run_id":"run-1",`, `"\u001b[31m\u202e":1,`, `/run_id: is missing`},

		{"summary too long", `"summary":"s"`, `"summary":"` + strings.Repeat("s", 65_537) + `"`, `/summary: has 65537 characters, at most 65536 are allowed`},
		{"1,001 conflicts", `{"description":"d","resolution":"r"}`, repeated(`{"description":"d"}`, 1001), `/conflicts: has 1001 items, at most 1000 are allowed`},
		{"101 categories", `"by_category":{"edge_case":`, manyCategories(100) + `"edge_case":`, `/open_tests/by_category: has 101 fields, at most 100 are allowed`},
		{"twenty faults", `"bundle_id":"b-one","domain":"one","commander_id":"cmd-1","status":"success"`, `"bundle_id":" ","domain":" ","commander_id":" ","status":" "`, `/bundle_id: " "` + noID},
	})
	kinds = append(kinds, faulty(name, shadow.TooLarge, []fault{
		{"content too large", `"words"`, `"` + strings.Repeat("x", 64<<10+1) + `"`, `the bundle's content has 65537 bytes, 65536 are allowed`},
		{"content of many bytes a character", `"words"`, `"` + strings.Repeat("😀", 16<<10) + `x"`, `the bundle's content has 65537 bytes, 65536 are allowed`},
		{"content escaped", `"words"`, `"` + strings.Repeat(`\u20ac`, 22_000) + `"`, `the bundle's content has 66000 bytes, 65536 are allowed`},
	})...)
	return append(kinds, faulty(name, shadow.IDMismatch, []fault{
		{"another run", `"run-1"`, `"run-2"`, `the subject names run "run-1", the data run "run-2"`},
		{"another commander", `"cmd-1"`, `"cmd-2"`, `the subject names commander "cmd-1", the data commander "cmd-2"`},
		{"the commander in another case", `"cmd-1"`, `"CMD-1"`, `the subject names commander "cmd-1", the data commander "CMD-1"`},
		{"run and commander exchanged", `"run_id":"run-1","bundle_id":"b-one","domain":"one","commander_id":"cmd-1"`,
			`"run_id":"cmd-1","bundle_id":"b-one","domain":"one","commander_id":"run-1"`, `the subject names run "run-1", the data run "cmd-1"`},
	})...)
}

func manyCategories(n int) string {
	var b strings.Builder
	b.WriteString(`"by_category":{`)
	for i := range n {
		fmt.Fprintf(&b, `"c%d":{"total":1,"passed":1,"failed":0},`, i)
	}
	return b.String()
}

func wrongFixes() []malformed {
	const name, outer, inner = shadow.FixSubmitted, `"cmd-1","cycle":1`, `"bundle":{"bundle_id":"b-one","domain":"one","commander_id":"cmd-1"`
	kinds := faulty(name, shadow.InvalidData, []fault{
		{"no run_id", `"run_id":"run-1",`, ``, `/run_id: is missing`},
		{"no bundle_id", `"run-1","bundle_id":"b-one",`, `"run-1",`, `/bundle_id: is missing`},
		{"no domain", `"b-one","domain":"one","commander_id":` + outer, `"b-one","commander_id":` + outer, `/domain: is missing`},
		{"no commander_id", `"commander_id":` + outer, `"cycle":1`, `/commander_id: is missing`},
		{"no cycle", `"cycle":1,`, ``, `/cycle: is missing`},
		{"no bundle", `"bundle":{`, `"rest":{`, `/bundle: is missing`},
		{"bundle without bundle_id", inner, `"bundle":{"domain":"one","commander_id":"cmd-1"`, `/bundle/bundle_id: is missing`},
		{"bundle without domain", inner, `"bundle":{"bundle_id":"b-one","commander_id":"cmd-1"`, `/bundle/domain: is missing`},
		{"bundle without commander_id", inner, `"bundle":{"bundle_id":"b-one","domain":"one"`, `/bundle/commander_id: is missing`},
		{"bundle without status", `"status":"success",`, ``, `/bundle/status: is missing`},
		{"bundle without content", `"content":"words",`, ``, `/bundle/content: is missing`},
		{"bundle without anything", `"bundle":{`, `"bundle":{},"rest":{`, `/bundle/bundle_id: is missing`},
		{"bundle null", `"bundle":{`, `"bundle":null,"rest":{`, `/bundle: is of type null, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle`},
		{"bundle a string", `"bundle":{`, `"bundle":"words","rest":{`, `/bundle: is of type string, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle`},
		{"bundle a list", `"bundle":{`, `"bundle":[],"rest":{`, `/bundle: is of type array, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle`},
		{"bundle there twice", `"bundle":{`, `"bundle":{},"bundle":{`, `/bundle: the name is there twice in one object`},

		{"cycle 0", `"cycle":1`, `"cycle":0`, `/cycle: 0 is below the minimum, 1`},
		{"cycle -0", `"cycle":1`, `"cycle":-0`, `/cycle: 0 is below the minimum, 1`},
		{"cycle negative", `"cycle":1`, `"cycle":-1`, `/cycle: -1 is below the minimum, 1`},
		{"cycle too large", `"cycle":1`, `"cycle":1000001`, `/cycle: 1000001 is above the maximum, 1000000`},
		{"cycle of 65 bits", `"cycle":1`, `"cycle":18446744073709551617`, `/cycle: 1.8446744073709552e+19 is above the maximum, 1000000`},
		{"cycle 1.0", `"cycle":1`, `"cycle":1.0`, `/cycle: 1.0 must be an integer, written without fraction and exponent`},
		{"cycle 1.5", `"cycle":1`, `"cycle":1.5`, `/cycle: 1.5 must be an integer, written without fraction and exponent`},
		{"cycle 1e0", `"cycle":1`, `"cycle":1e0`, `/cycle: 1e0 must be an integer, written without fraction and exponent`},
		{"cycle 1e999", `"cycle":1`, `"cycle":1e999`, `/cycle: 1e999 is out of the range`},
		{"cycle a string", `"cycle":1`, `"cycle":"1"`, `/cycle: is of type string, must be integer`},
		{"cycle true", `"cycle":1`, `"cycle":true`, `/cycle: is of type boolean, must be integer`},
		{"cycle null", `"cycle":1`, `"cycle":null`, `/cycle: is of type null, must be integer`},
		{"cycle a list", `"cycle":1`, `"cycle":[1]`, `/cycle: is of type array, must be integer`},
		{"cycle there twice", `"cycle":1`, `"cycle":1,"cycle":2`, `/cycle: the name is there twice in one object`},
		{"cycle in another case", `"cycle":1`, `"Cycle":1`, `/Cycle: is spelt "cycle": names are case-sensitive`},

		{"run_id with a wildcard", `"run-1"`, `"run-*"`, `/run_id: "run-*"` + noID},
		{"inner domain with a dot", inner, strings.Replace(inner, `"one"`, `"one.two"`, 1), `/bundle/domain: "one.two"` + noID},
		{"inner status unknown", `"success"`, `"fixed"`, `/bundle/status: "fixed" is none of`},
		{"inner content null", `"words"`, `null`, `/bundle/content: is of type null, must be string`},
		{"inner confidence above 1", `0.5`, `2`, `/bundle/confidence: 2 is above the maximum, 1`},
		{"inner content with half a surrogate pair", `"words"`, `"\ud83d"`, "byte 185: /bundle/content: invalid surrogate pair `\\ud83d\",\"sum`"},

		{"another bundle_id inside", inner, strings.Replace(inner, `"b-one"`, `"b-two"`, 1), `/bundle_id: is "b-one", but in bundle it is "b-two": send the same id in both`},
		{"another domain inside", inner, strings.Replace(inner, `"one"`, `"two"`, 1), `/domain: is "one", but in bundle it is "two": send the same id in both`},
		{"another commander inside", inner, strings.Replace(inner, `"cmd-1"`, `"cmd-2"`, 1), `/commander_id: is "cmd-1", but in bundle it is "cmd-2": send the same id in both`},
		{"another commander outside", `"commander_id":` + outer, `"commander_id":"cmd-2","cycle":1`, `/commander_id: is "cmd-2", but in bundle it is "cmd-1": send the same id in both`},
		{"a domain in another case inside", inner, strings.Replace(inner, `"one"`, `"One"`, 1), `/domain: is "one", but in bundle it is "One"`},
	})
	kinds = append(kinds, faulty(name, shadow.TooLarge, []fault{
		{"content too large", `"words"`, `"` + strings.Repeat("x", 64<<10+1) + `"`, `the bundle's content has 65537 bytes, 65536 are allowed`},
	})...)
	kinds = append(kinds, faulty(name, shadow.IDMismatch, []fault{
		{"another run", `"run-1"`, `"run-2"`, `the subject names run "run-1", the data run "run-2"`},
	})...)
	// In both places, so that they agree with each other.
	h, body := inShape(2, name, strings.ReplaceAll(goodFix, `"cmd-1"`, `"cmd-2"`))
	return append(kinds, malformed{name + ": a colleague's", subjectOf(name), h, body, shadow.IDMismatch, `the subject names commander "cmd-1", the data commander "cmd-2"`})
}
