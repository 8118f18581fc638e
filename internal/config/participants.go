package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Judging says who reads the work.
type Judging struct {
	Panel    []Participant `yaml:"panel" is:"max=25"`
	Timeout  time.Duration `yaml:"timeout" is:"min=1s,max=1h"` // of one vote, retries included
	Wait     time.Duration `yaml:"wait" is:"max=24h"`          // of a bundle for judges out of reach
	Controls bool          `yaml:"controls"`                   // ask control questions
	Budget   Budget        `yaml:"budget"`
}

// Budget bounds what one cycle of a domain may spend on each judge in one
// daemon. 0 is no bound.
type Budget struct {
	Calls  int           `yaml:"calls" is:"max=1000000000"`
	Tokens int64         `yaml:"tokens" is:"max=1000000000000"`
	Time   time.Duration `yaml:"time" is:"max=365d"`
}

// Participant is an author of criteria or a judge: a model or, of authors, a
// file of criteria. A model alone may be written as the word that it is.
type Participant struct {
	File  string `yaml:"file,omitempty"`  // of an author's criteria
	Model string `yaml:"model,omitempty"` // one of models, PROVIDER:MODEL, URL#MODEL, or recorded:FILE
	Name  string `yaml:"name,omitempty"`  // in reports and the log; empty: see DisplayName
}

// UnmarshalText takes the word of a model.
func (a *Participant) UnmarshalText(word []byte) error {
	a.Model = string(word)
	return nil
}

// MarshalYAML writes a model alone as one word.
func (a Participant) MarshalYAML() (any, error) {
	if a == (Participant{Model: a.Model}) {
		return a.Model, nil
	}
	type mapping Participant
	return mapping(a), nil
}

// recordedPrefix is before the file in the word for recorded answers.
const recordedPrefix = "recorded:"

// Recorded is the file that the participant's answers are read from, or empty.
func (a Participant) Recorded() string {
	if file, ok := strings.CutPrefix(a.Model, recordedPrefix); ok {
		return file
	}
	return ""
}

// DisplayName is the participant's name in effect: by default that of the model, or the
// base name of the file without its ending.
func (a Participant) DisplayName() string {
	base := func(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }
	address, err := llm.ParseAddress(a.Model)
	switch {
	case a.Name != "":
		return a.Name
	case a.File != "":
		return base(a.File)
	case a.Recorded() != "":
		// FILE#NAME is one of several judges in a file.
		file, name, _ := strings.Cut(a.Recorded(), "#")
		return cmp.Or(name, base(file))
	case err == nil:
		return address.Name
	}
	return a.Model
}

// checkParticipants notes participants that are of no kind or of two, and names
// that are no names or there twice.
func (p *parse) checkParticipants(c *Config, path string, all []Participant) {
	seen := map[string]bool{}
	p.each(path, len(all), func(i int) string { return c.problem(all[i], path == "seal.authors", seen) })
}

// participantName is what an author or a judge may be called: a name, or the
// word for a model.
var participantName = regexp.MustCompile(`\A[A-Za-z0-9_.:/@+~-]{1,140}\z`)

// problem says what is wrong with an author or a judge, where seen are the names
// that are taken. It takes the name.
func (c *Config) problem(a Participant, author bool, seen map[string]bool) string {
	name := a.DisplayName()
	twice := seen[name]
	seen[name] = true
	kinds := "allowed is a model"
	if author {
		kinds = "allowed is a file or a model"
	}
	_, _, err := c.Endpoint(a.Model)
	unknown := a.File == "" && a.Recorded() == "" && err != nil
	switch {
	case a.File != "" && !author:
		return "file is about an author: " + kinds
	case a.File == "" && a.Model == "":
		return "nobody is named: " + kinds
	case a.File != "" && a.Model != "":
		return "both a file and a model: allowed is one of them"
	case a.Model == recordedPrefix:
		return recordedPrefix + " names no file: allowed is recorded:FILE"
	case unknown && !strings.ContainsAny(a.Model, ":#"):
		return "there is no model called " + quote(a.Model) + ": " + kinds + ": PROVIDER:MODEL, such as openai:gpt-5-mini, URL#MODEL, recorded:FILE, or a name of models"
	case unknown:
		return err.Error()
	case twice:
		return "there are two called " + quote(name) + ": allowed is each name once; give one of them another with name:"
	case name == shadow.Program || name == "commander":
		return name + " is the name of what is built in: allowed are other names; give it one with name:"
	case !participantName.MatchString(name):
		return quote(name) + " is not a name: allowed are A-Z, a-z, 0-9 and . _ - : / @ + ~, at most 140; give it one with name:"
	}
	return ""
}

// maxNamed bounds the participants of a command line, as the schema bounds
// judging.panel.
const maxNamed = 25

// Judges are the judges that words name, in their order: judges of judging.panel,
// models by name, PROVIDER:MODEL, URL#MODEL or recorded:FILE.
func (c *Config) Judges(words []string) ([]Participant, error) {
	return c.named(words, false, c.Judging.Panel)
}

// Authors are the authors that words name, in their order: those of
// seal.authors, or models as [Config.Judges] takes them.
func (c *Config) Authors(words []string) ([]Participant, error) {
	return c.named(words, true, c.Seal.Authors)
}

// named are the participants that words name: some of those that are known, or
// models.
func (c *Config) named(words []string, authors bool, known []Participant) (out []Participant, err error) {
	for _, word := range words {
		named := Participant{Model: word}
		if at := slices.IndexFunc(known, func(p Participant) bool { return p.DisplayName() == word }); at >= 0 {
			named = known[at]
		}
		out = append(out, named)
	}
	if len(out) > maxNamed {
		return nil, fmt.Errorf("%d are named: at most %d are allowed", len(out), maxNamed)
	}
	seen := map[string]bool{}
	for _, p := range out {
		if problem := c.problem(p, authors, seen); problem != "" {
			return nil, errors.New(problem)
		}
	}
	return out, nil
}
