// Package schemas holds a JSON Schema (draft 2020-12) for the data of every
// event, and the AsyncAPI document that describes the channels they travel on.
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
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.json
var files embed.FS

// The YAML files that a schema describes.
const (
	Config   = "config"
	Criteria = "criteria"
)

// Validate checks the JSON data of the event called name. Its error is for the
// author of the event: it lists up to five problems, each with a JSON pointer,
// what is wrong and what is allowed. What it quotes of the data is escaped and
// cut short, so the error is safe to log and to publish, and the same data
// always gives the same error. Validate is safe for concurrent use.
func Validate(name string, data []byte) error {
	_, err := Ignored(name, data)
	return err
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
	entries, _ := files.ReadDir(".") // an embedded folder can always be read
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		url := "https://swarmspeed.dev/schemas/" + name + ".v1.json"
		text, err := files.ReadFile(e.Name())
		var doc any
		if err == nil {
			doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(text))
		}
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
