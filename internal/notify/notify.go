// Package notify tells people outside what they should look at: a bundle that is
// quarantined or rejected, a broken seal, judges out of reach. It posts to one
// URL, signed by the rules of Standard Webhooks.
//
// Nothing waits for it, and no message holds anything that was sealed or written by a
// model or a commander but ids. Messages wait in memory, so a crash or a receiver that is
// away for long loses them: this is a hint to read the log of the bus.
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	// No error shows more of the URL than its host: that of a chat holds a secret.
	URL   string
	Slack bool // messages are in the form that Slack takes; else they are plain JSON
	// Secret gives the key of signatures before each message, so that a file may
	// change; nil: messages are not signed.
	Secret func() ([]byte, error)
	// Waits says how many bundles wait for each judge that is out of reach.
	Waits func() map[string]int
	// Count counts a message by what became of it: [Sent], [Failed] or [Dropped].
	Count  func(outcome string)
	Logger *slog.Logger
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
	if err != nil {
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
func (n *Notifier) SealBroken() {
	now := time.Now().UTC()
	n.tell(message{id: idOf(string(SealBroken), now.String()), Type: SealBroken, Timestamp: now, Text: "The envelope of a run is not what was committed to: " + nobodyKnows + "."})
}

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
	for judge, bundles := range n.cfg.Waits() {
		if last, ok := n.told[judge]; !ok || now.Sub(last) >= quietFor {
			n.told[judge] = now
			n.tell(waits(judge, bundles, now))
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

// Kind is what a message is about.
type Kind string

// The kinds.
const (
	Quarantine  Kind = "quarantine"
	Reject      Kind = "reject"
	SealBroken  Kind = "seal_broken"
	JudgesAway  Kind = "judge_unreachable"
	nobodyKnows      = "look at the log of shadowd, and run: shadowd audit --all"
)

// message is what is told once. Its id is the same whichever daemon tells it.
type message struct {
	id string
	// What is sent as plain JSON.
	Type      Kind      `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Text      string    `json:"text"`
	Data      data      `json:"data"`
}

// data says what a message is about. Ids alone are of the swarm.
type data struct {
	Run         string        `json:"run_id,omitempty"`
	Domain      string        `json:"domain,omitempty"`
	Cycle       *int          `json:"cycle,omitempty"`
	Bundle      string        `json:"bundle_id,omitempty"`
	Commander   string        `json:"commander_id,omitempty"`
	Gate        shadow.Action `json:"gate,omitempty"`
	Because     []string      `json:"because,omitempty"`
	Verdict     shadow.Word   `json:"verdict,omitempty"`
	ShadowScore json.Number   `json:"shadow_score,omitempty"`
	Advisory    bool          `json:"advisory,omitempty"`
	Judge       string        `json:"judge,omitempty"`
	Bundles     int           `json:"bundles,omitempty"`
}

// judged is what is told of a report, or nil. Of one whose fix is awaited nothing
// is.
func judged(r *shadow.Report) *message {
	s := &r.Swarm
	cycle := s.Cycle
	m := &message{Timestamp: r.Report.Timestamp, Data: data{Run: s.RunID, Domain: s.Domain, Cycle: &cycle, Bundle: s.BundleID, Commander: s.CommanderID,
		Gate: s.Gate.Action, Because: s.Gate.Because, Verdict: s.Verdict, ShadowScore: s.Score.Percent(), Advisory: len(s.AdvisoryReasons) > 0}}
	of := fmt.Sprintf("domain %s of run %s", s.Domain, s.RunID)
	switch {
	case !s.Final:
		return nil
	case s.SealBroken != "":
		m.Type, m.Text = SealBroken, fmt.Sprintf("The seal is broken for %s: %s.", of, nobodyKnows)
	case s.Gate.Action == shadow.Quarantine || s.Gate.Action == shadow.Reject:
		m.Type = Kind(s.Gate.Action)
		m.Text = fmt.Sprintf("The gate says %s for %s: %s, score %s %%. Look at it with: shadowd report %s --domain %s", s.Gate.Action, of, s.Verdict, s.Score.Percent(), s.RunID, s.Domain)
	default:
		return nil
	}
	m.id = idOf(string(m.Type), r.Report.ID)
	return m
}

func waits(judge string, bundles int, now time.Time) message {
	return message{id: idOf(string(JudgesAway), judge, now.String()), Type: JudgesAway, Timestamp: now.UTC(), Data: data{Judge: judge, Bundles: bundles},
		Text: fmt.Sprintf("Judge %s is out of reach. Waiting for it: %s. shadowd status says why.", judge, shadow.Count(bundles, "bundle"))}
}

func idOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return "msg_" + hex.EncodeToString(sum[:12])
}

// slackEscapes are those of Slack's texts.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// body is what is posted.
func (m *message) body(slack bool) ([]byte, error) {
	if slack {
		return json.Marshal(map[string]string{"text": slackEscapes.Replace(m.Text)})
	}
	return json.Marshal(m)
}

// sign adds the headers of Standard Webhooks.
func sign(h http.Header, secret []byte, id string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// ParseSecret reads a secret as Standard Webhooks has it: 24 to 64 bytes in base64.
// The error does not show it.
func ParseSecret(text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "whsec_"))
	if err != nil || len(secret) < 24 || len(secret) > 64 {
		return nil, errors.New("that is no secret of a webhook: one is 24 to 64 random bytes in base64")
	}
	return secret, nil
}
