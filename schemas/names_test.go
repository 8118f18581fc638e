package schemas

import (
	"maps"
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// serviceMessages are the names of the messages of services, sorted.
func serviceMessages() []string {
	return []string{AuthorReply, AuthorRequest, JudgeReply, JudgeRequest, SealedReply}
}

// eventConstants are the names of all events by the constants of the protocol,
// among which the name of timers is no event.
func eventConstants(t *testing.T) []string {
	return slices.DeleteFunc(constants(t, "event.go", ""), func(name string) bool { return name == shadow.Clock })
}

// events are the names of all events, sorted.
func events() []string {
	others := append(serviceMessages(), Config, Criteria)
	return slices.DeleteFunc(all(), func(name string) bool { return slices.Contains(others, name) })
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
