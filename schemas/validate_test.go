package schemas

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Inputs with every field that the schemas know, by event.
var full = map[string]string{
	"decomposition-done": `{"run_id":"r1","scale":"SS-100","task":"Do it","specification":"All of it","specification_truncated":true,
		"requirements":[{"id":"R-1","text":"It must work"}],"specifier":{"model":"m","family":"f"},
		"domains":[{"domain":"api","commander_id":"c1","task_brief":"b","sub_tasks":["s"],"deliverables":["d"],"constraints":["k"],"implementer":{"model":"m","family":"f"}}]}`,
	"bundle-complete": `{"run_id":"r1",` + fullBundle,
	"fix-submitted":   `{"run_id":"r1","bundle_id":"b1","domain":"api","commander_id":"c1","cycle":1,"bundle":{` + fullBundle + `}`,
	"report-reviewed": `{"run_id":"r1","domain":"api","by":"anna","cycle":1,"report_digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","verdict":"items",
		"found":[{"about":"sub-task 1","state":"missing","line":3,"because":"b"}],"because":"b"}`,
}

const fullBundle = `"bundle_id":"b1","domain":"api","commander_id":"c1","status":"partial","summary":"s","atoms_merged":3,
	"conflicts":[{"description":"d","resolution":"r"}],"content":"# Work\n","delivery":[{"item":"brief","quote":"q"}],"confidence":0.5,"wall_clock_s":1.5,
	"implementer":{"model":"m","family":"f"},
	"open_tests":{"total":2,"passed":1,"failed":1,"by_category":{"happy_path":{"total":2,"passed":1,"failed":1}}}}`

