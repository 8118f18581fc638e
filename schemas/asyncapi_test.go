package schemas

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

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

// addresses are the subjects as the design has them, tokens by their parameters' names.
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

// TestAsyncAPI: every event has a channel, an operation and a message of its type and
// schema. Inputs are received, in both modes, and have examples; outputs are sent.
func TestAsyncAPI(t *testing.T) {
	raw, err := os.ReadFile("asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc asyncAPI
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if n := len(events()); len(addresses) != n || len(doc.Channels) != n || len(doc.Operations) != n {
		t.Errorf("%d events, %d addresses, %d channels, %d operations", n, len(addresses), len(doc.Channels), len(doc.Operations))
	}
	for _, event := range events() {
		eventType, file := "dev.swarmspeed."+event+".v1", "./"+event+".json"
		action, attributes, messages := "send", "#/components/schemas/outputAttributes", map[string]reference{"structured": {"#/components/messages/" + event}}
		if inputs[event] != nil {
			action, attributes = "receive", "#/components/schemas/inputAttributes"
			messages["binary"] = reference{"#/components/messages/" + event + "-binary"}
			if m := doc.Components.Messages[event+"-binary"]; !strings.HasPrefix(m.Name, eventType) || m.Payload.Ref != file {
				t.Errorf("%s: binary message %+v", event, m)
			}
		}
		c := doc.Channels[event]
		var tokens []string
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(c.Address, -1) {
			tokens = append(tokens, m[1])
		}
		slices.Sort(tokens)
		if c.Stream+" "+c.Address != addresses[event] || !slices.Equal(tokens, slices.Sorted(maps.Keys(c.Parameters))) || !maps.Equal(c.Messages, messages) {
			t.Errorf("%s: channel %+v, want %s, %v", event, c, addresses[event], messages)
		}
		if op := doc.Operations[action+"-"+event]; op.Action != action || op.Channel.Ref != "#/channels/"+event {
			t.Errorf("%s: operation %+v, want one with action %s", event, op, action)
		}
		m := doc.Components.Messages[event]
		if len(m.Payload.AllOf) != 2 || m.Name != eventType || m.Payload.AllOf[0].Ref != attributes ||
			m.Payload.AllOf[1].Properties.Type.Const != eventType || m.Payload.AllOf[1].Properties.Data.Ref != file || inputs[event] != nil && len(m.Examples) == 0 {
			t.Errorf("%s: message %+v", event, m)
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
