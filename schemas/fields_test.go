package schemas

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var update = flag.Bool("update", false, "write docs/fields.md")

const (
	fieldsPage    = "../docs/fields.md"
	fieldsHeading = `# Fields

Every field of every event's data, as [the schemas](../schemas) have it: a test writes this page from them. [connect.md](connect.md#events-and-subjects) has the
subjects, [reports.md](reports.md) says what reports mean. ` + "`[]`" + ` stands for the entries of a list, ` + "`{}`" + ` for the names of an object. A field in **bold** is always there,
if the object is that it is in. Any other field of an input may be null too.
`
)

// TestFieldsPage: docs/fields.md is what the schemas say.
func TestFieldsPage(t *testing.T) {
	examples := fieldExamples(t)
	var page strings.Builder
	page.WriteString(fieldsHeading)
	var all, without []string
	for _, event := range []string{
		shadow.DecompositionDone, shadow.EnvelopeSealed, shadow.BundleComplete, shadow.HardeningRequest, shadow.FixSubmitted, shadow.GapReport, shadow.ReportReviewed, shadow.RunReviewed,
		shadow.BundleQuarantined, shadow.DomainSettled, shadow.RunScored, shadow.EventRejected, shadow.EnvelopeOpened, shadow.Tick,
	} {
		f := fieldTable{t: t, examples: examples[event]}
		raw, err := os.ReadFile(event + ".json")
		if err == nil {
			err = yaml.Unmarshal(raw, &f.schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.object("", &f.schema)
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n| field | type | bounds | meaning | example |\n|---|---|---|---|---|\n%s", event, f.schema.Description, f.rows.String())
		for _, path := range f.paths {
			if all = append(all, path); examples[event][path] == "" {
				without = append(without, event+": "+path)
			}
		}
	}
	if len(all) < 200 || len(without) > len(all)/10 {
		t.Errorf("%d fields, %d without an example: %q", len(all), len(without), without)
	}
	if *update {
		if err := os.WriteFile(fieldsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(fieldsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page.String() {
		t.Error("docs/fields.md is not what the schemas say. If they are right: go test ./schemas -run TestFieldsPage -update")
	}
}

// fieldSchema is what the page tells of a schema.
type fieldSchema struct {
	Ref                                 string                  `yaml:"$ref"`
	Defs                                map[string]*fieldSchema `yaml:"$defs"`
	Type, Enum                          oneOrMore
	Description, Title, Pattern, Format string
	Const                               string
	Properties                          yaml.Node // in its order
	Required                            []string
	Items                               *fieldSchema
	AdditionalProperties                yaml.Node `yaml:"additionalProperties"` // a schema or false
	Minimum, Maximum                    string
	MinLength                           string `yaml:"minLength"`
	MaxLength                           string `yaml:"maxLength"`
	MinItems                            string `yaml:"minItems"`
	MaxItems                            string `yaml:"maxItems"`
	MinProperties                       string `yaml:"minProperties"`
	MaxProperties                       string `yaml:"maxProperties"`
}

type oneOrMore []string

func (o *oneOrMore) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*o = oneOrMore{n.Value}
		return nil
	}
	return n.Decode((*[]string)(o))
}

// kind is the type, of which null is not told.
func (s *fieldSchema) kind() string {
	if len(s.Type) == 0 {
		return "string" // of an enum
	}
	return s.Type[0]
}

// fieldTable makes the rows of an event's fields.
type fieldTable struct {
	t        *testing.T
	schema   fieldSchema
	examples map[string]string
	rows     strings.Builder
	paths    []string // of the fields that are no objects and no lists of them
}

// object adds the fields of an object at a path, which is empty or ends in a dot.
func (f *fieldTable) object(path string, o *fieldSchema) {
	for i := 0; i < len(o.Properties.Content); i += 2 {
		name := o.Properties.Content[i].Value
		f.field(path+name, f.decoded(o.Properties.Content[i+1]), slices.Contains(o.Required, name))
	}
}

// decoded is the schema at a node of the file.
func (f *fieldTable) decoded(n *yaml.Node) *fieldSchema {
	var s fieldSchema
	if err := n.Decode(&s); err != nil {
		f.t.Fatal(err)
	}
	return &s
}

func (f *fieldTable) field(path string, o *fieldSchema, required bool) {
	meaning := o.Description
	o = f.resolved(o)
	if meaning = cmp.Or(meaning, o.Description); meaning == "" {
		f.t.Errorf("%s has no description", path)
	}
	kind, limits, below := o.kind(), bounds(o), o
	name := "`" + path + "`"
	if required {
		name = "**" + name + "**"
	}
	switch {
	case kind == "array":
		path += "[]"
		below = f.resolved(o.Items)
		if kind = "list of " + below.kind() + "s"; below.kind() != "object" {
			limits = append(limits, bounds(below)...)
		}
	case o.AdditionalProperties.Kind == yaml.MappingNode:
		path += ".{}"
		below = f.resolved(f.decoded(&o.AdditionalProperties))
	}
	if below.kind() != "object" {
		f.paths = append(f.paths, path)
	}
	cells := []string{name, kind, strings.Join(limits, "; "), meaning, f.examples[path]}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Fprintln(&f.rows, "| "+strings.Join(cells, " | ")+" |")
	f.object(path+".", below)
}

// resolved follows references within the file.
func (f *fieldTable) resolved(o *fieldSchema) *fieldSchema {
	for o.Ref != "" {
		o = f.schema.Defs[strings.TrimPrefix(o.Ref, "#/$defs/")]
	}
	return o
}

// bounds says in words what a schema allows.
func bounds(o *fieldSchema) (all []string) {
	if words := slices.DeleteFunc(slices.Clone(o.Enum), func(w string) bool { return w == "" }); len(words) > 0 {
		all = append(all, "`"+strings.Join(words, "` `")+"`")
	}
	switch {
	case o.Const != "":
		all = append(all, "`"+o.Const+"`")
	case o.Title != "":
		all = append(all, o.Title)
	case o.Pattern != "":
		all = append(all, "`"+o.Pattern+"`")
	case o.Format != "":
		all = append(all, "RFC 3339")
	}
	for _, b := range [][3]string{{o.Minimum, o.Maximum, ""}, {o.MinLength, o.MaxLength, " characters"}, {o.MinItems, o.MaxItems, " entries"}, {o.MinProperties, o.MaxProperties, " names"}} {
		switch low, high, unit := b[0], b[1], b[2]; {
		case low == "" && high == "":
		case low == "":
			all = append(all, "at most "+high+unit)
		case high == "":
			all = append(all, "at least "+low+unit)
		default:
			all = append(all, low+" to "+high+unit)
		}
	}
	return all
}

// fieldExamples are values of fields by event and path: of inputs from the run in
// testdata, of outputs from what the protocol package makes.
func fieldExamples(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	add := func(event string, data []byte) {
		if all[event] == nil {
			all[event] = map[string]string{}
		}
		var v any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&v); err != nil {
			t.Fatal(err)
		}
		collect(all[event], "", v)
	}
	run, err := os.ReadFile("testdata/run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(run) {
		var l struct {
			Event struct {
				Type string
				Data json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		event := strings.TrimSuffix(strings.TrimPrefix(l.Event.Type, "dev.swarmspeed."), ".v1")
		if err := agree(t, event, l.Event.Data); err != nil {
			t.Fatal(err)
		}
		add(event, l.Event.Data)
	}
	review := &shadow.Review{RunID: "run-1", Domain: "api", By: "anna", Cycle: 1, ReportDigest: shadow.Digest(nil), Verdict: shadow.ReviewItems,
		Found: []shadow.Reviewed{{About: "sub-task 1", State: shadow.ItemFound, Line: 3, Because: "it is there"}}, Because: "I have read all of it"}
	add(shadow.ReportReviewed, valid(t, shadow.ReportReviewed, review))
	for _, level := range []int{4, 3} {
		s := newStage(t, func(s *shadow.Settings) { s.ConformanceLevel = level })
		for _, fails := range []int{3, 99} {
			r := s.judge(fails, nil)
			timedOut := shadow.TimedOut(s.policy, r, deadline, tick, "")
			reviewed := shadow.Stored(timedOut, shadow.Place{})
			reviewed.Reviews = []shadow.ReviewLine{{By: "anna", Verdict: shadow.ReviewItems, Gate: shadow.Proceed, Sequence: 7}}
			after, refused := timedOut.Review(s.policy, review.ReportDigest, review, shadow.Place{Sequence: 7, Time: sealed}, "UANNA")
			if refused != nil {
				t.Fatal(refused)
			}
			for event, v := range map[string]any{
				shadow.EnvelopeSealed:   s.exam.Envelope.Commitment,
				shadow.GapReport:        r,
				shadow.HardeningRequest: shadow.Request(r, s.policy, sealed),
				shadow.DomainSettled:    shadow.SettledDomains("run-1", s.domains, deadline)[0],
				shadow.Tick:             shadow.TickData{Due: deadline},
				shadow.RunScored:        s.sum(reviewed, nil),
				shadow.RunReviewed:      after,
				shadow.EnvelopeOpened:   shadow.OpeningData{RunID: "run-1", Opening: 1, OpenedAt: sealed, By: "op@host", SealedHash: s.exam.Envelope.Commitment.SealedHash},
				shadow.EventRejected:    shadow.Rejection{Reason: shadow.Late, Message: "m", Resubmit: "r", Subject: "s", Stream: "IN", In: shadow.Place{Sequence: 1, Time: sealed}},
			} {
				add(event, valid(t, event, v))
			}
			if n := shadow.Notice(timedOut); n != nil {
				add(shadow.BundleQuarantined, valid(t, shadow.BundleQuarantined, n))
			}
			for _, r := range []*shadow.Report{s.judge(fails, r), timedOut, shadow.Broken(&s.exam.Envelope.Commitment, s.domains, s.evidence, r, "it is not the one that was committed to")} {
				add(shadow.GapReport, valid(t, shadow.GapReport, r))
			}
		}
	}
	return all
}

// collect keeps a value of each field at or below a path. What is in an object is found by its name, and by {}.
func collect(into map[string]string, path string, v any) {
	example := fmt.Sprint(v)
	switch v := v.(type) {
	case []any:
		for _, part := range v {
			collect(into, path+"[]", part)
		}
		return
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			collect(into, strings.TrimPrefix(path+"."+name, "."), v[name])
			collect(into, strings.TrimPrefix(path+".{}", "."), v[name])
		}
		return
	case string:
		example = strings.Join(strings.Fields(v), " ")
	}
	if into[path] != "" || v == nil || example == "" {
		return
	}
	switch r := []rune(example); {
	case strings.HasPrefix(example, "sha256:"):
		example = "sha256:…" // the rest changes with every word of what it is of
	case len(r) > 60 && !strings.Contains(example, " "):
		example = "…" // and so does a signature
	case len(r) > 60:
		example = string(r[:60]) + "…"
	}
	into[path] = "`" + strings.ReplaceAll(example, "`", "'") + "`"
}
