package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// maxFile is the most that is read of a file: more than what is taken of one.
const maxFile = 2 << 20

// override is an environment variable that goes before the file.
type override struct {
	env, path string
	field     func(*Config) *string
}

var overrides = []override{
	{"SHADOWD_BUS_URL", "bus.url", func(c *Config) *string { return &c.Bus.URL }},
	{"SHADOWD_BUS_CREDENTIALS", "bus.credentials", func(c *Config) *string { return &c.Bus.Credentials }},
	{"SHADOWD_BUS_NKEY", "bus.nkey", func(c *Config) *string { return &c.Bus.NKey }},
	{"SHADOWD_ENVELOPE_KEY", "keys.envelope", func(c *Config) *string { return &c.Keys.Envelope }},
	{"SHADOWD_NOTIFY_URL", "notify.url", func(c *Config) *string { return &c.Notify.URL }},
	{"SHADOWD_SIGNING_KEY", "keys.signing", func(c *Config) *string { return &c.Keys.Signing }},
}

// Load reads the configuration file at path and applies the environment
// (KEY=value each). An empty path means ./config.yml if there is one, and the
// defaults otherwise; a file that is named must exist. Its error is a
// [strict.FileError] if the content is wrong.
func Load(path string, environ []string) (*Config, error) {
	if path == "" {
		path = "config.yml"
		// A link that leads nowhere is one that was meant to be read.
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return Parse("", nil, environ)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile)) // a device or a pipe cannot fill the memory
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(path, text, environ)
}

// Parse lays text over the defaults and the environment over both. file is the
// name for messages.
func Parse(file string, text []byte, environ []string) (*Config, error) {
	c := Default()
	c.Places = Places{}
	p := &parse{File: strict.ReadFile(file, text, c), env: map[string]string{}}
	for _, o := range overrides {
		if value := Getenv(environ, o.env); value != "" {
			*o.field(c) = value
			p.env[o.path] = o.env
		}
	}
	p.check(c)
	if err := p.Err(); err != nil {
		return nil, err
	}
	c.complete()
	for i := range c.Seal.Authors {
		path := fmt.Sprintf("seal.authors[%d].file", i)
		c.Places[path] = p.Place(path)
	}
	return c, nil
}

// complete puts what is in effect where one setting bounds another, or says
// nothing.
func (c *Config) complete() {
	s := &c.ShadowScoring
	s.ConformanceLevel = "L" + strconv.Itoa(s.MaxLevel())
	for _, scale := range []*shadow.Scale{&c.Scales.SS50, &c.Scales.SS100, &c.Scales.SS250} {
		scale.Criteria = min(scale.Criteria, s.SealedCriteriaCount)
	}
	for i := range c.Models {
		m := &c.Models[i]
		m.Timeout, m.Concurrency = cmp.Or(m.Timeout, modelTimeout), cmp.Or(m.Concurrency, modelConcurrency)
	}
}

// Getenv is the value of an environment variable. One that is set to nothing
// counts as not set: that is how a compose file passes on what is missing.
func Getenv(environ []string, name string) string {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// YAML writes a configuration so that Load reads the same back.
func YAML(c *Config) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(c); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// Changed are the settings in which two configurations differ, by their paths,
// such as "log.level". A list is one setting.
func Changed(a, b *Config) []string {
	return changed("", reflect.ValueOf(*a), reflect.ValueOf(*b))
}

func changed(path string, a, b reflect.Value) (paths []string) {
	if a.Kind() != reflect.Struct {
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			paths = []string{path}
		}
		return paths
	}
	for f, of := range a.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "-" {
			paths = append(paths, changed(strings.TrimPrefix(path+"."+name, "."), of, b.FieldByIndex(f.Index))...)
		}
	}
	return paths
}

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
