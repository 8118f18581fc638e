package schemas

import (
	"maps"
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// eventConstants are the names of all events by the constants of the protocol,
// among which the name of timers is no event.
func eventConstants(t *testing.T) []string {
	return slices.DeleteFunc(constants(t, "event.go", ""), func(name string) bool { return name == shadow.Clock })
}

// events are the names of all events, sorted.
func events() []string {
	return slices.DeleteFunc(all(), func(name string) bool { return name == Config || name == Criteria })
}

// all are the names of all schemas, sorted.
func all() []string { return slices.Sorted(maps.Keys(compiled())) }

// schema is the text of a schema, nil if there is none.
func schema(name string) []byte {
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil
	}
	return text
}
