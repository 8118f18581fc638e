// Package schemas holds a JSON Schema (draft 2020-12) for the data of every
// event and for the requests and replies of services, and the AsyncAPI document
// that describes the channels they travel on.
//
// Two more describe YAML files: the configuration and criteria files, which
// [ReadFile] checks and decodes. JSON and YAML share what judges them and the
// words for what is wrong.
//
// [Validate] promises more than the schemas say. What passes is read the same
// way by every JSON decoder: it is one value in valid UTF-8, no object has the
// same name twice or in two spellings of upper and lower case, no name of the
// schema is spelt in another case, and every number is a finite float64. This
// matters because the schema judges one decoded value and encoding/json
// decodes another: it matches names in any case and lets the last one win.
//
// Validate does not promise what a schema cannot say: that ids agree with the
// subject, or that a name stands only once in a list.
package schemas

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.json
var files embed.FS

// The messages of services, which are no events: what shadowd asks judges and
// authors on the bus, and what they answer.
const (
	JudgeRequest  = "judge-request"
	JudgeReply    = "judge-reply"
	AuthorRequest = "author-request"
	AuthorReply   = "author-reply"
	SealedReply   = "sealed-reply"
)

// Services returns the names of the messages of services, sorted.
func Services() []string {
	return []string{AuthorReply, AuthorRequest, JudgeReply, JudgeRequest, SealedReply}
}

// The YAML files that a schema describes.
const (
	Config   = "config"
	Criteria = "criteria"
)

// Names returns the names of all events, sorted.
func Names() []string {
	others := append(Services(), Config, Criteria)
	return slices.DeleteFunc(all(), func(name string) bool { return slices.Contains(others, name) })
}

// all returns the names of all schemas, sorted.
func all() []string {
	entries, _ := files.ReadDir(".") // an embedded folder can always be read
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
	}
	return names
}

// Schema returns the JSON text of the schema for the data of the event, or for
// the message of services, called name; nil if there is none.
func Schema(name string) []byte {
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil
	}
	return text
}

// Validate checks the JSON data of the event, or the message of services,
// called name. Its error is for the
// author of the event: it lists up to five problems, each with a JSON pointer,
// what is wrong and what is allowed. What it quotes of the data is escaped and
// cut short, so the error is safe to log and to publish, and the same data
// always gives the same error. Validate is safe for concurrent use.
func Validate(name string, data []byte) error {
	s := compiled()[name]
	if s == nil {
		return fmt.Errorf("%.60q is not the name of an event: use one of %s", name, strings.Join(Names(), ", "))
	}
	v, err := decode(data, s)
	if err != nil {
		return err
	}
	return list(check(s, v))
}

// compiled are the schemas by event name. A schema that does not compile is a
// mistake in this folder, which the tests catch, so it panics.
var compiled = sync.OnceValue(func() map[string]*jsonschema.Schema {
	all, err := compile()
	if err != nil {
		panic(err)
	}
	return all
})

func compile() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	// Every schema stands for itself; nothing is loaded from outside.
	c.UseLoader(jsonschema.SchemeURLLoader{})
	compiled := map[string]*jsonschema.Schema{}
	var errs []error
	for _, name := range all() {
		url := "https://swarmspeed.dev/schemas/" + name + ".v1.json"
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(Schema(name))))
		if err == nil {
			err = c.AddResource(url, doc)
		}
		if err == nil {
			compiled[name], err = c.Compile(url)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("compiling the schema of %s: %w", name, err))
		}
	}
	return compiled, errors.Join(errs...)
}
