package llm

import (
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Provider is an OpenAI-compatible API that needs no address of its own in a
// configuration.
type Provider struct {
	// Name stands before the colon in "openai:gpt-5-mini".
	Name string
	// URL is the base of the API.
	URL string
	// KeyEnv is the environment variable that the provider's own tools read the
	// key from; empty: the API takes none.
	KeyEnv string
	// HostEnv is the environment variable with another address; empty: none.
	HostEnv string
}

// providers are in the order in which help and errors list them. Addresses and
// variables are those of each provider's own documentation.
var providers = []Provider{
	{Name: "openai", URL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
	{Name: "anthropic", URL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY"},
	{Name: "gemini", URL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY"},
	{Name: "mistral", URL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY"},
	{Name: "groq", URL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY"},
	{Name: "together", URL: "https://api.together.ai/v1", KeyEnv: "TOGETHER_API_KEY"},
	{Name: "openrouter", URL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
	{Name: "ollama", URL: "http://127.0.0.1:11434/v1", HostEnv: "OLLAMA_HOST"},
}

// Address is where a model is, as a word names it.
type Address struct {
	Provider
	// Model is the server's name of the model.
	Model string
	// Name is what reports call it: the word, or the model's name behind a URL.
	Name string
}

// maxModel bounds the name of a model in bytes: it stands in reports.
const maxModel = 120

// ParseAddress reads PROVIDER:MODEL, with one of [Providers], or URL#MODEL,
// where URL is the base of an OpenAI-compatible API. Its error does not repeat
// a URL, which may hold a key.
func ParseAddress(word string) (Address, error) {
	if base, model, ok := strings.Cut(word, "#"); ok && strings.Contains(base, "://") {
		err := checkModel(model)
		if err == nil {
			err = checkBase(base)
		}
		return Address{Provider: Provider{URL: base}, Model: model, Name: model}, err
	}
	if strings.Contains(word, "://") {
		return Address{}, fmt.Errorf("the URL names no model: allowed is URL#MODEL, such as http://127.0.0.1:8000/v1#my-model")
	}
	var known []string
	name, model, ok := strings.Cut(word, ":")
	for _, p := range providers {
		if ok && p.Name == name {
			return Address{Provider: p, Model: model, Name: word}, checkModel(model)
		}
		known = append(known, p.Name)
	}
	return Address{}, fmt.Errorf("%.80q names no model: allowed are PROVIDER:MODEL, such as openai:gpt-5-mini, with one of %s, and URL#MODEL", word, strings.Join(known, ", "))
}

// checkModel refuses what is no name: it stands in reports, logs and terminals.
func checkModel(model string) error {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-:/@+~", r)
	}
	switch {
	case model == "":
		return fmt.Errorf("the model has no name: allowed is the one that the server knows it by, such as gpt-5-mini")
	case len(model) > maxModel || strings.TrimFunc(model, plain) != "":
		return fmt.Errorf("%.80q is not the name of a model: allowed are letters, digits and . _ - : / @ + ~, at most %d", model, maxModel)
	}
	return nil
}

// checkBase refuses what is no base of an API. Its error never shows the URL,
// which may hold a key.
func checkBase(base string) error {
	const allowed = ": allowed are http:// and https:// URLs such as https://api.openai.com/v1"
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("this is not a URL" + allowed)
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("this has another scheme or none" + allowed)
	case u.Hostname() == "":
		return errors.New("this has no host" + allowed)
	case u.User != nil:
		return errors.New("there is a user or a password in it: allowed are URLs without; give the key with key_env or key_file")
	}
	for name := range u.Query() {
		for _, word := range []string{"key", "token", "secret", "sig", "password"} {
			if strings.Contains(strings.ToLower(name), word) {
				return errors.New("there seems to be a key in its query: allowed are queries without; give the key with key_env or key_file")
			}
		}
	}
	if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/chat/completions") {
		return errors.New("this is the whole path: allowed is the base of the API, up to where /chat/completions follows, such as https://api.openai.com/v1")
	}
	return nil
}

// At is the base of the provider's API, where getenv names another address as
// well: HOST, HOST:PORT or a URL without the path of the API.
func (p Provider) At(getenv func(string) string) (string, error) {
	if p.HostEnv == "" || strings.TrimSpace(getenv(p.HostEnv)) == "" {
		return p.URL, nil
	}
	usual, err := url.Parse(p.URL)
	if err != nil {
		return "", err
	}
	host := strings.TrimSpace(getenv(p.HostEnv))
	if !strings.Contains(host, "://") {
		host = usual.Scheme + "://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return "", fmt.Errorf("the environment variable %s is no address: write HOST:PORT or http://HOST:PORT", p.HostEnv)
	}
	name := u.Hostname()
	// A server listens on all addresses with these; a client uses this machine.
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		name = usual.Hostname()
	}
	if port := u.Port(); port != "" {
		u.Host = net.JoinHostPort(name, port)
	} else if u.Scheme == usual.Scheme {
		u.Host = net.JoinHostPort(name, usual.Port())
	}
	return u.JoinPath(usual.Path).String(), nil
}

//go:embed families.txt
var familiesText string

var families = parseFamilies(familiesText)

// Families are rules for public models. A name may stand behind a provider or
// a laboratory, as in "openai:gpt-5-mini" and "qwen/qwen3-32b".
func Families() shadow.Families { return slices.Clone(families) }

func parseFamilies(text string) shadow.Families {
	var rules shadow.Families
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, prefix := range words[1:] {
			if exact, ok := strings.CutPrefix(prefix, "="); ok {
				rules = append(rules, shadow.FamilyRule{Model: exact, Family: words[0]})
				continue
			}
			rules = append(rules,
				shadow.FamilyRule{Model: prefix + "*", Family: words[0]},
				shadow.FamilyRule{Model: "*[:/]" + prefix + "*", Family: words[0]})
		}
	}
	return rules
}
