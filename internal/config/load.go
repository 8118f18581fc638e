package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
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
		path := "seal.authors[" + strconv.Itoa(i) + "].file"
		c.Places[path] = p.Place(path)
	}
	return c, nil
}

// parse is a file and the environment that goes before it.
type parse struct {
	*strict.File
	env map[string]string // path → variable
}

// fail notes what is wrong at a path, wherever its value is from.
func (p *parse) fail(path, format string, args ...any) {
	if variable := p.env[path]; variable != "" {
		p.FailOutside(variable, path, fmt.Sprintf(format, args...))
		return
	}
	p.Fail(path, format, args...)
}

// set reports whether somebody gave a value for a path.
func (p *parse) set(path string) bool { return p.env[path] != "" || p.Has(path) }

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
		m.Timeout = cmp.Or(m.Timeout, modelTimeout)
		m.Concurrency = cmp.Or(m.Concurrency, modelConcurrency)
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

// UnknownVariables warns of every SHADOWD_ variable that shadowd does not
// read. Those for tests (SHADOWD_TEST…) are left alone.
func UnknownVariables(environ []string) []string {
	var known, warnings []string
	for _, o := range overrides {
		known = append(known, o.env)
	}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "SHADOWD_") || strings.HasPrefix(name, "SHADOWD_TEST") || slices.Contains(known, name) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("the environment variable %s is not known%s; known are %s",
			name, strict.DidYouMean(name, known), strings.Join(known, ", ")))
	}
	slices.Sort(warnings)
	return warnings
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
func Changed(a, b *Config) ([]string, error) {
	var settings [2]map[string]any
	for i, c := range []*Config{a, b} {
		text, err := YAML(c)
		if err != nil {
			return nil, err
		}
		var tree map[string]any
		if err := yaml.Unmarshal(text, &tree); err != nil {
			return nil, err
		}
		settings[i] = map[string]any{}
		flatten(settings[i], "", tree)
	}
	same := func(path string) bool { return reflect.DeepEqual(settings[0][path], settings[1][path]) }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(settings[0])), same), nil
}

func flatten(into map[string]any, path string, tree map[string]any) {
	for key, v := range tree {
		if inner, ok := v.(map[string]any); ok {
			flatten(into, path+key+".", inner)
		} else {
			into[path+key] = v
		}
	}
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
