// Package llm uses language models as authors and judges, over any endpoint
// that speaks OpenAI's chat completions. A word names a model: that of a known
// provider, as in "openai:gpt-5-mini", or one behind a URL.
//
// A reply is read in whatever form it comes, but is a vote or a criterion only if it is
// whole and does not contradict itself. In a prompt every line that others wrote begins
// with a mark that they cannot know, so that no text can end its own quotation; tokens of
// chat templates are made harmless, and characters that nobody sees are taken out. Errors
// hold no key, of the prompt at most 40 characters in a row, and what the server says,
// cleaned and cut. Nothing is sent to any address but the configured one.
//
// A text may persuade the model of a wrong verdict: a pass must quote the content,
// control questions find a model that passes everything, and calibration measures it.
package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Config describes one model at one endpoint.
type Config struct {
	URL    string // the base of the API, as [ParseAddress] takes it
	Model  string // the name under which the server knows it
	Family string // of models; empty if the configuration's patterns shall tell
	// Key gives the key of the API before each request, so that a file may
	// change; nil: none is sent. Its error must not hold the key.
	Key         func() (string, error)
	MaxTokens   int           // of a reply, what a model thinks included; 0: the server's own bound holds
	Timeout     time.Duration // of one request
	Concurrency int           // how many requests may be under way, at least 1
	Price       Price         // nothing where that is not known
	Transport   http.RoundTripper
}

// Price is what a million tokens cost: of a prompt, of a prompt that the server had
// in its cache (0: as others), and of a reply.
type Price struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached,omitempty"`
	Output float64 `yaml:"output"`
}

// micros is what a request costs, in millionths of the currency.
func (p Price) micros(u usage) int64 {
	return int64(math.Round(float64(u.all-u.written-u.cached)*p.Input + float64(u.cached)*cmp.Or(p.Cached, p.Input) + float64(u.written)*p.Output))
}

const (
	maxPrompt = 256 << 10 // bytes; a token is about four bytes of English
	// MaxBundle is the largest bundle that a judge can be shown, as
	// [shadow.Bundle.ShownBytes] counts. It leaves room for the rest of the prompt.
	MaxBundle = 192 << 10
)

// Client talks to one model. It is safe for concurrent use; authors and judges
// that share a model share its client, and so its limit of concurrency.
type Client struct {
	cfg   Config
	url   string // that prompts are posted to
	slots chan struct{}
	spent atomic.Int64 // millionths of the currency
	bare  atomic.Bool  // the server takes no more than the model and the messages
}

// New returns the client of a model. It sends nothing yet.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, errors.New("its URL cannot be read") // nor shown: it may hold a key
	}
	if cfg.Transport == nil {
		cfg.Transport = http.DefaultTransport
	}
	return &Client{cfg: cfg, url: u.JoinPath("chat/completions").String(), slots: make(chan struct{}, cfg.Concurrency)}, nil
}

// Spent is what all requests have cost so far, in millionths of the currency of
// the price.
func (c *Client) Spent() int64 { return c.spent.Load() }

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

// errTooLong: a prompt is longer than the model may be sent.
var errTooLong = errors.New("the prompt is too long")

const (
	maxTries = 4
	// A try waits so long behind the one before, times the number of tries, but
	// as long as the server asks for, which is maxWait at most.
	minPause, maxPause, maxWait = 500 * time.Millisecond, time.Second, time.Minute
	// What is read of a reply that is used, and of one that only says what is wrong,
	// in bytes after decompression.
	maxBody, maxErrorBody = 4 << 20, 64 << 10
)

// response is what became of one request.
type response struct {
	status int           // 0: the server did not answer
	body   []byte        // as far as maxBody, or maxErrorBody from a status of 400 on
	wait   time.Duration // that the server asks for; negative: it asks for none
	ran    bool          // the request made the model work
	reply  *completion
	err    error // why there is no reply
}

// Why a response with a status below 400 is no reply.
var (
	errLong   = fmt.Errorf("the reply is longer than %d bytes", maxBody)
	errBroken = errors.New("the answer broke off or is no JSON")
	errForm   = errors.New("the answer is no chat completion in JSON: is the address the base of an API, such as https://host/v1?")
	errMoved  = errors.New("the server sends elsewhere, where no key is sent: name the final address")
	errStatus = errors.New("a status that is an error")
)

