package config

import (
	"bytes"
	_ "embed"
	"text/template"
)

//go:embed starter/config.yml
var starterConfig string

// StarterCriteria is a first file of criteria, which a [Starter] calls
// criteria.yml.
//
//go:embed starter/criteria.yml
var StarterCriteria []byte

// Starter is what a first configuration is made of. The zero value works alone.
type Starter struct {
	URL    string   // of a NATS server; empty: one of its own
	Listen string   // bus.listen of that one
	Judges []string // as judging.panel takes them
	Page   string   // http.listen; empty: no page
}

// Config is the commented configuration, as yet unchecked.
func (s Starter) Config() ([]byte, error) {
	t, err := template.New("config.yml").Parse(starterConfig)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, s)
	return b.Bytes(), err
}
