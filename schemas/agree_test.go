package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/pack"
)

// The schemas of YAML files; all others are those of events.
const (
	configSchema   = "config"
	criteriaSchema = "criteria"
)

// compiled are the schemas by their names.
var compiled = sync.OnceValue(func() map[string]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is loaded from outside
	all := map[string]*jsonschema.Schema{}
	files, err := filepath.Glob("*.json")
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		url := "https://swarmspeed.dev/schemas/" + name + ".v1.json"
		var doc any
		if doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(schema(name))); err == nil {
			err = c.AddResource(url, doc)
		}
		if err == nil {
			all[name], err = c.Compile(url)
		}
		if err != nil {
			break
		}
	}
	if err != nil || len(all) == 0 {
		panic(err)
	}
	return all
})

// schema is the text of a schema, nil if there is none.
func schema(name string) []byte {
	text, err := os.ReadFile(name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		panic(err)
	}
	return text
}

// all are the names of all schemas, sorted, and events those of events.
func all() []string { return slices.Sorted(maps.Keys(compiled())) }

func events() []string {
	return slices.DeleteFunc(all(), func(name string) bool { return name == configSchema || name == criteriaSchema })
}

// beyond is what the decoder refuses and a schema cannot say.
var beyond = regexp.MustCompile(`there twice|that nobody reads: too many|is spelt "|is unknown \(did you mean|not JSON at|written without fraction|out of the range|is out of range|is not a date-time|give either quote|name an item|but in bundle it is|: it is empty: name|is for the whole|say why`)

// agree holds the decoder's verdict on the data of an event against that of its
// schema, and returns it.
func agree(t testing.TB, event string, data []byte) error {
	t.Helper()
	err := shadow.Validate(event, data)
	s := compiled()[event]
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
	if bad != nil && err == nil && !ofSeveral(bad) || bad == nil && err != nil && !beyond.MatchString(err.Error()) {
		t.Errorf("%s: %.300q\nthe decoder says %v\nthe schema says %v", event, data, err, bad)
	}
	return err
}

// ofSeveral tells whether a schema only refuses what fields of an output have to
// do with each other, which no decoder looks at.
func ofSeveral(err error) bool {
	failed, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return false
	}
	all := true
	for _, cause := range failed.Causes {
		all = all && ofSeveral(cause)
	}
	return all && (len(failed.Causes) > 0 || strings.Contains(failed.SchemaURL, "/then") || strings.Contains(failed.SchemaURL, "/else"))
}

