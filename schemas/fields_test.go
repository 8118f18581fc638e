package schemas

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		f := fieldTable{t: t, schema: parse(t, schema(event)), examples: examples[event]}
		f.object("", f.schema)
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n| field | type | bounds | meaning | example |\n|---|---|---|---|---|\n%s", event, f.schema.text("description"), f.rows.String())
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
	if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(page.String(), "\n")); diff != "" {
		t.Errorf("docs/fields.md (-) is not what the schemas say (+). If they are right: go test ./schemas -run TestFieldsPage -update\n%s", diff)
	}
}

// node is a JSON value whose objects keep the order of their names.
type node struct {
	raw    string
	names  []string // of an object
	fields map[string]*node
	list   []*node // of an array
}

func parse(t *testing.T, raw []byte) *node {
	t.Helper()
	n := &node{raw: strings.TrimSpace(string(raw))}
	d := json.NewDecoder(strings.NewReader(n.raw))
	if n.raw[0] != '{' && n.raw[0] != '[' {
		return n
	}
	_, err := d.Token()
	for n.fields = map[string]*node{}; err == nil && d.More(); {
		var name json.Token
		var part json.RawMessage
		if n.raw[0] == '{' {
			name, err = d.Token()
		}
		if err == nil {
			err = d.Decode(&part)
		}
		if err != nil {
			break
		}
		if name == nil {
			n.list = append(n.list, parse(t, part))
			continue
		}
		n.names = append(n.names, name.(string))
		n.fields[name.(string)] = parse(t, part)
	}
	if err != nil {
		t.Fatalf("%v: %.100s", err, raw)
	}
	return n
}

// text is the string or the number of that name, empty if there is none.
func (n *node) text(name string) string {
	of := n.fields[name]
	if of == nil {
		return ""
	}
	var s string
	if json.Unmarshal([]byte(of.raw), &s) != nil {
		return of.raw
	}
	return s
}

// texts are the strings of a list.
func (n *node) texts(name string) (all []string) {
	if of := n.fields[name]; of != nil {
		_ = json.Unmarshal([]byte(of.raw), &all)
	}
	return all
}

// fieldTable makes the rows of an event's fields.
type fieldTable struct {
	t        *testing.T
	schema   *node
	examples map[string]string
	rows     strings.Builder
	paths    []string // of the fields that are no objects and no lists of them
}

// object adds the fields of an object at a path, which is empty or ends in a dot.
func (f *fieldTable) object(path string, o *node) {
	properties := o.fields["properties"]
	if properties == nil {
		return
	}
	for _, name := range properties.names {
		f.field(path+name, properties.fields[name], slices.Contains(o.texts("required"), name))
	}
}

func (f *fieldTable) field(path string, o *node, required bool) {
	meaning := o.text("description")
	o = f.resolved(o)
	if meaning == "" {
		meaning = o.text("description")
	}
	if meaning == "" {
		f.t.Errorf("%s has no description", path)
	}
	kind, limits, below := kindOf(o), bounds(o), o
	name := "`" + path + "`"
	if required {
		name = "**" + name + "**"
	}
	switch more := o.fields["additionalProperties"]; {
	case kind == "array":
		path += "[]"
		below = f.resolved(o.fields["items"])
		if kind = "list of " + kindOf(below) + "s"; kindOf(below) != "object" {
			limits = append(limits, bounds(below)...)
		}
	case more != nil && more.fields != nil:
		path += ".{}"
		below = f.resolved(more)
	}
	if kindOf(below) != "object" {
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
func (f *fieldTable) resolved(o *node) *node {
	for o.text("$ref") != "" {
		o = f.schema.fields["$defs"].fields[strings.TrimPrefix(o.text("$ref"), "#/$defs/")]
	}
	return o
}

// kindOf is the type, of which null is not told.
func kindOf(o *node) string {
	if all := o.texts("type"); all != nil {
		return all[0]
	}
	if o.text("type") == "" {
		return "string" // of an enum
	}
	return o.text("type")
}

// bounds says in words what a schema allows.
func bounds(o *node) (all []string) {
	if words := o.texts("enum"); words != nil {
		all = append(all, "`"+strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "` `")+"`")
	}
	switch constant, title, pattern := o.text("const"), o.text("title"), o.text("pattern"); {
	case constant != "":
		all = append(all, "`"+constant+"`")
	case title != "":
		all = append(all, title)
	case pattern != "":
		all = append(all, "`"+pattern+"`")
	case o.text("format") != "":
		all = append(all, "RFC 3339")
	}
	for _, b := range [][3]string{{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " entries"}, {"minProperties", "maxProperties", " names"}} {
		switch low, high := o.text(b[0]), o.text(b[1]); {
		case low == "" && high == "":
		case low == "":
			all = append(all, "at most "+high+b[2])
		case high == "":
			all = append(all, "at least "+low+b[2])
		default:
			all = append(all, low+" to "+high+b[2])
		}
	}
	return all
}

// fieldExamples are values of fields by event and path: of inputs from the run in
// testdata, of outputs from what the protocol package makes.
func fieldExamples(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	add := func(event string, data *node) {
		if all[event] == nil {
			all[event] = map[string]string{}
		}
		collect(all[event], "", data)
	}
	run, err := os.ReadFile("testdata/run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(run) {
		event := parse(t, line).fields["event"]
		add(strings.TrimSuffix(strings.TrimPrefix(event.text("type"), "dev.swarmspeed."), ".v1"), event.fields["data"])
	}
	add(shadow.ReportReviewed, parse(t, valid(t, shadow.ReportReviewed, review)))
	for _, s := range []*stage{newStage(t, func(s *shadow.Settings) { s.ConformanceLevel = 4 }), newStage(t, nil)} {
		for _, passes := range []int{4, 0} {
			r := s.judge(passes, nil)
			for event, v := range s.outputs(r) {
				add(event, parse(t, valid(t, event, v)))
			}
			for _, r := range []*shadow.Report{s.judge(passes, r), shadow.TimedOut(s.policy, r, deadline, tick, ""), shadow.Broken(&s.exam.Commitment, s.domains, s.evidence, r, "it is not the one that was committed to")} {
				add(shadow.GapReport, parse(t, valid(t, shadow.GapReport, r)))
			}
		}
	}
	return all
}

// collect keeps a value of each field at or below a path. What is in an object is
// found by its name, and by {}.
func collect(into map[string]string, path string, n *node) {
	for _, part := range n.list {
		collect(into, path+"[]", part)
	}
	for _, name := range n.names {
		for _, token := range []string{name, "{}"} {
			collect(into, strings.TrimPrefix(path+"."+token, "."), n.fields[name])
		}
	}
	if n.fields != nil || into[path] != "" || n.raw == "null" || n.raw == `""` {
		return
	}
	example, text := n.raw, ""
	if json.Unmarshal([]byte(n.raw), &text) == nil {
		example = strings.Join(strings.Fields(text), " ")
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
