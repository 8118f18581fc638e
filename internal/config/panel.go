package config

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/schemas"
)

// Judging says who judges what the checks leave open.
type Judging struct {
	Panel []Judge `yaml:"panel"`
	// ItemsPerRequest is how many questions about one bundle a model is asked in
	// one request.
	ItemsPerRequest int `yaml:"items_per_request"`
	// Timeout bounds one vote, retries included.
	Timeout time.Duration `yaml:"timeout"`
	Budget  Budget        `yaml:"budget"`
}

// Budget bounds what one run may spend on judges in one daemon. 0 is no bound.
type Budget struct {
	Calls  int           `yaml:"calls"`
	Tokens int64         `yaml:"tokens"`
	Time   time.Duration `yaml:"time"`
}

// WholePanel stands for all judges of judging.panel.
const WholePanel = "panel"

// Judge is a judge of the panel: a model, or a service on the bus. A model
// alone may be written as the word that it is.
type Judge struct {
	// Model is the name of one of models, PROVIDER:MODEL, or URL#MODEL.
	Model string `yaml:"model,omitempty"`
	// Service answers on shadow.judge.<service>. Family is that of its model,
	// and Sealed demands that its replies are sealed to the envelope key.
	Service string `yaml:"service,omitempty"`
	Family  string `yaml:"family,omitempty"`
	Sealed  bool   `yaml:"sealed,omitempty"`
	// Name stands for the judge in reports; empty is that of the model or
	// service.
	Name string `yaml:"name,omitempty"`
}

// UnmarshalYAML reads the word of a model, or a mapping.
func (j *Judge) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		j.Model = n.Value
		return nil
	}
	type mapping Judge
	return n.Decode((*mapping)(j))
}

// MarshalYAML writes a model alone as one word.
func (j Judge) MarshalYAML() (any, error) {
	if j == (Judge{Model: j.Model}) {
		return j.Model, nil
	}
	type mapping Judge
	return mapping(j), nil
}

// DisplayName is the judge's name in effect.
func (j Judge) DisplayName() string {
	switch {
	case j.Name != "":
		return j.Name
	case j.Service != "":
		return j.Service
	}
	return modelName(j.Model)
}

// checkPanel notes judges that are none or could not be told apart.
func (p *parse) checkPanel(c *Config) {
	seen := map[string]bool{}
	for i, j := range c.Judging.Panel {
		here := "judging.panel[" + strconv.Itoa(i) + "]"
		if p.Failed(here) {
			continue
		}
		if problem := c.sourceProblem(j.Model, j.Service, j.Family, j.Sealed); problem != "" {
			p.fail(here, "%s", problem)
		} else if problem := nameProblem(j.DisplayName(), seen); problem != "" {
			p.fail(here, "%s", problem)
		}
		seen[j.DisplayName()] = true
	}
}

// Judges are the judges that words name, in their order: WholePanel, judges of
// judging.panel, models by name, PROVIDER:MODEL or URL#MODEL.
func (c *Config) Judges(words []string) ([]Judge, error) {
	var out []Judge
	for _, word := range words {
		at := slices.IndexFunc(c.Judging.Panel, func(j Judge) bool { return j.DisplayName() == word })
		problem := ""
		switch {
		case word == WholePanel && len(c.Judging.Panel) == 0:
			problem = "judging.panel has no judges"
		case word == WholePanel:
			out = append(out, c.Judging.Panel...)
		case at >= 0:
			out = append(out, c.Judging.Panel[at])
		default:
			problem = c.sourceProblem(word, "", "", false)
			out = append(out, Judge{Model: word})
		}
		if problem != "" {
			return nil, errors.New(problem)
		}
	}
	seen := map[string]bool{}
	for _, j := range out {
		if problem := nameProblem(j.DisplayName(), seen); problem != "" {
			return nil, errors.New(problem)
		}
		seen[j.DisplayName()] = true
	}
	return out, nil
}

// sourceProblem says what is wrong with a judge or an author that is a model or
// a service.
func (c *Config) sourceProblem(model, service, family string, sealed bool) string {
	switch {
	case model != "" && service != "":
		return "a model and a service: allowed is one of them"
	case service != "":
		return ""
	case model == "":
		return "neither a model nor a service: allowed are model: NAME, PROVIDER:MODEL or URL#MODEL, and service: NAME"
	case c.model(model) == nil && !strings.ContainsAny(model, ":#"):
		names := c.modelNames()
		return "there is no model called " + quote(model) + schemas.DidYouMean(model, names) + ": allowed are PROVIDER:MODEL, such as openai:gpt-5-mini, URL#MODEL, and the names of models: " + cmp.Or(strings.Join(names, ", "), "none")
	case c.model(model) == nil && checkWord(model) != "":
		return checkWord(model)
	case family != "":
		return "family belongs to the model: allowed is family only with a service"
	case sealed:
		return "a model seals nothing: allowed is sealed only with a service"
	}
	return ""
}

// nameProblem says what is wrong with the name of an author or a judge, of
// which seen are taken.
func nameProblem(name string, seen map[string]bool) string {
	switch {
	case name == BuiltIn || name == "checks" || name == WholePanel:
		return name + " is the name of what is built in: allowed are other names; give it one with name:"
	case !participantName.MatchString(name):
		return quote(name) + " is not a name: allowed are A-Z, a-z, 0-9 and . _ - : / @ + ~, at most 140; give it one with name:"
	case seen[name]:
		return "there are two called " + quote(name) + ": allowed is each name once; give one of them another with name:"
	}
	return ""
}