// mutate calls try with a document in which one value is another one, a field is
// gone or one is new; what it takes for values are those at the bounds of the
// schema.
func mutate(root map[string]any, doc any, try func(doc any)) {
	defs, _ := root["$defs"].(map[string]any)
	var walk func(s map[string]any, v any, set func(any))
	walk = func(s map[string]any, v any, set func(any)) {
		if ref, ok := s["$ref"].(string); ok {
			s = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		values := []any{nil, true, false, "", " ", "x y", "a\n", -1, 0, 1, 1.5, 1e9 + 1, []any{}, []any{nil}, map[string]any{}, map[string]any{"x": 1}, "2026-01-02T03:04:05Z"}
		for _, n := range []string{"minimum", "maximum"} {
			if b, ok := s[n].(float64); ok {
				values = append(values, b-1, b, b+1)
			}
		}
		for _, n := range []string{"minLength", "maxLength"} {
			if b, ok := s[n].(float64); ok && b < 1e5 {
				values = append(values, strings.Repeat("é", int(b)), strings.Repeat("é", int(b)+1))
			}
		}
		if enum, ok := s["enum"].([]any); ok {
			values = append(values, enum...)
		}
		if list, ok := v.([]any); ok && len(list) > 0 {
			values = append(values, append(slices.Clone(list), list[0]))
			if most, ok := s["maxItems"].(float64); ok && most <= 1000 {
				values = append(values, slices.Repeat(list[:1], int(most)), slices.Repeat(list[:1], int(most)+1))
			}
		}
		for _, value := range values {
			set(value)
			try(doc)
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i := range v[:min(len(v), 1)] { // one stands for all
				walk(s["items"].(map[string]any), v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			known, _ := s["properties"].(map[string]any)
			for name, value := range maps.Clone(v) {
				of, ok := known[name].(map[string]any)
				if !ok {
					of = s["additionalProperties"].(map[string]any)
				}
				delete(v, name)
				try(doc)
				v[strings.ToUpper(name)] = value
				try(doc)
				delete(v, strings.ToUpper(name))
				v[name] = value
				walk(of, value, func(x any) { v[name] = x })
			}
			v["zz"] = 1
			try(doc)
			delete(v, "zz")
		}
	}
	walk(root, doc, func(x any) { doc = x })
}

// TestMutations: decoder and schema agree on each change to an event with all
// fields.
func TestMutations(t *testing.T) {
	for event, data := range fullEvents(t) {
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if err := agree(t, event, data); err != nil {
			t.Errorf("%s: %v", event, err)
		}
		n, refused := 0, 0
		mutate(text(t, event), doc, func(doc any) {
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if n++; agree(t, event, changed) != nil {
				refused++
			}
		})
		if n < 30 || refused < n/2 || refused == n {
			t.Errorf("%s: %d of %d are refused", event, refused, n)
		}
	}
}

// TestFileMutations: the same of configurations and files of criteria. YAML has
// what JSON has.
func TestFileMutations(t *testing.T) {
	beyond := regexp.MustCompile(`: (.*allowed|.* is not a number in decimal|.*must be an integer|.* repeats|.*check|.*compile|.*it says what|.*pattern of model|.*an interval|.*no family|.*log in at bus.url|.*control character)`)
	for name, c := range map[string]struct {
		doc  string
		read func([]byte) error
	}{
		configSchema: {`{"shadow_scoring":{"enabled":true,"spec_version":"2.0.0","conformance_level":"L4","sealed_criteria_count":10,"hardening":{"enabled":true,"max_cycles":1,"threshold":15,"timeout":"10m"},"categories":["happy_path"]},
			"scales":{"default":"ss-50","ss-50":{"criteria":6,"hardening":true}},"models":[{"name":"m","model":"openai:x","family":"f","key_env":"K","timeout":"1m","concurrency":3,"max_tokens":5}],
			"seal":{"authors":[{"file":"a.yml","name":"n"}],"timeout":"5m"},"judging":{"panel":["openai:y",{"model":"m"}],"timeout":"2m","wait":"0s","controls":true,"budget":{"calls":1,"tokens":1,"time":"1h"}},
			"families":[{"model":"a*","family":"a"}],"independence":{"on_violation":"abort"},"gates":{"enforce":true,"unread":"warn","undecided":"warn","missing":20},"run":{"timeout":"24h"},
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
		mutate(text(t, name), doc, func(doc any) {
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			said, bad := c.read(changed), compiled()[name].Validate(doc)
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

// emptyObjects tells whether an object has a null, which in a file may stand for
// an empty object.
func emptyObjects(o map[string]any) bool {
	for _, v := range o {
		if inner, ok := v.(map[string]any); v == nil || ok && emptyObjects(inner) {
			return true
		}
	}
	return false
}

// What is refused is refused in few and legible words, always the same, and the
// schemas agree.
func FuzzDecode(f *testing.F) {
	for event, text := range full {
		i := slices.Index(events(), event)
		for _, s := range []string{text, text[:len(text)/2], strings.Replace(text, "c1", "c 1", 1), strings.Replace(text, "run_id", "Run_ID", 1),
			"", "{}", "[]", "null", `"\ud83d\ude00"`, `[1e400]`, strings.Repeat("[", 65), "\xff", `"\ud800"`, "{} {}", `{"cycle":1.0}`, " [ 1 , { } ] "} {
			f.Add(i, []byte(s))
		}
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
