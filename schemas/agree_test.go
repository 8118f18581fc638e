package schemas

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// The schemas of YAML files; all others are those of events.
const (
	configSchema   = "config"
	criteriaSchema = "criteria"
)

// whole are the schemas by their names, and structure is the same without
// conditions: what fields have to do with each other, no decoder of an output looks at.
var whole, structure = compile(false), compile(true)

func compile(stripped bool) map[string]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is loaded from outside
	all := map[string]*jsonschema.Schema{}
	files, err := filepath.Glob("*.json")
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		url := "https://swarmspeed.dev/schemas/" + name + ".v1.json"
		doc := text(name)
		if stripped {
			eachSchema("", doc, func(_ string, s map[string]any) {
				for _, keyword := range []string{"if", "then", "else", "allOf"} {
					delete(s, keyword)
				}
			})
		}
		if err == nil {
			err = c.AddResource(url, doc)
		}
		if err == nil {
			all[name], err = c.Compile(url)
		}
	}
	if err != nil || len(all) == 0 {
		panic(err)
	}
	return all
}

// text is a schema's file as a JSON value.
func text(name string) (v map[string]any) {
	raw, err := os.ReadFile(name + ".json")
	if err == nil {
		err = jsonv2.Unmarshal(raw, &v) // which refuses a name twice
	}
	if err != nil {
		panic(err)
	}
	return v
}

// all are the names of all schemas, sorted, and events those of events.
func all() []string { return slices.Sorted(maps.Keys(whole)) }

func events() []string {
	return slices.DeleteFunc(all(), func(name string) bool { return name == configSchema || name == criteriaSchema })
}

// beyond is what the decoder refuses and a schema cannot say.
var beyond = regexp.MustCompile(`there twice|that nobody reads: too many|is spelt "|is unknown \(did you mean|not JSON at|written without fraction|out of the range|is out of range|is not a date-time|give either quote|name an item|but in bundle it is|: it is empty: name|is for the whole|say why`)

// agree holds the decoder's verdict on the data of an event against that of its schema, and returns it.
func agree(t testing.TB, event string, data []byte) error {
	t.Helper()
	err := shadow.Validate(event, data)
	s := structure[event]
	if s == nil {
		return err
	}
	var v any
	bad := json.Unmarshal(data, &v)
	if wrongType := new(json.UnmarshalTypeError); errors.As(bad, &wrongType) {
		return err // a number beyond float64
	}
	if bad == nil {
		bad = s.Validate(v)
	}
	if bad != nil && err == nil || bad == nil && err != nil && !beyond.MatchString(err.Error()) {
		t.Errorf("%s: %.300q\nthe decoder says %v\nthe schema says %v", event, data, err, bad)
	}
	return err
}

// walker goes through a document and the schema of each of its values.
type walker struct {
	doc   any
	defs  map[string]any
	words []any // what enumerations are tried with
	// try is called with a document in which one value is another one, or a field
	// is gone. Of an object in which one is new it is told the names of the others.
	try func(doc any, known []string)
}

func (w *walker) resolved(s any) map[string]any {
	schema := s.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		return w.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	return schema
}

// mutate tries changes to a document, with values at the bounds of its schema.
func mutate(root map[string]any, doc any, words []any, try func(doc any, known []string)) {
	w := &walker{doc: doc, words: words, try: try}
	w.defs, _ = root["$defs"].(map[string]any)
	w.walk(root, doc, func(v any) { w.doc = v })
}

func (w *walker) walk(schema, v any, set func(any)) {
	s := w.resolved(schema)
	for _, value := range w.values(s, v) {
		set(value)
		w.try(w.doc, nil)
	}
	set(v)
	switch v := v.(type) {
	case []any:
		if len(v) > 0 { // one stands for all
			w.walk(s["items"], v[0], func(x any) { v[0] = x })
		}
	case map[string]any:
		known, _ := s["properties"].(map[string]any)
		for name, value := range maps.Clone(v) {
			of, ok := known[name]
			if !ok {
				of = s["additionalProperties"]
			}
			delete(v, name)
			w.try(w.doc, nil)
			v[strings.ToUpper(name)] = value
			w.try(w.doc, nil)
			delete(v, strings.ToUpper(name))
			v[name] = value
			w.walk(of, value, func(x any) { v[name] = x })
		}
		v["zz"] = 1
		w.try(w.doc, slices.Sorted(maps.Keys(known)))
		delete(v, "zz")
	}
}

