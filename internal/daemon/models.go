package daemon

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// open makes the client of a model, once its key is there.
func (p *Participants) open(word string) (*llm.Client, error) {
	m, at, err := p.cfg.Endpoint(word)
	if err != nil {
		return nil, fmt.Errorf("the model %.80q: %w", word, err)
	}
	key := p.key(m)
	if key != nil {
		if _, err := key(); err != nil {
			return nil, fmt.Errorf("the key of the model %s: %w", m.Name, err)
		}
	}
	family := m.Family
	if f, known := p.cfg.ModelFamilies().Of(&shadow.Model{Model: m.Model}); family == "" && known {
		family = f
	}
	return llm.New(llm.Config{Name: m.Name, URL: at, Model: m.Model, Family: family, Key: key, MaxTokens: m.MaxTokens, Timeout: m.Timeout, Concurrency: m.Concurrency, Price: llm.Price{Input: m.Price.Input, Cached: cmp.Or(m.Price.Cached, m.Price.Input), Output: m.Price.Output}})
}

// priced are the clients of models with a price, by their names.
func (p *Participants) priced() map[string]*llm.Client {
	all := map[string]*llm.Client{}
	for word, client := range p.clients {
		if m, _, err := p.cfg.Endpoint(word); err == nil && m.Price != (config.Price{}) {
			all[m.Name] = client
		}
	}
	return all
}

// key is how the key of a model is found, or nil where it has none. A file is
// read anew each time, so that its key can be changed.
func (p *Participants) key(m config.Model) func() (string, error) {
	switch {
	case m.KeyEnv != "":
		key := p.getenv(m.KeyEnv)
		return func() (string, error) {
			if key == "" {
				return "", fmt.Errorf("the environment variable %s is not set", m.KeyEnv)
			}
			return key, nil
		}
	case m.KeyFile != "":
		return func() (string, error) {
			first, err := keys.FirstLine(m.KeyFile)
			if first = strings.TrimSpace(first); err == nil && first == "" {
				err = fmt.Errorf("%s has no key in its first line", m.KeyFile)
			}
			return first, err
		}
	}
	return nil
}
