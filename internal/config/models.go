package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Model gives a model a name and settings of its own. Nobody asks it
// but the authors and judges that name it.
type Model struct {
	// Name is what the configuration and reports call it.
	Name string `yaml:"name" is:"required,model"`
	// Model is PROVIDER:MODEL or URL#MODEL, as [llm.ParseAddress] reads it.
	Model string `yaml:"model" is:"required,max=200" must:"PROVIDER:MODEL or URL#MODEL"`
	// Family is that of the model; empty: families tell.
	Family string `yaml:"family,omitempty" is:"max=200"`
	// KeyEnv is the environment variable with the key of the API, KeyFile a
	// file with it, alone on its first line, mode 0600. At most one is set;
	// without either, the provider's usual variable has it.
	KeyEnv  string `yaml:"key_env,omitempty"`
	KeyFile string `yaml:"key_file,omitempty"`
	// MaxTokens bounds a reply; 0: the server's own bound holds.
	MaxTokens int `yaml:"max_tokens,omitempty" is:"max=1000000"`
	// Price is what its tokens cost, in the configuration's currency; nothing: that
	// is not known.
	Price llm.Price `yaml:"price,omitempty"`
	// Timeout bounds one request, Concurrency how many are under way.
	Timeout     time.Duration `yaml:"timeout" is:"min=1s,max=1h"`
	Concurrency int           `yaml:"concurrency" is:"min=1,max=1000"`
}

var _ = strict.Forms(map[string]strict.Form{
	"model": {Pattern: `^[A-Za-z0-9_.-]{1,64}$`, Words: "a name of A-Z, a-z, 0-9, dots, _ and -, at most 64"},
})

// What holds for a model that does not say.
const (
	modelTimeout     = time.Minute
	modelConcurrency = 4
)

// modelName is what reports call a model by default: the word that names it,
// and of a URL#MODEL the model alone.
func modelName(word string) string {
	if a, err := llm.ParseAddress(word); err == nil {
		return a.Name
	}
	return word
}

// Endpoint is the model that a word stands for, with its settings: an entry of
// models, or one that needs none. Its Model is the server's name of it, and at is
// the base of the API.
func (c *Config) Endpoint(word string) (m Model, at string, err error) {
	m = Model{Name: modelName(word), Model: word, Timeout: modelTimeout, Concurrency: modelConcurrency}
	if i := slices.Index(c.modelNames(), word); i >= 0 {
		m = c.Models[i]
	}
	a, err := llm.ParseAddress(m.Model)
	if err != nil {
		return m, "", err
	}
	if m.Model = a.Model; m.KeyEnv == "" && m.KeyFile == "" {
		m.KeyEnv = a.KeyEnv
	}
	return m, a.URL, nil
}

func (c *Config) modelNames() []string {
	var names []string
	for _, m := range c.Models {
		names = append(names, m.Name)
	}
	return names
}

// checkModels notes invalid endpoints and duplicate names.
func (p *parse) checkModels(models []Model) {
	seen := map[string]bool{}
	for i, m := range models {
		here := "models[" + strconv.Itoa(i) + "]"
		if p.Failed(here) {
			continue
		}
		switch {
		case seen[m.Name]:
			p.fail(here, "there are two models called %s: allowed is each name once", quote(m.Name))
		case m.KeyEnv != "" && m.KeyFile != "":
			p.fail(here, "key_env and key_file are both there: allowed is one of them, or neither for a server without keys")
		case m.KeyEnv != "" && !envName(m.KeyEnv):
			// Not shown: it may be the key itself.
			p.fail(here+".key_env", "this is not the name of an environment variable: allowed are names such as OPENAI_API_KEY; the key itself stands in no configuration")
		default:
			if _, err := llm.ParseAddress(m.Model); err != nil {
				p.fail(here+".model", "%v", err)
			}
		}
		seen[m.Name] = true
	}
}

// envName tells the name of a variable from a key that was put in its place.
func envName(s string) bool {
	ok := func(r rune) bool {
		return r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z'
	}
	return strings.TrimFunc(s, ok) == "" && s[0] > '9' && len(s) <= 64
}

// Warnings are what is allowed and still worth a word.
func (c *Config) Warnings() []string {
	var out []string
	for _, word := range c.namedModels() {
		m, at, _ := c.Endpoint(word) // whose error is one of its own
		if u, err := url.Parse(at); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			out = append(out, fmt.Sprintf("the model %s is asked without encryption at %s, which is another machine: whoever is in between can read criteria, bundles and the key, and write verdicts; use https", m.Name, u.Host))
		}
	}
	if u, err := url.Parse(c.Notify.URL); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
		out = append(out, fmt.Sprintf("notify.url is on another machine, %s, and messages go there without encryption; use https", u.Host))
	}
	if n := len(c.Judging.Panel); n > 0 && n%2 == 0 {
		out = append(out, fmt.Sprintf("judging.panel has %d judges: a majority takes %d of them, so ties are undecided; an odd number has none", n, n/2+1))
	}
	return out
}

// namedModels are the words for models that authors and judges name, each once.
func (c *Config) namedModels() []string {
	var words []string
	for _, a := range slices.Concat(c.Seal.Authors, c.Judging.Panel) {
		words = append(words, a.Model)
	}
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" })
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// Concurrency is how many questions a judge is asked at once: as many as the
// model with the fewest requests takes, so that no vote spends its time
// waiting. 0 leaves it to the panel.
func (c *Config) Concurrency() int {
	n := 0
	for _, j := range c.Judging.Panel {
		if j.Model == "" {
			continue
		}
		if m, _, err := c.Endpoint(j.Model); err == nil && (n == 0 || m.Concurrency < n) {
			n = m.Concurrency
		}
	}
	return n
}