// complete puts a prompt to the model until there is a reply, as often as is worthwhile.
// It adds to the cost, that of failed tries too.
func (c *Client) complete(ctx context.Context, p *prompt, cost *shadow.Cost) (string, error) {
	if n := p.size(); n > maxPrompt {
		return "", fmt.Errorf("%w: %d bytes, and at most %d may be sent", errTooLong, n, maxPrompt)
	}
	key, err := c.key()
	if err != nil {
		return "", &failure{err.Error(), true}
	}
	for bare := c.bare.Load(); ; bare = true {
		r, tries := c.send(ctx, p, bare, key, cost)
		switch {
		case r.err == nil:
			if bare {
				c.bare.Store(true)
			}
			return content(r.reply)
		case ctx.Err() != nil:
			return "", ctx.Err()
		case bare || !r.refused() || r.badKey():
			return "", r.explain(tries, c.cfg.Key != nil, append([]string{key, p.system}, p.messages...))
		}
	}
}

// send posts a prompt until there is a reply or trying again does not help. A try
// that made the model work and gave no reply costs as much as the prompt may.
func (c *Client) send(ctx context.Context, p *prompt, bare bool, key string, cost *shadow.Cost) (r response, tries int) {
	body, err := json.Marshal(c.request(p, bare))
	if err != nil {
		return response{err: err}, 0
	}
	for tries = 1; ; tries++ {
		r = c.try(ctx, body, key, cost)
		if r.ran {
			u := tokensOf(r.reply, p)
			cost.Tokens += u.all
			cost.Written += u.written
			cost.Micros += c.cfg.Price.micros(u)
			c.spent.Add(c.cfg.Price.micros(u))
		}
		if r.err == nil || ctx.Err() != nil || tries == maxTries || !r.again() {
			return r, tries
		}
		pause := r.wait
		if pause < 0 {
			pause = (minPause + rand.N(maxPause-minPause)) * time.Duration(tries)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return r, tries
		}
	}
}

// again tells whether it may help to try again.
func (r *response) again() bool {
	switch r.status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return r.wait <= maxWait
	}
	return errors.Is(r.err, errBroken) || r.status >= 500 && r.status != http.StatusNotImplemented && r.wait <= maxWait
}

// try posts a request once: it takes one of the slots, is counted, ends in time,
// and its reply is read within bounds.
func (c *Client) try(ctx context.Context, body []byte, key string, cost *shadow.Cost) (r response) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return response{err: ctx.Err()}
	}
	cost.Calls++
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return response{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A transport follows no redirect: where it leads the key is not sent.
	res, err := c.cfg.Transport.RoundTrip(req)
	if err != nil {
		return response{err: err, ran: within.Err() != nil, wait: -1}
	}
	defer func() { _ = res.Body.Close() }()
	r = response{status: res.StatusCode, ran: res.StatusCode < 400}
	r.err = r.read(res)
	r.wait = r.asksToWait(res.Header)
	return r
}

// read reads what a server answers. Its error says why that is no reply.
func (r *response) read(res *http.Response) (err error) {
	if r.status >= 400 {
		// What cannot be read of it is not worth an error: the status tells.
		r.body, _ = io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return errStatus
	}
	r.body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch plain := media != "application/json" && !strings.HasSuffix(media, "+json"); {
	case len(r.body) > maxBody: // half a reply may look like a whole one
		return errLong
	case r.status >= 300:
		return errMoved
	case err == nil && plain:
		return errForm
	case err != nil || !json.Valid(r.body):
		return errors.Join(errBroken, err)
	}
	// A gateway that has begun its answer can report a failure only there.
	var e struct{ Error struct{ Code int } }
	if json.Unmarshal(r.body, &e) == nil && e.Error.Code >= 400 && http.StatusText(e.Error.Code) != "" {
		r.status = e.Error.Code
		return errStatus
	}
	reply := &completion{}
	if json.Unmarshal(r.body, reply) != nil {
		return errForm
	}
	r.reply = reply
	return nil
}
