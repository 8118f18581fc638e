package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// BuiltIn is the name of the author that needs no file.
const BuiltIn = "rules"

// Author is one author of criteria: "rules", a file of standing criteria, a
// model, or a service on the bus.
type Author struct {
	// File holds the criteria. The built-in author has none of the three.
	File string `yaml:"file,omitempty"`
	// Model is the name of one of models, PROVIDER:MODEL, or URL#MODEL.
	Model string `yaml:"model,omitempty"`
	// Service answers on shadow.author.<service>. Family is that of its model,
	// and Sealed demands that its replies are sealed to the envelope key.
	Service string `yaml:"service,omitempty"`
	Family  string `yaml:"family,omitempty"`
	Sealed  bool   `yaml:"sealed,omitempty"`
	// Name stands for the author in envelopes and in the log; empty is the
	// base name of File without its ending, or the model's or service's.
	Name string `yaml:"name,omitempty"`
}

// authorKinds is what may stand in the list, for messages.
const authorKinds = "rules, PROVIDER:MODEL, file: PATH, model: NAME and service: NAME"

// UnmarshalYAML reads the word of the built-in author or of a model, or a
// mapping.
func (a *Author) UnmarshalYAML(n *yaml.Node) error {
	type mapping Author
	switch {
	case n.Kind != yaml.ScalarNode:
		return n.Decode((*mapping)(a))
	case n.Value == BuiltIn:
		a.Name = BuiltIn
	default:
		a.Model = n.Value
	}
	return nil
}

// MarshalYAML writes the built-in author as the word that it is.
func (a Author) MarshalYAML() (any, error) {
	if a.builtIn() {
		return a.Name, nil
	}
	type mapping Author
	return mapping(a), nil
}

// BuiltIn: none of what an author of another kind has.
func (a Author) builtIn() bool { return a.File == "" && a.Model == "" && a.Service == "" }

// Offline tells whether the author asks nobody.
func (a Author) Offline() bool { return a.Model == "" && a.Service == "" }

// DisplayName is the author's name in effect.
func (a Author) DisplayName() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Model != "":
		return modelName(a.Model)
	case a.Service != "":
		return a.Service
	}
	base := filepath.Base(a.File)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// checkAuthors notes authors that are of no kind or of two, and names that are
// no names or there twice.
func (p *parse) checkAuthors(c *Config) {
	const path = "seal.authors"
	seen := map[string]bool{}
	for i, a := range c.Seal.Authors {
		here := path + "[" + strconv.Itoa(i) + "]"
		// One that was refused has its message already.
		if p.Failed(here) {
			continue
		}
		problem := ""
		switch {
		case a.builtIn() && a.Name == BuiltIn && seen[BuiltIn]:
			problem = "there are two called rules: allowed is each name once"
		case a.builtIn() && a.Name == BuiltIn:
		case a.builtIn():
			problem = "an author without a file, a model or a service: allowed are " + authorKinds
		case a.File != "" && !a.Offline():
			problem = "two kinds of author in one: allowed is one of file, model and service"
		case a.File != "" && (a.Family != "" || a.Sealed):
			problem = "a file has no family and is not sealed: allowed are these only with a service"
		case a.Model != "" && !strings.ContainsAny(a.Model, ":#") && c.model(a.Model) == nil && p.Node(here).Kind == yaml.ScalarNode:
			problem = quote(a.Model) + " is not an author" + schemas.DidYouMean(a.Model, append(c.modelNames(), BuiltIn)) + ": allowed are " + authorKinds
		case a.File == "":
			problem = c.sourceProblem(a.Model, a.Service, a.Family, a.Sealed)
		}
		if problem == "" && !a.builtIn() {
			problem = nameProblem(a.DisplayName(), seen)
		}
		if problem != "" {
			p.fail(here, "%s", problem)
		}
		seen[a.DisplayName()] = true
	}
}

// checkAuthorFiles notes files that are not there or are none, at the lines
// that name them. What is in them is read only by what needs the criteria.
func (p *parse) checkAuthorFiles(authors []Author) {
	for i, a := range authors {
		if a.File == "" {
			continue
		}
		what := ""
		if info, err := os.Stat(a.File); errors.Is(err, fs.ErrNotExist) {
			what = "is not there"
		} else if err == nil && info.IsDir() {
			what = "is a directory"
		}
		if what != "" {
			p.fail("seal.authors["+strconv.Itoa(i)+"]", "%s %s: allowed is a file of criteria; docs/authors.md explains them", shadow.Printable(a.File), what)
		}
	}
}
