package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Model gives a model a name and settings of its own. Nobody asks it
// but the authors and judges that name it.
type Model struct {
	Name string `yaml:"name" is:"required,model"`
	// Model is as [llm.ParseAddress] reads it. Without a family, families tell.
	Model  string `yaml:"model" is:"required,max=200" must:"PROVIDER:MODEL or URL#MODEL"`
	Family string `yaml:"family,omitempty" is:"max=200"`
	// An environment variable with the key of the API, or a file with it alone on its
	// first line. Without either, the provider's usual variable has it.
	KeyEnv      string        `yaml:"key_env,omitempty"`
	KeyFile     string        `yaml:"key_file,omitempty"`
	MaxTokens   int           `yaml:"max_tokens,omitempty" is:"max=1000000"` // of a reply; 0: the server's own bound holds
	Price       llm.Price     `yaml:"price,omitempty"`                       // nothing: it is not known
	Timeout     time.Duration `yaml:"timeout" is:"min=1s,max=1h"`            // of one request
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

// Endpoint is the model that a word stands for, with its settings: an entry of
// models, or one that needs none. Its Model is the server's name of it, and at is
// the base of the API.
func (c *Config) Endpoint(word string) (m Model, at string, err error) {
	m = Model{Model: word, Timeout: modelTimeout, Concurrency: modelConcurrency}
	if i := slices.IndexFunc(c.Models, func(m Model) bool { return m.Name == word }); i >= 0 {
		m = c.Models[i]
	}
	a, err := llm.ParseAddress(m.Model)
	if err != nil {
		return m, "", err
	}
	if m.Name == "" {
		m.Name = a.Name
	}
	if m.Model = a.Model; m.KeyEnv == "" && m.KeyFile == "" {
		m.KeyEnv = a.KeyEnv
	}
	return m, a.URL, nil
}

// envName tells the name of a variable from a key that was put in its place.
var envName = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]{0,63}\z`)

// checkModels notes invalid endpoints and duplicate names.
func (p *parse) checkModels(models []Model) {
	seen := map[string]bool{}
	p.each("models", len(models), func(i int) string {
		m := &models[i]
		twice := seen[m.Name]
		seen[m.Name] = true
		switch _, err := llm.ParseAddress(m.Model); {
		case twice:
			return "there are two models called " + quote(m.Name) + ": allowed is each name once"
		case m.KeyEnv != "" && m.KeyFile != "":
			return "key_env and key_file are both there: allowed is one of them, or neither for a server without keys"
		case m.KeyEnv != "" && !envName.MatchString(m.KeyEnv): // not shown: it may be the key itself
			return "key_env is not the name of an environment variable: allowed are names such as OPENAI_API_KEY; the key itself stands in no configuration"
		case err != nil:
			return "model: " + err.Error()
		}
		return ""
	})
}

// Warnings are what is allowed and still worth a word.
func (c *Config) Warnings() []string {
	var out []string
	open := func(what, at string) {
		if u, err := url.Parse(at); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			out = append(out, fmt.Sprintf("%s is on another machine, %s, and what goes there is not encrypted: whoever is in between can read and change it; use https", what, u.Host))
		}
	}
	asked := map[string]bool{}
	for _, a := range slices.Concat(c.Seal.Authors, c.Judging.Panel) {
		m, at, _ := c.Endpoint(a.Model) // whose error is one of its own
		if !asked[a.Model] {
			open("the model "+m.Name, at)
		}
		asked[a.Model] = true
	}
	open("notify.url", c.Notify.URL)
	if n := len(c.Judging.Panel); n > 0 && n%2 == 0 {
		out = append(out, fmt.Sprintf("judging.panel has %d judges: a majority takes %d of them, so ties are undecided; an odd number has none", n, n/2+1))
	}
	return out
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// Concurrency is how many questions a judge is asked at once: as many as the model with
// the fewest requests takes, so that no vote waits. 0 leaves it to the panel.
func (c *Config) Concurrency() (n int) {
	for _, j := range c.Judging.Panel {
		if m, _, err := c.Endpoint(j.Model); err == nil && (n == 0 || m.Concurrency < n) {
			n = m.Concurrency
		}
	}
	return n
}
