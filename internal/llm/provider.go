package llm

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// provider is an OpenAI-compatible API that needs no address of its own in a
// configuration.
type provider struct {
	name   string // before the colon in "openai:gpt-5-mini"
	url    string // the base of the API
	keyEnv string // the variable that its own tools read the key from; empty: it takes none
}

// providers are in the order in which help and errors list them. Addresses and
// variables are those of each provider's own documentation.
var providers = []provider{
	{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY"},
	{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
	{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"},
	{"mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
	{"groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"},
	{"together", "https://api.together.ai/v1", "TOGETHER_API_KEY"},
	{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
	{"ollama", "http://127.0.0.1:11434/v1", ""},
}

// Address is where a model is, as a word names it.
type Address struct {
	URL, KeyEnv string // the base of the API, and the usual variable with its key; empty: there is none
	Model       string // as the server calls it
	Name        string // as reports call it: the word, or the model's name behind a URL
}

// plainModel is what the name of a model looks like: it stands in reports, logs and
// terminals.
var plainModel = regexp.MustCompile(`\A[A-Za-z0-9._:/@+~-]{1,120}\z`)

// ParseAddress reads PROVIDER:MODEL, or URL#MODEL, where URL is the base of an
// OpenAI-compatible API. Its error does not repeat a URL, which may hold a key.
func ParseAddress(word string) (Address, error) {
	if base, model, ok := strings.Cut(word, "#"); ok && strings.Contains(base, "://") {
		err := checkModel(model)
		if err == nil {
			err = checkBase(base)
		}
		return Address{URL: base, Model: model, Name: model}, err
	}
	if strings.Contains(word, "://") {
		return Address{}, fmt.Errorf("the URL names no model: allowed is URL#MODEL, such as http://127.0.0.1:8000/v1#my-model")
	}
	var known []string
	name, model, ok := strings.Cut(word, ":")
	for _, p := range providers {
		if ok && p.name == name {
			return Address{URL: p.url, KeyEnv: p.keyEnv, Model: model, Name: word}, checkModel(model)
		}
		known = append(known, p.name)
	}
	return Address{}, fmt.Errorf("%.80q names no model: allowed are PROVIDER:MODEL, such as openai:gpt-5-mini, with one of %s, and URL#MODEL", word, strings.Join(known, ", "))
}

func checkModel(model string) error {
	switch {
	case model == "":
		return errors.New("the model has no name: allowed is the one that the server knows it by, such as gpt-5-mini")
	case !plainModel.MatchString(model):
		return fmt.Errorf("%.80q is not the name of a model: allowed are letters, digits and . _ - : / @ + ~, at most 120", model)
	}
	return nil
}

// checkBase refuses what is no base of an API. Its error never shows the URL,
// which may hold a key.
func checkBase(base string) error {
	const allowed = ": allowed are http:// and https:// URLs such as https://api.openai.com/v1"
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("this is not a URL, or has another scheme or no host" + allowed)
	case u.User != nil:
		return errors.New("there is a user or a password in it: allowed are URLs without; give the key with key_env or key_file")
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/chat/completions"):
		return errors.New("this is the whole path: allowed is the base of the API, up to where /chat/completions follows, such as https://api.openai.com/v1")
	}
	return nil
}

//go:embed families.txt
var familiesText string

// Families are rules for public models. A name may stand behind a provider or
// a laboratory, as in "openai:gpt-5-mini" and "qwen/qwen3-32b".
func Families() (rules shadow.Families) {
	for line := range strings.Lines(familiesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, prefix := range words[1:] {
			if exact, ok := strings.CutPrefix(prefix, "="); ok {
				rules = append(rules, shadow.FamilyRule{Model: exact, Family: words[0]})
				continue
			}
			rules = append(rules, shadow.FamilyRule{Model: prefix + "*", Family: words[0]})
		}
	}
	return rules
}
