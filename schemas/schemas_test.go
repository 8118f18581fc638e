package schemas

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// constants reads the string constants of the given type, "" for none, from a
// file of the protocol package.
func constants(t *testing.T, file, ofType string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/shadow/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if name, _ := v.Type.(*ast.Ident); (name == nil) != (ofType == "") || name != nil && name.Name != ofType {
				continue
			}
			for _, value := range v.Values {
				if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					found = append(found, s)
				}
			}
		}
	}
	slices.Sort(found)
	if len(found) == 0 {
		t.Fatalf("%s has no constants of type %q", file, ofType)
	}
	return found
}

// text is a schema's file as a JSON value.
func text(t *testing.T, event string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := jsonv2.Unmarshal(schema(event), &v); err != nil { // which refuses a name twice
		t.Fatalf("%s: %v", event, err)
	}
	return v
}

func TestOneSchemaPerEvent(t *testing.T) {
	if diff := cmp.Diff(eventConstants(t), events()); diff != "" {
		t.Errorf("events (-) and schemas (+):\n%s", diff)
	}
	if s := schema("asyncapi"); s != nil {
		t.Errorf("Schema of no event is %.40q", s)
	}
}

func TestSchemasAreDraft2020(t *testing.T) {
	c := jsonschema.NewCompiler()
	meta, err := c.Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range all() {
		s := text(t, event)
		if err := meta.Validate(s); err != nil {
			t.Errorf("%s: %v", event, err)
		}
		if s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["$id"] != "https://swarmspeed.dev/schemas/"+event+".v1.json" {
			t.Errorf("%s: $schema is %v, $id is %v", event, s["$schema"], s["$id"])
		}
	}
}

// eachSchema visits a schema and its subschemas.
func eachSchema(at string, v any, do func(at string, s map[string]any)) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	do(at, s)
	for _, kw := range []string{"items", "additionalProperties", "if", "then", "else"} {
		eachSchema(at+"/"+kw, s[kw], do)
	}
	for _, kw := range []string{"properties", "$defs"} {
		subs, _ := s[kw].(map[string]any)
		for name, sub := range subs {
			eachSchema(at+"/"+kw+"/"+name, sub, do)
		}
	}
	subs, _ := s["allOf"].([]any)
	for i, sub := range subs {
		eachSchema(at+"/allOf/"+strconv.Itoa(i), sub, do)
	}
}

// Integrators read the schemas, so every field is described, and every string,
// list and number of an input has a bound.
func TestSchemasSayEnough(t *testing.T) {
	inputs := slices.Collect(maps.Keys(full))
	for _, event := range all() {
		eachSchema(event, text(t, event), func(at string, s map[string]any) {
			for _, conditional := range []string{"/if", "/then", "/else"} {
				if strings.Contains(at, conditional) {
					return
				}
			}
			parent := at[:strings.LastIndex(at, "/")+1]
			if strings.HasSuffix(parent, "/properties/") && len(s["description"].(string)) < 5 {
				t.Errorf("%s has no description", at)
			}
			if !slices.Contains(inputs, event) {
				return
			}
			kind, _ := s["type"].(string)
			if kinds, ok := s["type"].([]any); ok {
				kind = kinds[0].(string)
			}
			bounds := map[string][]string{"string": {"maxLength", "pattern", "enum"}, "array": {"maxItems"}, "integer": {"maximum"}, "number": {"maximum"}}
			if b, ok := bounds[kind]; ok && !slices.ContainsFunc(b, func(kw string) bool { return s[kw] != nil && s[kw] != `\S` }) {
				t.Errorf("%s has no upper bound", at)
			}
		})
	}
}

