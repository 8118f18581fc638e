package schemas

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

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

// bundle puts a piece of JSON into an otherwise valid bundle, and decomposition into
// the beginning of a decomposition.
func bundle(piece string) string {
	return `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","status":"success",` + piece + `}`
}

func decomposition(piece string) string { return `{"run_id":"r","task":"t",` + piece + `}` }

const (
	content   = `"content":"x"`
	domains   = `"domains":[{"domain":"d","commander_id":"c"}]`
	oneDomain = `{"domain":"d%d","commander_id":"c"}`
)

// TestInputs: what is wrong is told in a few words, up to five of them.
func TestInputs(t *testing.T) {
	const id = ` is not a name of A-Z, a-z, 0-9, _ and -, at most 64`
	for _, tt := range []struct{ event, data, want string }{
		{"decomposition-done", decomposition(domains), ""},
		{"decomposition-done", decomposition(`"scale":"",` + domains), ""},
		{"decomposition-done", decomposition(`"scale":null,"specification":null,"specification_truncated":null,"requirements":null,"specifier":null,
			"domains":[{"domain":"d","commander_id":"c","task_brief":null,"sub_tasks":null,"deliverables":null,"constraints":null,"implementer":{"model":null,"family":null}}]`), ""},
		{"decomposition-done", decomposition(`"domains":[` + many(500, oneDomain) + `]`), ""},
		{"decomposition-done", decomposition(`"domains":[` + many(501, oneDomain) + `]`), `/domains: has 501 items, at most 500 are allowed`},
		{"decomposition-done", decomposition(`"domains":[]`), `/domains: has 0 items, at least 1 are needed`},
		{"decomposition-done", decomposition(`"domains":null`), `/domains: is of type null, must be array`},
		{"decomposition-done", decomposition(`"domains":[{"domain":"a","commander_id":"a"},{"domain":"b","commander_id":"b"},{"domain":"c","commander_id":"cmd arch"}]`), `/domains/2/commander_id: "cmd arch"` + id},
		{"decomposition-done", `{"run_id":"r","task":" \n",` + domains + `}`, `/task: is empty`},
		{"decomposition-done", decomposition(`"scale":"ss-75",` + domains), `/scale: "ss-75" is not one of ss-50, ss-100 and ss-250`},
		// A field that is near to one which is not there is not lost in silence. Others are somebody else's.
		{"decomposition-done", decomposition(`"domains":[{"domain":"d","commander_id":"c","subTasks":["Write it"]}]`), `/domains/0/subTasks: is unknown (did you mean sub_tasks?)`},
		{"decomposition-done", decomposition(`"specfication":"s",` + domains), `/specfication: is unknown (did you mean specification?)`},
		{"decomposition-done", decomposition(`"domains":[{"domain":"d","commander_id":"c","sub_tasks":["Write it"],"sub_task":"x","owner":"x"}]`), ""},
		{"bundle-complete", bundle(`"content":""`), ""},
		{"bundle-complete", bundle(content + `,"summary":null,"atoms_merged":null,"conflicts":null,"confidence":null,"wall_clock_s":null,"implementer":null,"open_tests":null`), ""},
		{"bundle-complete", bundle(`"content":"` + strings.Repeat("é", 1<<20) + `"`), ""},
		{"bundle-complete", bundle(`"content":"` + strings.Repeat("x", 1<<20+1) + `"`), `/content: has 1048577 characters, at most 1048576 are allowed`},
		{"bundle-complete", bundle(content + `,"x_trace":{"Run_ID":1,"a":[1e308,-0.0,null,"\ud83d\ude00"]}`), ""},
		{"bundle-complete", " {\n\t\"run_id\" : \"r\" , \"bundle_id\":\"b\",\"domain\":\"d\",\"commander_id\":\"c\",\"status\":\"success\",\"content\":\"x\",\"a\":[ ],\"b\":{ }, \"c\" : [ 1 , 2 ]\r\n} \n", ""},
		{"bundle-complete", `[]`, `is of type array, must be object`},
		{"bundle-complete", bundle(content + `,"confidence":1.01`), `/confidence: 1.01 is above the maximum, 1`},
		{"bundle-complete", bundle(content + `,"confidence":-1e-300`), `/confidence: -1e-300 is below the minimum, 0`},
		{"bundle-complete", bundle(content + `,"confidence":"high"`), `/confidence: is of type string, must be null or number`},
		{"bundle-complete", bundle(content + `,"atoms_merged":1e3`), `/atoms_merged: 1e3 must be an integer, written without fraction and exponent`},
		{"bundle-complete", bundle(content + `,"atoms_merged":99999999999999999999`), `/atoms_merged: 1e+20 is above the maximum, 1000000000`},
		{"bundle-complete", bundle(content + `,"open_tests":{"total":1,"passed":1,"failed":0,"by_category":{"a/b~":{"total":1}}}`), `/open_tests/by_category/a~1b~0/failed: is missing; /open_tests/by_category/a~1b~0/passed: is missing`},
		{"bundle-complete", `{"run_id":"` + strings.Repeat("r", 65) + `","bundle_id":"","domain":"d.e","commander_id":"c*","status":"done","content":1}`,
			`/bundle_id: ""` + id + `; /commander_id: "c*"` + id + `; /content: is of type number, must be string; /domain: "d.e"` + id + `; /run_id: "` + strings.Repeat("r", 60) + `…"` + id + `; and 1 more`},
		{"bundle-complete", `{"run_id":"r\n","bundle_id":"b","domain":"d","commander_id":"\u202ec","status":"done","content":""}`,
			`/commander_id: "\u202ec"` + id + `; /run_id: "r\n"` + id + `; /status: "done" is none of "success", "partial", "failed"`},
		{"fix-submitted", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","cycle":0,"bundle":{"content":"x","domain":"d","commander_id":"c","Status":"success","bundle_id":"b"}}`,
			`/cycle: 0 is below the minimum, 1; /bundle/Status: is spelt "status": names are case-sensitive; /bundle/status: is missing`},
		{"fix-submitted", `{"run_id":"r","bundle_id":"b","domain":"d","commander_id":"c","cycle":"1","content":"x"}`,
			`/bundle: is missing, must be an object with the whole bundle: its bundle_id, status and content stand in it, beside cycle; /cycle: is of type string, must be integer`},
		{"../go", `{}`, `not an event of shadowd: "../go"`},
	} {
		if tt.want != "" {
			refused(t, tt.event, tt.data, tt.want)
		} else if err := agree(t, tt.event, []byte(tt.data)); err != nil {
			t.Errorf("%s: %.100q: %v", tt.event, tt.data, err)
		}
	}
}