func TestValidInputs(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for _, tt := range []struct{ name, event, data string }{
		{"full", "decomposition-done", full["decomposition-done"]},
		{"full", "bundle-complete", full["bundle-complete"]},
		{"full", "fix-submitted", full["fix-submitted"]},
		{"full", "report-reviewed", full["report-reviewed"]},
		{"least", "decomposition-done", `{"run_id":"r","task":"t","domains":[{"domain":"d","commander_id":"c"}]}`},
		{"default scale", "decomposition-done", `{"run_id":"r","scale":"","task":"t","domains":[{"domain":"d","commander_id":"c"}]}`},
		{"null for everything optional", "decomposition-done", `{"run_id":"r","task":"t","scale":null,"specification":null,"specification_truncated":null,"requirements":null,"specifier":null,
			"domains":[{"domain":"d","commander_id":"c","task_brief":null,"sub_tasks":null,"deliverables":null,"constraints":null,"implementer":{"model":null,"family":null}}]}`},
		{"500 domains", "decomposition-done", `{"run_id":"r","task":"t","domains":[` + manyDomains(500) + `]}`},
		{"least", "bundle-complete", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"failed","content":""}`},
		{"null for everything optional", "bundle-complete", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success","content":"x","summary":null,"atoms_merged":null,"conflicts":null,"confidence":null,"wall_clock_s":null,"implementer":null,"open_tests":null}`},
		{"longest content", "bundle-complete", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success","content":"` + long + `"}`},
		{"vendor's fields", "bundle-complete", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success","content":"x","x_trace":{"Run_ID":1,"a":[1e308,-0.0,null,"\ud83d\ude00"]}}`},
		{"white space", "bundle-complete", " {\n\t\"run_id\" : \"r\" , \"bundle_id\":\"b\",\"domain\":\"d\",\"commander_id\":\"c\",\"status\":\"success\",\"content\":\"x\",\"a\":[ ],\"b\":{ }, \"c\" : [ 1 , 2 ]\r\n} \n"},
		{"longest ids", "bundle-complete", `{"run_id":"` + strings.Repeat("r", 64) + `","bundle_id":"b","domain":"d","commander_id":"c","status":"success","content":"x"}`},
	} {
		t.Run(tt.event+"/"+tt.name, func(t *testing.T) {
			if err := agree(t, tt.event, []byte(tt.data)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInvalidInputs(t *testing.T) {
	// bundle puts a piece of JSON into an otherwise valid bundle.
	bundle := func(piece string) string {
		return `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success",` + piece + `}`
	}
	decomposition := func(piece string) string { return `{"run_id":"r","task":"t",` + piece + `}` }
	const content = `"content":"x"`
	for _, tt := range []struct{ event, data, want string }{
		{"decomposition-done", `{}`, `/domains: is missing; /run_id: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; /task: is missing`},
		{"decomposition-done", decomposition(`"domains":[]`), `/domains: has 0 items, at least 1 are needed`},
		{"decomposition-done", decomposition(`"domains":null`), `/domains: is of type null, must be array`},
		{"decomposition-done", decomposition(`"domains":[` + strings.Repeat(`{"domain":"d","commander_id":"c"},`, 500) + `{"domain":"d","commander_id":"c"}]`), `/domains: has 501 items, at most 500 are allowed`},
		{"decomposition-done", decomposition(`"domains":[{"domain":"a","commander_id":"a"},{"domain":"b","commander_id":"b"},{"domain":"c","commander_id":"cmd arch"}]`), `/domains/2/commander_id: "cmd arch" is not a name of A-Z, a-z, 0-9, _ and -, at most 64`},
		{"decomposition-done", decomposition(`"domains":["a"]`), `/domains/0: is of type string, must be object`},
		{"decomposition-done", `{"run_id":"r","task":" \n","domains":[{"domain":"d","commander_id":"c"}]}`, `/task: is empty`},
		{"decomposition-done", decomposition(`"scale":"ss-75","domains":[{"domain":"d","commander_id":"c"}]`), `/scale: "ss-75" is not one of ss-50, ss-100 and ss-250`},
		{"decomposition-done", decomposition(`"requirements":[{"id":"R-1"}],"domains":[{"domain":"d","commander_id":"c"}]`), `/requirements/0/text: is missing`},
		{"bundle-complete", `[]`, `is of type array, must be object`},
		{"bundle-complete", `null`, `is of type null, must be object`},
		{"bundle-complete", `"run_id"`, `is of type string, must be object`},
		{"bundle-complete", bundle(`"content":null`), `/content: is of type null, must be string`},
		{"bundle-complete", bundle(`"content":"` + strings.Repeat("x", 1<<20+1) + `"`), `/content: has 1048577 characters, at most 1048576 are allowed`},
		{"bundle-complete", bundle(content + `,"confidence":1.01`), `/confidence: 1.01 is above the maximum, 1`},
		{"bundle-complete", bundle(content + `,"confidence":-1e-300`), `/confidence: -1e-300 is below the minimum, 0`},
		{"bundle-complete", bundle(content + `,"confidence":"high"`), `/confidence: is of type string, must be null or number`},
		{"bundle-complete", bundle(content + `,"atoms_merged":1.5`), `/atoms_merged: 1.5 must be an integer, written without fraction and exponent`},
		{"bundle-complete", bundle(content + `,"atoms_merged":1e3`), `/atoms_merged: 1e3 must be an integer, written without fraction and exponent`},
		{"bundle-complete", bundle(content + `,"atoms_merged":99999999999999999999`), `/atoms_merged: 1e+20 is above the maximum, 1000000000`},
		{"bundle-complete", bundle(content + `,"conflicts":[{}]`), `/conflicts/0/description: is missing`},
		{"bundle-complete", bundle(content + `,"open_tests":{"total":1}`), `/open_tests/failed: is missing; /open_tests/passed: is missing`},
		{"bundle-complete", bundle(content + `,"open_tests":{"total":1,"passed":1,"failed":0,"by_category":{"a/b~":{"total":1}}}`), `/open_tests/by_category/a~1b~0/failed: is missing; /open_tests/by_category/a~1b~0/passed: is missing`},
		{"bundle-complete", `{"run_id":"` + strings.Repeat("r", 65) + `","bundle_id":"","domain":"d.e","commander_id":"c*","status":"done","content":1}`,
			`/bundle_id: "" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; /commander_id: "c*" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; /content: is of type number, must be string; /domain: "d.e" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; /run_id: "` + strings.Repeat("r", 60) + `…" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; and 1 more`},
		{"bundle-complete", `{"run_id":"r\n","bundle_id":"b","domain":"d","commander_id":"\u202ec","status":"done","content":""}`,
			`/commander_id: "\u202ec" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; /run_id: "r\n" is not a name of A-Z, a-z, 0-9, _ and -, at most 64; /status: "done" is none of "success", "partial", "failed"`},
		{"fix-submitted", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","cycle":0,"bundle":{}}`,
			`/cycle: 0 is below the minimum, 1; /bundle/bundle_id: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; /bundle/commander_id: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; /bundle/content: is missing; /bundle/domain: is missing, must be a name of A-Z, a-z, 0-9, _ and -, at most 64; and 1 more`},
		{"fix-submitted", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","cycle":"1","bundle":null}`, `/bundle: is of type null, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle; /cycle: is of type string, must be integer`},
		{"heartbeat", `{}`, `not an event of shadowd: "heartbeat"`},
		{"../go", `{}`, `not an event of shadowd: "../go"`},
	} {
		refused(t, tt.event, tt.data, tt.want)
	}
}

func TestStrictJSON(t *testing.T) {
	wrap := func(piece string) string {
		return `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success","content":"x","x":` + piece + `}`
	}
	// What nobody reads may be as a vendor likes it.
	for _, piece := range []string{strings.Repeat("[", 999) + strings.Repeat("]", 999), manyFields(1001), "-1e400", `{"Aa":1,"aA":2}`} {
		if err := shadow.Validate("bundle-complete", []byte(wrap(piece))); err != nil {
			t.Errorf("%.40s: %v", piece, err)
		}
	}
	for _, tt := range []struct{ data, want string }{
		{"", "the data is empty: a JSON object is expected"},
		{" \n", "the data is empty: a JSON object is expected"},
		{"hello", "not JSON at byte 1: invalid character 'h' at start of value"},
		{`{"run_id":`, "not JSON at byte 11: /run_id: unexpected EOF"},
		{`{} {}`, "not JSON at byte 3: something stands behind the value"},
		{`{"a":1,}`, "not JSON at byte 7: invalid character ',' at start of value"},
		{"\xef\xbb\xbf{}", `not JSON at byte 1: invalid character '\ufeff' at start of value`},
		{wrap(`NaN`), "invalid character 'N' at start of value"},
		{wrap(`01`), "invalid character '1' after object value"},
		{wrap("\"a\nb\""), `invalid character '\n' in string`},
		{"{\"a\":\"\xff\"}", "not JSON at byte 7: /a: invalid UTF-8"},
		{"{\"a\":\"\xed\xa0\x80\"}", "not JSON at byte 7: /a: invalid UTF-8"},
		{wrap(`"\ud800"`), "invalid surrogate pair `\\ud800\"}` in string: write both halves, or the character itself"},
		{wrap(`["a", "\ud83d\u0041"]`), "invalid surrogate pair `\\ud83d\\u0041` in string: write both halves"},
		{wrap(`"\ud83d\\ude00"`), "invalid surrogate pair `\\ud83d\\"},
		{wrap(`"\\\udc00"`), "invalid surrogate pair `\\udc00\"}`"},
		{wrap(`{"\ud800":1}`), "invalid surrogate pair `\\ud800\":1}"},
		{wrap(`1,"run_id":"s"`), "/run_id: the name is there twice in one object"},
		{wrap(`1,"run\u005fid":"s"`), "/run_id: the name is there twice in one object"},
		{wrap(`1,"Run_ID":"s"`), `/Run_ID: is spelt "run_id": names are case-sensitive`},
		{wrap("1," + strings.Trim(manyFields(1001), "{}")), "is the 1001. field that nobody reads: too many"},
		{wrap(`1,"\u017fummary":"s"`), `/ſummary: is spelt "summary": names are case-sensitive`},
		{wrap(`{"a":1,"a":2}`), "/x/a: the name is there twice in one object"},
	} {
		refused(t, "bundle-complete", tt.data, tt.want)
	}
}

// manyDomains are the entries of n domains.
func manyDomains(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"domain":"d%d","commander_id":"c"}`, i))
	}
	return strings.Join(all, ",")
}

// manyFields is an object with n fields.
func manyFields(n int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// refused expects an error that holds want and is fit to be published.
func refused(t *testing.T, event, data, want string) {
	t.Helper()
	err := agree(t, event, []byte(data))
	if err == nil {
		t.Errorf("%s: %.100q is valid, want the error %q", event, data, want)
		return
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %.100q: got the error\n%s\nwant\n%s", event, data, err, want)
	}
	publishable(t, err)
}

// publishable says whether an error may be logged and published.
func publishable(t *testing.T, err error) {
	t.Helper()
	s := err.Error()
	if len(s) > 4096 || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("error of %d bytes is too long or not printable: %.300q", len(s), s)
	}
}

// A hostile event cannot make an error long or illegible.
func TestErrorsAreBounded(t *testing.T) {
	evil := strings.Repeat("\x1b[31m\u202e\U0001f4a9", 1000)
	name, _ := json.Marshal(evil)
	deep := strings.Repeat(`{`+string(name)+`:`, 60)
	for _, data := range []string{
		`{"run_id":` + string(name) + `}`,
		`{"run_id":[` + strings.Repeat(string(name)+",", 1000) + `1]}`,
		deep + `1e999` + strings.Repeat("}", 60),
		`{"open_tests":{"by_category":{` + string(name) + `:{},"b":{},"c":{}}}}`,
		`{` + string(name) + `:1,` + string(name) + `:1}`,
	} {
		err := shadow.Validate("bundle-complete", []byte(data))
		if err == nil {
			t.Fatalf("%.100q is valid", data)
		}
		publishable(t, err)
	}
	var lines []string
	for range 500 {
		lines = append(lines, `{"domain":"`+strings.Repeat(" ", 1000)+`"}`)
	}
	data := []byte(`{"run_id":"r","task":"t","domains":[` + strings.Join(lines, ",") + `]}`)
	first := shadow.Validate("decomposition-done", data)
	publishable(t, first)
	if !strings.HasSuffix(first.Error(), "; and 995 more") {
		t.Errorf("got %v", first)
	}
	for range 3 {
		if again := shadow.Validate("decomposition-done", data); again.Error() != first.Error() {
			t.Fatalf("the error differs:\n%v\n%v", first, again)
		}
	}
}

// Every known name, at every place, is refused in another case; encoding/json
// would take it.
func TestKnownNamesInAnotherCase(t *testing.T) {
	for event, text := range full {
		var v map[string]any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		n := 0
		eachName(v, func(o map[string]any, name string) {
			if name == "happy_path" { // a key of a map, not a field
				return
			}
			n++
			value := o[name]
			delete(o, name)
			o[strings.ToUpper(name)] = value
			data, _ := json.Marshal(v)
			refused(t, event, string(data), `: is spelt "`+name+`": names are case-sensitive`)
			delete(o, strings.ToUpper(name))
			o[name] = value
		})
		if n < 12 {
			t.Errorf("%s: only %d names tried", event, n)
		}
	}
}

func eachName(v any, do func(o map[string]any, name string)) {
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		for _, name := range names {
			do(v, name)
			eachName(v[name], do)
		}
	case []any:
		for _, item := range v {
			eachName(item, do)
		}
	}
}

// The events of a run are valid. The run is a real one, or where that is not
// at hand one of our own.
func TestRun(t *testing.T) {
	file, err := os.Open("../../shared/runs/jwt-ss100.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.Open("testdata/run.jsonl")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var line struct {
			Event struct {
				Type string
				Data json.RawMessage
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(line.Event.Type, "dev.swarmspeed."), ".v1")
		if err := agree(t, name, line.Event.Data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := lines.Err(); err != nil || n < 3 {
		t.Errorf("%d events, %v", n, err)
	}
}

func TestValidateConcurrently(t *testing.T) {
	bad := bytes.Replace([]byte(full["bundle-complete"]), []byte("partial"), []byte("done"), 1)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				for event, text := range full {
					if err := shadow.Validate(event, []byte(text)); err != nil {
						t.Error(err)
					}
				}
				if shadow.Validate("bundle-complete", bad) == nil {
					t.Error("a bad bundle is valid")
				}
			}
		})
	}
	wg.Wait()
}

// TestIgnored: fields that no schema knows are listed, each once, and as many as
// fit a notice.
func TestIgnored(t *testing.T) {
	const head = `{"run_id": "r", "task": "t", `
	many := head
	for i := range 30 {
		many += fmt.Sprintf(`"vendor%02d": 1, `, i)
	}
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{"decomposition-done", head + `"domains": [{"domain": "d", "commander_id": "c"}]}`, nil},
		{"decomposition-done", head + `"owner": {"name": "x"}, "specifier": null, "domains": [{"domain": "d", "commander_id": "c", "prio/rity": 1}, {"domain": "e", "commander_id": "c", "prio/rity": 2, "implementer": {"seat": 1}}]}`,
			[]string{"/domains/*/implementer/seat", "/domains/*/prio~1rity", "/owner"}},
		{"bundle-complete", `{"run_id": "r", "bundle_id": "b", "domain": "d", "commander_id": "c", "status": "success", "content": "x", "\u001b[31m": 1, "open_tests": {"total": 1, "passed": 1, "failed": 0, "by_category": {"edge_case": {"total": 1, "passed": 1, "failed": 0, "flaky": 1}}}}`,
			[]string{`/\x1b[31m`, "/open_tests/by_category/edge_case/flaky"}},
		{"fix-submitted", `{"run_id": "r", "bundle_id": "b", "domain": "d", "commander_id": "c", "cycle": 1, "bundle": {"bundle_id": "b", "domain": "d", "commander_id": "c", "status": "success", "content": "x", "mood": "good"}}`, []string{"/bundle/mood"}},
		{"decomposition-done", many + `"domains": [{"domain": "d", "commander_id": "c"}]}`, nil},
	} {
		_, got, err := shadow.Decode(c.name, []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c.data, many) {
			if len(got) != 21 || got[20] != "and 10 more unknown fields" {
				t.Errorf("of 30 fields: %q", got)
			}
			continue
		}
		for i := range c.want {
			c.want[i] += ": is unknown, and nobody reads it"
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.data, diff)
		}
	}
}

// TestMisspelt: a field that is near to one which is not there is refused, and
// not lost in silence. Others are somebody else's.
func TestMisspelt(t *testing.T) {
	const head = `{"run_id": "r", "task": "t", "domains": [{"domain": "d", "commander_id": "c", `
	for data, want := range map[string]string{
		head + `"subTasks": ["Write it"]}]}`:                              "/domains/0/subTasks: is unknown (did you mean sub_tasks?)",
		head + `"subtasks": ["Write it"]}]}`:                              "/domains/0/subtasks: is unknown (did you mean sub_tasks?)",
		head + `"sub_tasks": ["Write it"]}], "specfication": "s"}`:        "/specfication: is unknown (did you mean specification?)",
		head + `"sub_tasks": ["Write it"], "owner": "x"}], "trace": "y"}`: "",
		head + `"sub_tasks": ["Write it"], "sub_task": "x"}]}`:            "",
	} {
		err := shadow.Validate("decomposition-done", []byte(data))
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
	fix := `{"run_id": "r", "bundle_id": "b", "domain": "d", "commander_id": "c", "cycle": 1, "status": "success", "content": "x"}`
	if err := shadow.Validate("fix-submitted", []byte(fix)); err == nil || !strings.Contains(err.Error(), "/bundle: is missing, must be an object with the whole bundle") {
		t.Errorf("a fix like a bundle: %v", err)
	}
}

// An event of wrong values or of too many takes little memory, however many
// these are.
func TestManyProblemsTakeLittle(t *testing.T) {
	const many = "/conflicts: has 50001 items, at most 1000 are allowed; "
	sub := `{"sub_tasks":[` + strings.Repeat("1,", 999) + `1]}`
	for _, c := range []struct{ event, data, err string }{
		{"bundle-complete", `{"conflicts":[` + strings.Repeat("{},", 50_000) + `{}]}`, many},
		{"bundle-complete", `{"conflicts":[` + strings.Repeat("1,", 50_000) + `{}]}`, many},
		{"decomposition-done", `{"domains":[` + strings.Repeat(sub+",", 99) + sub + `]}`, "and 100197 more"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := shadow.Validate(c.event, []byte(c.data))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("got %v, want %s", err, c.err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 50*uint64(len(c.data)) {
			t.Errorf("%s: %d bytes for an event of %d", c.err, n, len(c.data))
		}
	}
}
