package schemas

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// constants are the string constants of the protocol package by their types, "" for none.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files, err := filepath.Glob("../internal/shadow/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				kind := ""
				if name, ok := v.Type.(*ast.Ident); ok {
					kind = name.Name
				}
				for _, value := range v.Values {
					if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value) // the parser has read it
						found[kind] = append(found[kind], text)
					}
				}
			}
			_, function := n.(*ast.FuncDecl)
			return !function
		})
	}
	return found
}

// TestOneSchemaPerEvent: every event of the protocol has a schema, and every word of an enumeration stands in one.
func TestOneSchemaPerEvent(t *testing.T) {
	var enums [][]any
	for _, event := range events() {
		eachSchema(event, text(event), func(_ string, s map[string]any) {
			if enum, ok := s["enum"].([]any); ok {
				enums = append(enums, enum)
			}
		})
	}
	all := constants(t)
	known := slices.DeleteFunc(all[""], func(name string) bool { return errors.Is(shadow.Validate(name, nil), shadow.ErrUnknownType) })
	if slices.Sort(known); !slices.Equal(known, events()) {
		t.Errorf("the events are %q, the schemas are of %q", known, events())
	}
	delete(all, "")
	delete(all, "Control")                                                                                                 // what a control question is answered with
	all["ItemKind"] = slices.DeleteFunc(all["ItemKind"], func(kind string) bool { return kind == string(shadow.Passage) }) // which only they have
	for kind, words := range all {
		if !slices.ContainsFunc(enums, func(enum []any) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(enum, any(word)) })
		}) {
			t.Errorf("no enumeration has all words of %s: %q", kind, words)
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
	for _, kw := range []string{"items", "additionalProperties", "propertyNames", "if", "then", "else"} {
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

// TestSchemasSayEnough: a schema is of the 2020 draft, and reads the same in draft 07, which AsyncAPI expects.
// Integrators read it, so every field is described. Every list, number and string of an input has a bound.
func TestSchemasSayEnough(t *testing.T) {
	const draft = "https://json-schema.org/draft/2020-12/schema"
	meta, err := jsonschema.NewCompiler().Compile(draft)
	if err != nil {
		t.Fatal(err)
	}
	same := strings.Fields("$schema $id $defs $ref $comment title description type enum const required minProperties properties propertyNames additionalProperties maxProperties " +
		"items minItems maxItems uniqueItems minLength maxLength pattern format minimum maximum allOf oneOf if then else")
	bounds := map[string][]string{"array": {"maxItems"}, "integer": {"maximum"}, "number": {"maximum"}, "string": {"maxLength", "pattern", "enum"}}
	for _, name := range all() {
		root := text(name)
		if err := meta.Validate(root); err != nil || root["$schema"] != draft || root["$id"] != "https://swarmspeed.dev/schemas/"+name+".v1.json" {
			t.Errorf("%s: %v; $schema is %v, $id is %v", name, err, root["$schema"], root["$id"])
		}
		eachSchema(name, root, func(at string, s map[string]any) {
			for kw := range s {
				if !slices.Contains(same, kw) || s["$ref"] != nil && kw != "$ref" && kw != "description" {
					t.Errorf("%s: draft 07 ignores the keyword %s", at, kw)
				}
			}
			for _, conditional := range []string{"/if", "/then", "/else"} {
				if strings.Contains(at, conditional) {
					return
				}
			}
			said, _ := s["description"].(string)
			if strings.HasSuffix(filepath.Dir(at), "/properties") && len(said) < 5 {
				t.Errorf("%s has no description", at)
			}
			kind, _ := s["type"].(string)
			if kinds, ok := s["type"].([]any); ok {
				kind = kinds[0].(string)
			}
			has := func(kw string) bool { return s[kw] != nil && s[kw] != `\S` }
			if b, ok := bounds[kind]; ok && inputs[name] != nil && !slices.ContainsFunc(b, has) {
				t.Errorf("%s has no upper bound", at)
			}
		})
	}
}