func TestStrictJSON(t *testing.T) {
	wrap := func(piece string) string { return bundle(`"content":"x","x":` + piece) }
	// What nobody reads may be as a vendor likes it.
	for _, piece := range []string{strings.Repeat("[", 999) + strings.Repeat("]", 999), "{" + many(1001, `"f%d":1`) + "}", "-1e400", `{"Aa":1,"aA":2}`} {
		if err := shadow.Validate("bundle-complete", []byte(wrap(piece))); err != nil {
			t.Errorf("%.40s: %v", piece, err)
		}
	}
	for _, tt := range []struct{ data, want string }{
		{"", "the data is empty: a JSON object is expected"},
		{"hello", "not JSON at byte 1: invalid character 'h' at start of value"},
		{`{"run_id":`, "not JSON at byte 11: /run_id: unexpected EOF"},
		{`{} {}`, "not JSON at byte 3: something stands behind the value"},
		{`{"a":1,}`, "not JSON at byte 7: invalid character ',' at start of value"},
		{"\xef\xbb\xbf{}", `not JSON at byte 1: invalid character '\ufeff' at start of value`},
		{wrap(`NaN`), "invalid character 'N' at start of value"},
		{wrap(`01`), "invalid character '1' after object value"},
		{wrap("\"a\nb\""), `invalid character '\n' in string`},
		{"{\"a\":\"\xed\xa0\x80\"}", "not JSON at byte 7: /a: invalid UTF-8"},
		{wrap(`"\ud800"`), "invalid surrogate pair `\\ud800\"}` in string"},
		{wrap(`["a", "\ud83d\u0041"]`), "invalid surrogate pair `\\ud83d\\u0041` in string"},
		{wrap(`"\ud83d\\ude00"`), "invalid surrogate pair `\\ud83d\\"},
		{wrap(`{"\ud800":1}`), "invalid surrogate pair `\\ud800\":1}"},
		{wrap(`1,"run\u005fid":"s"`), "/run_id: the name is there twice in one object"},
		{wrap(`1,"Run_ID":"s"`), `/Run_ID: is spelt "run_id": names are case-sensitive`},
		{wrap("1," + many(1001, `"f%d":1`)), "is the 1001. field that nobody reads: too many"},
		{wrap(`1,"\u017fummary":"s"`), `/ſummary: is spelt "summary": names are case-sensitive`},
		{wrap(`{"a":1,"a":2}`), "/x/a: the name is there twice in one object"},
	} {
		refused(t, "bundle-complete", tt.data, tt.want)
	}
}

// many are n pieces of JSON.
func many(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

// refused expects an error that holds want and is fit to be published.
func refused(t *testing.T, event, data, want string) {
	t.Helper()
	err := agree(t, event, []byte(data))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("%s: %.100q: got the error\n%v\nwant\n%s", event, data, err, want)
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

// TestIgnored: fields that no schema knows are listed, each once, and as many as fit a notice.
func TestIgnored(t *testing.T) {
	for data, want := range map[string][]string{
		decomposition(domains): nil,
		decomposition(`"owner":{"name":"x"},"specifier":null,"domains":[{"domain":"d","commander_id":"c","prio/rity":1},{"domain":"e","commander_id":"c","prio/rity":2,"implementer":{"seat":1,"\u001b[31m":1}}]`): {
			`/domains/*/implementer/\x1b[31m: is unknown, and nobody reads it`, "/domains/*/implementer/seat: is unknown, and nobody reads it",
			"/domains/*/prio~1rity: is unknown, and nobody reads it", "/owner: is unknown, and nobody reads it",
		},
		decomposition(domains + "," + many(30, `"f%d":1`)): {20: "and 10 more unknown fields"},
	} {
		_, got, err := shadow.Decode("decomposition-done", []byte(data))
		if len(got) > 20 {
			clear(got[:20])
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %q, want %q", data, err, got, want)
		}
	}
}

// An event of wrong values or of too many takes little memory, however many these are.
func TestManyProblemsTakeLittle(t *testing.T) {
	const tooMany = "/conflicts: has 50001 items, at most 1000 are allowed; "
	sub := `{"sub_tasks":[` + many(1000, "%d") + `]}`
	for _, c := range []struct{ event, data, err string }{
		{"bundle-complete", `{"conflicts":[` + strings.Repeat("{},", 50_000) + `{}]}`, tooMany},
		{"bundle-complete", `{"conflicts":[` + strings.Repeat("1,", 50_000) + `{}]}`, tooMany},
		{"decomposition-done", `{"domains":[` + strings.Repeat(sub+",", 99) + sub + `]}`, "; and 995 more"},
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
