package schemas

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// asyncAPI is the part of asyncapi.yaml that the tests look at.
type asyncAPI struct {
	Channels map[string]struct {
		Address    string
		Stream     string `yaml:"x-stream"`
		Parameters map[string]any
		Messages   map[string]reference
	}
	Operations map[string]struct {
		Action  string
		Channel reference
	}
	Components struct {
		Messages map[string]struct {
			Name    string
			Payload struct {
				AllOf []struct {
					Ref        string `yaml:"$ref"`
					Properties struct {
						Type struct{ Const string }
						Data reference
					}
				} `yaml:"allOf"`
				reference `yaml:",inline"`
			}
			Examples []struct{ Payload map[string]any }
		}
	}
}

type reference struct {
	Ref string `yaml:"$ref"`
}

func readAsyncAPI(t *testing.T) *asyncAPI {
	t.Helper()
	raw, err := os.ReadFile("asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc asyncAPI
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return &doc
}

// The subjects as the design has them, tokens by their parameters' names.
var addresses = map[string]string{
	"decomposition-done": "IN swarm.decomposition-done.{run}",
	"envelope-sealed":    "IN swarm.envelope-sealed.{run}",
	"bundle-complete":    "IN swarm.bundle-complete.{run}.{commander}",
	"fix-submitted":      "IN swarm.fix-submitted.{run}.{commander}",
	"report-reviewed":    "IN swarm.report-reviewed.{run}.{domain}.{reviewer}",
	"gap-report":         "OUT swarm.gap-report.{run}.{domain}.{cycle}",
	"hardening-request":  "OUT swarm.hardening-request.{commander}.{run}.{domain}.{cycle}",
	"bundle-quarantined": "OUT swarm.bundle-quarantined.{run}.{domain}",
	"domain-settled":     "OUT swarm.domain-settled.{commander}.{run}",
	"tick":               "IN swarm.tick.{number}",
	"run-scored":         "OUT swarm.run-scored.{run}",
	"run-reviewed":       "OUT swarm.run-reviewed.{run}.{domain}.{sequence}",
	"event-rejected":     "OUT swarm.event-rejected.{author}.{sequence}",
	"envelope-opened":    "OUT swarm.envelope-opened.{run}.{opening}",
}

func TestAsyncAPIChannels(t *testing.T) {
	doc := readAsyncAPI(t)
	events := eventConstants(t)
	got := map[string]string{}
	var names []string
	for name, c := range doc.Channels {
		names = append(names, name)
		got[name] = c.Stream + " " + c.Address
		var want, have []string
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(c.Address, -1) {
			want = append(want, m[1])
		}
		for p := range c.Parameters {
			have = append(have, p)
		}
		slices.Sort(want)
		slices.Sort(have)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s: tokens (-) and parameters (+):\n%s", name, diff)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(events, names); diff != "" {
		t.Errorf("events (-) and channels (+):\n%s", diff)
	}
	if diff := cmp.Diff(addresses, got); diff != "" {
		t.Errorf("subjects (-) and addresses (+):\n%s", diff)
	}
}

// Every event has one operation; inputs are received, in both modes, and
// outputs are sent.
func TestAsyncAPIOperations(t *testing.T) {
	doc := readAsyncAPI(t)
	if len(doc.Operations) != len(events()) {
		t.Errorf("%d operations for %d events", len(doc.Operations), len(events()))
	}
	for _, event := range events() {
		_, input := full[event]
		action, want := "send", map[string]reference{"structured": {"#/components/messages/" + event}}
		if input {
			action = "receive"
			want["binary"] = reference{"#/components/messages/" + event + "-binary"}
		}
		op := doc.Operations[action+"-"+event]
		if op.Action != action || op.Channel.Ref != "#/channels/"+event {
			t.Errorf("%s: operation %+v, want one with action %s", event, op, action)
		}
		if diff := cmp.Diff(want, doc.Channels[event].Messages); diff != "" {
			t.Errorf("%s: messages, want (-) and have (+):\n%s", event, diff)
		}
	}
}

// Every message is of its event's type and schema, and examples are valid.
func TestAsyncAPIMessages(t *testing.T) {
	doc := readAsyncAPI(t)
	for _, event := range events() {
		_, input := full[event]
		eventType, file := "dev.swarmspeed."+event+".v1", "./"+event+".json"
		m := doc.Components.Messages[event]
		if len(m.Payload.AllOf) != 2 {
			t.Fatalf("%s: payload %+v", event, m.Payload)
		}
		attributes := "#/components/schemas/outputAttributes"
		if input {
			attributes = "#/components/schemas/inputAttributes"
		}
		own := m.Payload.AllOf[1].Properties
		if m.Name != eventType || m.Payload.AllOf[0].Ref != attributes || own.Type.Const != eventType || own.Data.Ref != file {
			t.Errorf("%s: message %+v", event, m)
		}
		if !input {
			continue
		}
		if b := doc.Components.Messages[event+"-binary"]; !strings.HasPrefix(b.Name, eventType) || b.Payload.Ref != file {
			t.Errorf("%s: binary message %+v", event, b)
		}
		if len(m.Examples) == 0 {
			t.Errorf("%s: no example", event)
		}
		for _, x := range m.Examples {
			data, err := json.Marshal(x.Payload["data"])
			if err != nil {
				t.Fatal(err)
			}
			if err := agree(t, event, data); err != nil || x.Payload["type"] != eventType {
				t.Errorf("%s: example of type %s: %v", event, x.Payload["type"], err)
			}
		}
	}
}
