package llm

import (
	"bytes"
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
	// Price is what tokens cost; nothing where that is not known.
	Price Price
	// Transport sends requests; nil: the usual one.
	Transport http.RoundTripper
}

// Price is what a million tokens cost: of a prompt, of a prompt that the server
// had in its cache, and of a reply.
type Price struct{ Input, Cached, Output float64 }

// micros is what a request costs, in millionths of the currency.
func (p Price) micros(u usage) int64 {
	return int64(math.Round(float64(u.all-u.written-u.cached)*p.Input + float64(u.cached)*p.Cached + float64(u.written)*p.Output))
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
	spent atomic.Int64 // millionths of the currency
	bare  atomic.Bool  // the server takes no more than the model and the messages
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

// Bounds of trying again.
const (
	maxTries = 4
	// A try waits so long behind the one before, times the number of tries, but
	// as long as the server asks for.
	minPause, maxPause = 500 * time.Millisecond, time.Second
	// maxWait is the longest that a server may ask to wait.
	maxWait = time.Minute
)

// Bounds on what is read of a reply, in bytes after decompression: of one that
// is used, and of one that only says what is wrong.
const (
	maxBody      = 4 << 20
	maxErrorBody = 64 << 10
)

// exchange is what became of one request, tries included.
type exchange struct {
	client  *Client
	cost    *shadow.Cost // counts every try
	calls   int
	last    response // of the last try
	secrets []string // that no error may repeat: the key and the prompt
}

// response is what a server answered; nothing where it did not.
type response struct {
	status  int
	json    bool          // what it calls its body
	body    []byte        // as far as maxBody, or maxErrorBody from a status of 400 on
	tooLong bool          // the body, which is not kept
	broken  bool          // the body broke off, or is no JSON
	wait    time.Duration // that the server asks for; negative: none
}

// complete puts a prompt to the model until there is a reply, as often as is
// worthwhile. The cost counts failed tries. An error wraps that of ctx if it
// is done.
func (c *Client) complete(ctx context.Context, p *prompt) (text string, cost shadow.Cost, err error) {
	if n := p.size(); n > maxPrompt {
		return "", cost, fmt.Errorf("%w: %d bytes, and at most %d may be sent", errTooLong, n, maxPrompt)
	}
	defer func() { c.spent.Add(cost.Micros) }()
	key, err := c.key()
	if err != nil {
		return "", cost, &failure{err.Error(), true}
	}
	for bare := c.bare.Load(); ; bare = true {
		x := &exchange{client: c, cost: &cost, secrets: append([]string{key, p.system}, p.messages...)}
		reply, failed := x.send(ctx, c.request(p, bare), p.size()/4+1)
		if failed == nil {
			if bare {
				c.bare.Store(true)
			}
			u := tokensOf(reply, p)
			cost.Tokens += u.all
			cost.Written += u.written
			cost.Micros += c.cfg.Price.micros(u)
			text, err = content(reply)
			return text, cost, err
		}
		if ctx.Err() != nil {
			return "", cost, ctx.Err()
		}
		refused := x.last.status == http.StatusBadRequest || x.last.status == http.StatusUnprocessableEntity
		if bare || !refused || x.last.badKey() {
			return "", cost, x.explain(failed)
		}
	}
}

// send posts a request until there is a reply or trying again does not help. A try
// that made the model work and gave no reply costs so many tokens.
func (x *exchange) send(ctx context.Context, r *request, tokens int) (*completion, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	for {
		reply, ran, err := x.try(ctx, body)
		if err != nil && ran {
			x.cost.Tokens += int64(tokens)
			x.cost.Micros += x.client.cfg.Price.micros(usage{all: int64(tokens)})
		}
		if err == nil || ctx.Err() != nil || x.calls == maxTries || !x.again() {
			return reply, err
		}
		pause := x.last.wait
		if pause < 0 {
			pause = (minPause + rand.N(maxPause-minPause)) * time.Duration(x.calls)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// again tells whether it may help to try again.
func (x *exchange) again() bool {
	r := &x.last
	switch {
	case r.tooLong || r.noQuota() || r.wait > maxWait:
		return false
	case r.broken || r.status == 0:
		return true
	}
	switch r.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return r.status >= 500 && r.status != http.StatusNotImplemented
}

// try posts a request once: it takes one of the slots, is counted, ends in time,
// and its reply is read within bounds. ran tells whether it made the model work.
func (x *exchange) try(ctx context.Context, body []byte) (reply *completion, ran bool, err error) {
	c := x.client
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	x.calls, x.last = x.calls+1, response{wait: -1}
	x.cost.Calls++
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if key := x.secrets[0]; key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// A transport follows no redirect: where it leads the key is not sent.
	res, err := c.cfg.Transport.RoundTrip(req)
	if err != nil {
		return nil, within.Err() != nil, err
	}
	defer func() { _ = res.Body.Close() }()
	ran = res.StatusCode < 400
	if x.last, err = read(res); err != nil {
		return nil, ran, err
	}
	if x.last.status >= 300 || !x.last.json || x.last.tooLong {
		return nil, ran, errNoReply
	}
	reply = &completion{}
	return reply, ran, json.Unmarshal(x.last.body, reply)
}

var errNoReply = errors.New("no reply")

// read reads a response.
func read(res *http.Response) (r response, err error) {
	r.status, r.wait = res.StatusCode, -1
	defer func() { r.wait = r.asksToWait(res.Header) }()
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	r.json = err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
	if r.status >= 400 {
		// What cannot be read of it is not worth an error: the status tells.
		r.body, _ = io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return r, nil
	}
	r.body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if r.tooLong = len(r.body) > maxBody; r.tooLong {
		r.body = nil // half a reply may look like a whole one
	} else if err != nil || r.json && r.status < 300 && !json.Valid(r.body) {
		r.broken = true
		return r, errBroken
	} else if r.json && r.status == http.StatusOK {
		r.status = errorStatus(r.body)
	}
	return r, nil
}

// errorStatus is the status in the body of a reply with status 200: a gateway
// that has begun its answer can report a failure only there.
func errorStatus(body []byte) int {
	var e struct{ Error struct{ Code int } }
	if json.Unmarshal(body, &e) != nil || http.StatusText(e.Error.Code) == "" || e.Error.Code < 400 {
		return http.StatusOK
	}
	return e.Error.Code
}

var errBroken = errors.New("the answer broke off or is no JSON")
