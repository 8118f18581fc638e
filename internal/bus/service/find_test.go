package service

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/micro"
)

// TestFindIsShort: a service that says more about itself than fits into a
// log is cut short.
func TestFindIsShort(t *testing.T) {
	long := strings.Repeat("é\u202e", 50_000)
	info := micro.Info{Type: micro.InfoResponseType, Endpoints: []micro.EndpointInfo{{Subject: "shadow.judge.s"}}, Description: long}
	info.Metadata = map[string]string{"a": long}
	for i := range 1000 {
		info.Metadata[fmt.Sprint("b", i)] = "x"
	}
	raw, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	found, err := readInfo(raw, "shadow.judge.s")
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(fmt.Sprint(found))); n > 1100 || len([]rune(found.Description+found.Metadata["a"])) > 2100 || len(found.Metadata) > 20 {
		t.Errorf("%d characters, %d and %d, and %d data", n, len(found.Description), len(found.Metadata["a"]), len(found.Metadata))
	}
}
