package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// published is an event that a page publishes with the nats command line.
var published = regexp.MustCompile(`(?s)nats (?:req|pub) (\S+) '([^']*)'`)

// TestDocEvents: each event that a page publishes is one that shadowd takes: a CloudEvent on a subject of its type,
// whose data have the ids of the subject and fit the schema, and nothing in them that is ignored.
func TestDocEvents(t *testing.T) {
	found := map[string]int{}
	for name, page := range pages(t) {
		for _, m := range published.FindAllStringSubmatch(page, -1) {
			ev, err := cloudevent.Decode(nil, []byte(m[2]))
			if err != nil {
				t.Errorf("%s, %s: %v", name, m[1], err)
				continue
			}
			at, err := layout.Subjects{}.Parse(m[1])
			if err != nil || ev.Type() != shadow.Type(at.Name) {
				t.Errorf("%s, %s is no subject of %s: %v", name, m[1], ev.Type(), err)
				continue
			}
			found[at.Name]++
			if _, ignored, err := shadow.Decode(at.Name, ev.Data()); err != nil || len(ignored) > 0 {
				t.Errorf("%s, %s: %v, ignored is %q", name, m[1], err, ignored)
			}
			ids := struct {
				Run       string `json:"run_id"`
				Commander string `json:"commander_id"`
			}{}
			if err := json.Unmarshal(ev.Data(), &ids); err != nil || ids.Run != at.Run || ids.Commander != at.Commander {
				t.Errorf("%s, %s: the data have %+v", name, m[1], ids)
			}
		}
	}
	for _, name := range []string{shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted} {
		if found[name] == 0 {
			t.Errorf("no page shows how to publish %s", name)
		}
	}
}

// TestDocReasons: the page on swarms says of each reason of a rejection whether to publish again.
func TestDocReasons(t *testing.T) {
	page := pages(t)["docs/connect.md"]
	for _, reason := range shadow.Reasons() {
		if !strings.Contains(page, "`"+string(reason)+"`") {
			t.Errorf("%s is not there", reason)
		}
	}
}
