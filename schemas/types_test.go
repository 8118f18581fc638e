package schemas

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The data of the events that carry a bundle, whose types are not exported.
type (
	bundleComplete struct {
		RunID string `json:"run_id"`
		shadow.Bundle
	}
	fixSubmitted struct {
		RunID       string        `json:"run_id"`
		BundleID    string        `json:"bundle_id"`
		Domain      string        `json:"domain"`
		CommanderID string        `json:"commander_id"`
		Cycle       int           `json:"cycle"`
		Bundle      shadow.Bundle `json:"bundle"`
	}
)

var goTypes = map[string]any{
	shadow.DecompositionDone: shadow.Decomposition{},
	shadow.BundleComplete:    bundleComplete{},
	shadow.FixSubmitted:      fixSubmitted{},
	shadow.EnvelopeSealed:    shadow.Commitment{},
	shadow.GapReport:         shadow.Report{},
	shadow.HardeningRequest:  shadow.HardeningData{},
	shadow.BundleQuarantined: shadow.QuarantineData{},
	shadow.DomainSettled:     shadow.SettledData{},
	shadow.Tick:              shadow.TickData{},
	shadow.RunScored:         shadow.RunData{},
	shadow.ReportReviewed:    shadow.Review{},
	shadow.RunReviewed:       shadow.ReviewedData{},
	shadow.EventRejected:     shadow.Rejection{},
	shadow.EnvelopeOpened:    shadow.OpeningData{},
}

// Schemas and Go types have the same fields, of the same types. A field is
// required unless Go leaves it out when it is empty; of inputs, what is not
// required may be null, and of outputs nothing else is allowed.
func TestSchemasMatchGoTypes(t *testing.T) {
	if len(goTypes) != len(events()) {
		t.Errorf("%d types for %d events", len(goTypes), len(events()))
	}
	for event, v := range goTypes {
		root := text(t, event)
		_, input := full[event]
		m := matcher{t, root["$defs"], input}
		m.match(event, reflect.TypeOf(v), root, false)
	}
}

type matcher struct {
	t     *testing.T
	defs  any
	input bool
}

func (m matcher) match(at string, goType reflect.Type, s map[string]any, optional bool) {
	m.t.Helper()
	if ref, ok := s["$ref"].(string); ok {
		s = m.defs.(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	want := any(jsonType(goType))
	if m.input && optional {
		want = []any{want, "null"}
	}
	if !reflect.DeepEqual(s["type"], want) {
		m.t.Errorf("%s: type %v, want %v", at, s["type"], want)
	}
	switch want := jsonType(goType); {
	case goType == reflect.TypeFor[time.Time]():
		if s["format"] != "date-time" {
			m.t.Errorf("%s: format %v, want date-time", at, s["format"])
		}
	case want == "array":
		m.match(at+"/*", goType.Elem(), s["items"].(map[string]any), false)
	case goType.Kind() == reflect.Map:
		m.match(at+"/*", goType.Elem(), s["additionalProperties"].(map[string]any), false)
	case want == "object":
		m.object(at, goType, s)
	}
}

func (m matcher) object(at string, goType reflect.Type, s map[string]any) {
	m.t.Helper()
	if closed := s["additionalProperties"] == false; closed == m.input {
		m.t.Errorf("%s: additionalProperties %v", at, s["additionalProperties"])
	}
	props := maps.Clone(s["properties"].(map[string]any))
	required, _ := s["required"].([]any)
	for _, f := range fields(goType) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" { // never encoded
			continue
		}
		prop, ok := props[name].(map[string]any)
		if !ok {
			m.t.Errorf("%s/%s is not in the schema", at, name)
			continue
		}
		delete(props, name)
		optional := options == "omitempty" || options == "omitzero" && f.Type.Kind() == reflect.Struct && jsonType(f.Type) == "object"
		if optional == slices.Contains(required, any(name)) {
			m.t.Errorf("%s/%s: omitempty is %v, required is %v", at, name, optional, required)
		}
		m.match(at+"/"+name, f.Type, prop, optional)
	}
	for name := range props {
		m.t.Errorf("%s/%s is in the schema only", at, name)
	}
}

// fields are the fields that encoding/json sees, those of embedded structs
// among them.
func fields(t reflect.Type) []reflect.StructField {
	var list []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			list = append(list, fields(f.Type)...)
		} else if f.IsExported() && f.Tag.Get("json") != "-" {
			list = append(list, f)
		}
	}
	return list
}

func jsonType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "string"
	case t == reflect.TypeFor[json.Number]():
		return "number"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "integer"
}
