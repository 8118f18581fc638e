package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Config describes one model at one endpoint.
type Config struct {
	// Name is what the errors of New call it.
	Name string
	// URL is the base of the API, as [ParseAddress] takes it.
	URL string
	// Model is the name under which the server knows it.
	Model string
	// Family is the family of models that it belongs to; empty if the
	// configuration's patterns shall tell.
	Family string
	// Key gives the key of the API before each request, so that a file may
	// change; nil: none is sent. Its error must not hold the key.
	Key func() (string, error)
	// MaxTokens bounds a reply, what a model thinks included; 0: the server's own
	// bound holds.
	MaxTokens int
	// Timeout bounds one request.
	Timeout time.Duration
	// Concurrency is how many requests may be under way, at least 1.
	Concurrency int
	// Transport sends requests; nil: the usual one.
	Transport http.RoundTripper
}

// maxPrompt is how long a prompt may be, in bytes. A token is about four bytes
// of English.
const maxPrompt = 256 << 10

// MaxBundle is the largest bundle that a judge can be shown, as
// [shadow.Bundle.ShownBytes] counts. It leaves room in a prompt for the rules, the
// task and the question.
const MaxBundle = 192 << 10

// Client talks to one model. It is safe for concurrent use; authors and judges
// that share a model share its client, and so its limit of concurrency.
type Client struct {
	cfg   Config
	url   string // that prompts are posted to
	slots chan struct{}
	bare  atomic.Bool // the server takes no more than the model and the messages
}

// New returns the client of a model. It sends nothing yet.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("model %q: its URL cannot be read", cfg.Name) // nor shown: it may hold a key
	}
	if cfg.Transport == nil {
		cfg.Transport = http.DefaultTransport
	}
	u = u.JoinPath("chat/completions")
	return &Client{cfg: cfg, url: u.String(), slots: make(chan struct{}, cfg.Concurrency)}, nil
}

// Model names the model and its family.
func (c *Client) Model() shadow.Model {
	return shadow.Model{Model: c.cfg.Model, Family: c.cfg.Family}
}

// key reads the key of the API.
func (c *Client) key() (string, error) {
	if c.cfg.Key == nil {
		return "", nil
	}
	key, err := c.cfg.Key()
	if err != nil {
		return "", fmt.Errorf("reading its key: %w", err)
	}
	if key = strings.TrimSpace(key); strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("its key has characters that no key has: is it the right file or variable?")
	}
	return key, nil
}

// wait takes one of the slots for requests, and returns what gives it back.
func (c *Client) wait(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tooLong is the error of a prompt of n bytes.
func tooLong(n int) error {
	return fmt.Errorf("%w: %d bytes, and at most %d may be sent", errTooLong, n, maxPrompt)
}

// errTooLong: a prompt is longer than the model may be sent.
var errTooLong = errors.New("the prompt is too long")
