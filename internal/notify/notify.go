// Package notify tells people outside what they should look at: a bundle that is
// quarantined or rejected, a broken seal, judges out of reach. It posts to one
// URL, signed by the rules of Standard Webhooks.
//
// What it guarantees: nothing waits for it, and no message holds anything that was
// sealed or written by a model or a commander but ids. What it does not: messages
// wait in memory, so a crash or a receiver that is away for long loses them. The
// log of the bus has everything; this is a hint to read it.
package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	// maxWaiting is how many messages wait to be sent; what comes on top is dropped.
	maxWaiting = 1000
	// tryTimeout bounds one try. A message is tried again after minPause, and then
	// after twice as long each time, maxPause at most, for tryFor in all.
	tryTimeout         = 10 * time.Second
	minPause, maxPause = time.Second, 2 * time.Minute
	tryFor             = time.Hour
	// endTimeout bounds what is still sent at the end.
	endTimeout = 3 * time.Second
	// lookEvery is how often it is looked for which judges bundles wait, and
	// quietFor how long nothing more is said of a judge that was told of.
	lookEvery = 5 * time.Second
	quietFor  = 10 * time.Minute
)

// Config is what a Notifier is made of.
type Config struct {
	// URL is posted to. No error shows more of it than its host: that of a chat
	// holds a secret.
	URL string
	// Slack has messages in the form that Slack takes; else they are plain JSON.
	Slack bool
	// Secret gives the key of signatures before each message, so that a file may
	// change; nil: messages are not signed.
	Secret func() ([]byte, error)
	// Waits says for which judges bundles wait; nil: there are none.
	Waits func() []Wait
	// Count counts a message by what became of it: [Sent], [Failed] or [Dropped].
	Count  func(outcome string)
	Logger *slog.Logger
}

// Wait is a judge that is out of reach while bundles wait for it.
type Wait struct {
	Judge   string
	Bundles int
}

// What becomes of a message: the receiver has it, it was tried in vain, or too
// many waited.
const (
	Sent    = "sent"
	Failed  = "failed"
	Dropped = "dropped"
)

// Notifier sends messages. Its methods return at once.
type Notifier struct {
	cfg     Config
	host    string // of the URL
	queue   chan message
	client  *http.Client
	pause   time.Duration        // behind the first try of a message
	tryFor  time.Duration        // how long a message is tried
	told    map[string]time.Time // when it was told of a judge; used by Run
	failing bool                 // of the last message; used by Run
}

// New makes a notifier.
func New(c Config) (*Notifier, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("notify.url is no address")
	}
	// Where it leads a signed message is not sent.
	client := &http.Client{Timeout: tryTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Notifier{cfg: c, host: u.Host, queue: make(chan message, maxWaiting), client: client, pause: minPause, tryFor: tryFor, told: map[string]time.Time{}}, nil
}

// Judged tells of a report, if somebody should look at it.
func (n *Notifier) Judged(r *shadow.Report) {
	if m := judged(r); m != nil {
		n.tell(*m)
	}
}

// SealBroken tells of an envelope that is not what was committed to. What a bundle
// broke shows in its report.
func (n *Notifier) SealBroken() { n.tell(sealBroken()) }

func (n *Notifier) tell(m message) {
	select {
	case n.queue <- m:
	default:
		n.cfg.Count(Dropped)
	}
}

// Run sends what comes, one after the other, and what waits once more when ctx
// ends.
func (n *Notifier) Run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	defer n.client.CloseIdleConnections()
	for {
		select {
		case m := <-n.queue:
			n.send(ctx, &m)
		case <-look.C:
			n.look(time.Now())
		case <-ctx.Done():
			n.end()
			return
		}
	}
}

// end sends what waits, each once.
func (n *Notifier) end() {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	n.tryFor = 0
	for len(n.queue) > 0 {
		m := <-n.queue
		n.send(ctx, &m)
	}
}

// look tells of judges that bundles wait for, each once in a while.
func (n *Notifier) look(now time.Time) {
	if n.cfg.Waits == nil {
		return
	}
	for _, w := range n.cfg.Waits() {
		if last, ok := n.told[w.Judge]; !ok || now.Sub(last) >= quietFor {
			n.told[w.Judge] = now
			n.tell(waits(w, now))
		}
	}
}

// send sends a message, and logs where that begins or ceases to work.
func (n *Notifier) send(ctx context.Context, m *message) {
	err := n.post(ctx, m)
	if err != nil && ctx.Err() != nil && n.tryFor > 0 {
		n.tell(*m) // which is sent at the end
		return
	}
	outcome := Sent
	if err != nil {
		outcome = Failed
	}
	n.cfg.Count(outcome)
	switch {
	case err != nil && !n.failing:
		n.cfg.Logger.Warn("notifications cannot be sent, and are lost", "host", n.host, "error", err)
	case err == nil && n.failing:
		n.cfg.Logger.Info("notifications are sent again", "host", n.host)
	}
	n.failing = err != nil
}

// post sends a message until the receiver has it or trying again does not help.
func (n *Notifier) post(ctx context.Context, m *message) error {
	body, err := m.body(n.cfg.Slack)
	if err != nil {
		return err
	}
	end := time.Now().Add(n.tryFor)
	for pause := n.pause; ; pause = min(2*pause, maxPause) {
		again, err := n.try(ctx, m.id, body)
		if !again || time.Now().Add(pause).After(end) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// try sends a message once. again: it may help to try again.
func (n *Notifier) try(ctx context.Context, id string, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("notify.url is no address")
	}
	req.Header.Set("Content-Type", "application/json")
	if n.cfg.Secret != nil {
		secret, err := n.cfg.Secret()
		if err != nil {
			return false, err
		}
		sign(req.Header, secret, id, time.Now(), body) // each time, as receivers refuse what is old
	}
	res, err := n.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the URL
	}
	if err != nil {
		return true, err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode/100 == 2 {
		return false, nil
	}
	return res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500, fmt.Errorf("it answered %s", res.Status)
}