// values are what a value is replaced by.
func (w *walker) values(s map[string]any, v any) []any {
	all := []any{nil, true, false, "", " ", "x y", "a\n", -1, 0, 1, 1.5, 1e9 + 1, []any{}, []any{nil}, map[string]any{}, map[string]any{"x": 1}, "2026-01-02T03:04:05Z"}
	for _, n := range []string{"minimum", "maximum"} {
		if b, ok := s[n].(float64); ok {
			all = append(all, b-1, b, b+1)
		}
	}
	for _, n := range []string{"minLength", "maxLength"} {
		if b, ok := s[n].(float64); ok && b < 1e5 {
			all = append(all, strings.Repeat("é", int(b)), strings.Repeat("é", int(b)+1))
		}
	}
	if enum, ok := s["enum"].([]any); ok {
		all = slices.Concat(all, enum, w.words)
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		all = append(all, append(slices.Clone(list), list[0]))
		if most, ok := s["maxItems"].(float64); ok && most <= 1000 {
			all = append(all, slices.Repeat(list[:1], int(most)), slices.Repeat(list[:1], int(most)+1))
		}
	}
	return all
}

// sample is a value with every field that a schema knows.
func (w *walker) sample(schema any) any {
	s := w.resolved(schema)
	if constant := s["const"]; constant != nil {
		return constant
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[0]
	}
	number := func(keyword string, otherwise float64) float64 {
		if n, ok := s[keyword].(float64); ok {
			return n
		}
		return otherwise
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		if of, ok := s["additionalProperties"].(map[string]any); ok {
			o[string(shadow.EdgeCase)] = w.sample(of)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, of := range properties {
			o[name] = w.sample(of)
		}
		return o
	case "array":
		return slices.Repeat([]any{w.sample(s["items"])}, int(number("minItems", 1)))
	case "boolean":
		return true
	case "string":
		pattern, _ := s["pattern"].(string)
		i := slices.IndexFunc(samples, func(text string) bool {
			return regexp.MustCompile(pattern).MatchString(text) && (s["format"] == nil || strings.HasPrefix(text, "2026"))
		})
		return samples[i]
	}
	return number("minimum", 1)
}

// samples are texts, of which one is of the form of each pattern.
var samples = []string{"x y", "x", "sc-01", "EUR", "sha256:" + strings.Repeat("0", 64), "r/d/1", "level 1: x", "SHADOW HARDENING — Fix these issues:\n", "2026-01-02T03:04:05Z"}

// TestMutations: decoder and schema agree on each change to an event with all fields, and know the same fields.
func TestMutations(t *testing.T) {
	var words []any
	for _, all := range constants(t) {
		for _, word := range all {
			words = append(words, word)
		}
	}
	for _, event := range events() {
		root := text(event)
		w := &walker{}
		w.defs, _ = root["$defs"].(map[string]any)
		doc, into := w.sample(root), inputs[event]
		if into != nil {
			if err := json.Unmarshal([]byte(full[event]), &doc); err != nil {
				t.Fatal(err)
			}
		}
		n, refused := 0, 0
		mutate(root, doc, words, func(doc any, known []string) {
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			err = agree(t, event, changed)
			if n++; err != nil {
				refused++
			}
			if len(known) == 0 {
				return
			}
			if into != nil {
				_, err = strict.Decode(strict.Output, changed, into) // which says what it knows
			}
			if want := "/zz: is unknown: allowed are " + strings.Join(known, ", "); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want %s", event, err, want)
			}
		})
		whole, err := json.Marshal(doc)
		if err == nil {
			err = agree(t, event, whole)
		}
		if err != nil || n < 30 || refused < n/2 || refused == n {
			t.Errorf("%s: %v; %d of %d are refused", event, err, refused, n)
		}
	}
}

// inputs are the types of the data of inputs.
var inputs = map[string]any{
	shadow.DecompositionDone: &shadow.Decomposition{},
	shadow.ReportReviewed:    &shadow.Review{},
	shadow.BundleComplete: &struct {
		RunID string `json:"run_id"`
		shadow.Bundle
	}{},
	shadow.FixSubmitted: &struct {
		RunID       string        `json:"run_id"`
		BundleID    string        `json:"bundle_id"`
		Domain      string        `json:"domain"`
		CommanderID string        `json:"commander_id"`
		Cycle       int           `json:"cycle"`
		Bundle      shadow.Bundle `json:"bundle"`
	}{},
}