// The AsyncAPI document uses the schemas where draft 07 is expected.
func TestSchemasReadTheSameInDraft07(t *testing.T) {
	same := []string{"$schema", "$id", "$defs", "$ref", "$comment", "title", "description", "type", "enum", "const", "required", "minProperties",
		"properties", "propertyNames", "additionalProperties", "maxProperties", "items", "minItems", "maxItems", "uniqueItems",
		"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "allOf", "oneOf", "if", "then", "else"}
	for _, event := range all() {
		eachSchema(event, text(t, event), func(at string, s map[string]any) {
			for kw := range s {
				if !slices.Contains(same, kw) {
					t.Errorf("%s: keyword %s", at, kw)
				}
				// Draft 07 ignores what stands beside $ref.
				if s["$ref"] != nil && kw != "$ref" && kw != "description" {
					t.Errorf("%s: %s stands beside $ref", at, kw)
				}
			}
			if _, ok := s["items"].([]any); ok {
				t.Errorf("%s: items is a list", at)
			}
		})
	}
}

// eventConstants are the names of all events by the constants of the protocol.
func eventConstants(t *testing.T) []string { return constants(t, "event.go", "") }

// A fix holds a bundle: what bundle-complete says of it, fix-submitted says.
func TestFixHoldsABundle(t *testing.T) {
	outer, inner := text(t, "bundle-complete"), text(t, "fix-submitted")["$defs"].(map[string]any)["bundle"].(map[string]any)
	strip := func(s map[string]any) any {
		props := maps.Clone(s["properties"].(map[string]any))
		delete(props, "run_id")
		for _, id := range []string{"bundle_id", "domain", "commander_id"} {
			delete(props[id].(map[string]any), "description") // the words differ
		}
		required := slices.DeleteFunc(slices.Clone(s["required"].([]any)), func(v any) bool { return v == "run_id" })
		return map[string]any{"properties": props, "required": required}
	}
	if diff := cmp.Diff(strip(outer), strip(inner)); diff != "" {
		t.Errorf("bundle-complete (-) and the bundle of fix-submitted (+):\n%s", diff)
	}
	for _, def := range []string{"conflict", "tally", "account"} {
		if diff := cmp.Diff(outer["$defs"].(map[string]any)[def], text(t, "fix-submitted")["$defs"].(map[string]any)[def]); diff != "" {
			t.Errorf("%s differs:\n%s", def, diff)
		}
	}
}

// The words of an enumeration are those of the protocol's constants.
func TestEnumsAreTheConstants(t *testing.T) {
	enum := func(event string, path ...string) []string {
		var v any = text(t, event)
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		var words []string
		for _, w := range v.([]any) {
			words = append(words, w.(string))
		}
		slices.Sort(words)
		return words
	}
	levels := constants(t, "score.go", "Level")
	for _, tt := range []struct {
		file, ofType string
		got          []string
		extra        []string // further words
	}{
		{"reject.go", "Reason", enum("event-rejected", "properties", "reason", "enum"), nil},
		{"score.go", "Level", enum("gap-report", "$defs", "report", "properties", "level", "enum"), nil},
		{"score.go", "Level", enum("run-scored", "properties", "level", "enum"), nil},
		{"score.go", "Level", enum("run-scored", "$defs", "line", "properties", "level", "enum"), nil},
		{"score.go", "Action", enum("gap-report", "$defs", "gate", "properties", "action", "enum"), nil},
		{"score.go", "Action", append(enum("run-scored", "$defs", "line", "properties", "gate", "enum"), "pending"), nil},
		{"score.go", "Action", append(enum("envelope-sealed", "$defs", "policy", "properties", "unread", "enum"), "pending"), nil},
		{"score.go", "Action", append(enum("envelope-sealed", "$defs", "policy", "properties", "undecided", "enum"), "pending"), nil},
		{"ballot.go", "Outcome", append(enum("gap-report", "$defs", "outcome", "enum"), "unread"), nil},
		{"ballot.go", "Outcome", enum("gap-report", "$defs", "criterion", "properties", "outcome", "enum"), nil},
		{"criterion.go", "Kind", enum("gap-report", "$defs", "criterion", "properties", "kind", "enum"), nil},
		{"items.go", "ItemKind", append(enum("gap-report", "$defs", "item", "properties", "kind", "enum"), string(shadow.Passage)), nil}, // no report holds a control question
		{"items.go", "ItemState", enum("gap-report", "$defs", "item", "properties", "state", "enum"), nil},
		{"report.go", "Word", enum("gap-report", "$defs", "swarm", "properties", "verdict", "enum"), levels},
		{"report.go", "Word", enum("run-scored", "properties", "verdict", "enum"), levels},
		{"report.go", "Word", enum("run-scored", "$defs", "line", "properties", "verdict", "enum"), levels},
	} {
		want := append(constants(t, tt.file, tt.ofType), tt.extra...)
		slices.Sort(want)
		slices.Sort(tt.got)
		if diff := cmp.Diff(want, tt.got); diff != "" {
			t.Errorf("%s of %s (-) and its schema (+):\n%s", tt.ofType, tt.file, diff)
		}
	}
}

// What the configuration allows of criteria is what every other schema does.
func TestMaxCriteria(t *testing.T) {
	for _, path := range []string{"properties/shadow_scoring/properties/sealed_criteria_count", "$defs/scale/properties/criteria"} {
		var v any = text(t, configSchema)
		for p := range strings.SplitSeq(path, "/") {
			v = v.(map[string]any)[p]
		}
		if got := fmt.Sprint(v.(map[string]any)["maximum"]); got != fmt.Sprint(shadow.MaxCriteria) {
			t.Errorf("%s: at most %s, not %d", path, got, shadow.MaxCriteria)
		}
	}
}

// Every enumeration that has one category has them all. The public format of
// reports has one more.
func TestCategoriesAreTheConstants(t *testing.T) {
	found := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		if list, ok := v.([]any); ok && slices.Contains(list, any(string(shadow.EdgeCase))) {
			found++
			var want []any
			for _, c := range shadow.Categories() {
				want = append(want, string(c))
			}
			if strings.HasPrefix(at, shadow.GapReport) {
				want = append(want, "unknown")
			}
			if diff := cmp.Diff(want, list); diff != "" {
				t.Errorf("%s: categories (-) and schema (+):\n%s", at, diff)
			}
		}
		if object, ok := v.(map[string]any); ok {
			for name, v := range object {
				walk(at+"/"+name, v)
			}
		}
	}
	for _, name := range all() {
		walk(name, any(text(t, name)))
	}
	if found < 5 {
		t.Errorf("only %d enumerations of categories found", found)
	}
}