// TestFileMutations: the same of configurations and files of criteria. YAML has what JSON has.
func TestFileMutations(t *testing.T) {
	beyond := regexp.MustCompile(`: (.*allowed|.* is not a number in decimal|.*must be an integer|.* repeats|.*check|.*compile|.*it says what|.*pattern of model|.*an interval|.*no family|.*log in at bus.url|.*control character)`)
	for name, c := range map[string]struct {
		doc  string
		read func([]byte) error
	}{
		configSchema: {`{"shadow_scoring":{"enabled":true,"spec_version":"2.0.0","conformance_level":"L4","sealed_criteria_count":10,"hardening":{"enabled":true,"max_cycles":1,"threshold":15,"timeout":"10m"},"categories":["happy_path"]},
			"scales":{"default":"ss-50","ss-50":{"criteria":6,"hardening":true}},"models":[{"name":"m","model":"openai:x","family":"f","key_env":"K","timeout":"1m","concurrency":3,"max_tokens":5}],
			"seal":{"authors":[{"file":"a.yml","name":"n"}],"timeout":"5m"},"judging":{"panel":["openai:y",{"model":"m"}],"timeout":"2m","wait":"0s","controls":true,"budget":{"calls":1,"tokens":1,"time":"1h"}},
			"families":[{"model":"a*","family":"a"}],"independence":{"on_violation":"abort"},"gates":{"enforce":true,"unread":"warn","undecided":"warn","missing":20},"run":{"timeout":"24h"},"currency":"EUR","notify":{"url":"https://x","format":"slack"},
			"bus":{"url":"","credentials":"","nkey":"","listen":"127.0.0.1:0","users":[{"name":"a","role":"nexus","password_file":"p"}],"tls":{"cert":"","key":""},"insecure":false,"data_dir":"d","sync":"always","prefix":"p","replicas":1,"max_age":"0s","max_bytes":"2GiB"},
			"keys":{"envelope":"e","signing":"s"},"limits":{"event_bytes":1048576,"content_bytes":"256KiB","waiting_per_run":5,"seal_wait":"2m"},"http":{"listen":"","token_file":"t","open":["page"]},"log":{"level":"info","format":"auto"}}`,
			func(text []byte) error { _, err := config.Parse("f", text, nil); return err }},
		criteriaSchema: {`{"version":1,"family":"f","criteria":[{"assertion":"a b","expectation":"c d","message":"e f","check":"true","category":"security","domains":["x"],"examples":{"passes":["p"]}}]}`,
			func(text []byte) error { _, err := pack.Parse("f", text, true); return err }},
	} {
		var doc any
		if err := json.Unmarshal([]byte(c.doc), &doc); err != nil {
			t.Fatal(err)
		}
		n, refused := 0, 0
		mutate(text(name), doc, nil, func(doc any, _ []string) {
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			said, bad := c.read(changed), whole[name].Validate(doc)
			if n++; said != nil {
				refused++
			}
			if object, ok := doc.(map[string]any); bad != nil && said == nil && ok && !emptyObjects(object) || bad == nil && said != nil && !beyond.MatchString(said.Error()) {
				t.Errorf("%s: %s\nthe decoder says %v\nthe schema says %v", name, changed, said, bad)
			}
		})
		if n < 250 || refused < n/2 {
			t.Errorf("%s: %d of %d are refused", name, refused, n)
		}
	}
}

// emptyObjects tells whether an object has a null, which in a file may stand for an empty object.
func emptyObjects(o map[string]any) bool {
	for _, v := range o {
		if inner, ok := v.(map[string]any); v == nil || ok && emptyObjects(inner) {
			return true
		}
	}
	return false
}

// What is refused is refused in few and legible words, always the same, and the schemas agree.
func FuzzDecode(f *testing.F) {
	for event, text := range full {
		i := slices.Index(events(), event)
		for _, s := range []string{text, text[:len(text)/2], strings.Replace(text, "c1", "c 1", 1), strings.Replace(text, "run_id", "Run_ID", 1),
			"", "{}", "[]", "null", `"\ud83d\ude00"`, `[1e400]`, strings.Repeat("[", 65), "\xff", `"\ud800"`, "{} {}", `{"cycle":1.0}`, " [ 1 , { } ] "} {
			f.Add(i, []byte(s))
		}
	}
	evil, err := json.Marshal(strings.Repeat("\x1b[31m\u202e\U0001f4a9", 1000)) // makes no error long or illegible
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{`{"run_id":EVIL}`, `{"run_id":[` + strings.Repeat("EVIL,", 1000) + `1]}`, strings.Repeat("{EVIL:", 60) + "1e999" + strings.Repeat("}", 60), `{EVIL:1,EVIL:1}`} {
		f.Add(slices.Index(events(), shadow.BundleComplete), []byte(strings.ReplaceAll(s, "EVIL", string(evil))))
	}
	f.Fuzz(func(t *testing.T, event int, data []byte) {
		names := events()
		name := names[(event%len(names)+len(names))%len(names)]
		if err := agree(t, name, data); err != nil {
			publishable(t, err)
			if again := shadow.Validate(name, data); again == nil || again.Error() != err.Error() {
				t.Errorf("first %v, then %v", err, again)
			}
		}
		if _, ignored, err := shadow.Decode(name, data); err == nil {
			for _, notice := range ignored {
				publishable(t, errors.New(notice))
			}
		}
	})
}
