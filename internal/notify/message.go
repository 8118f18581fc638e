package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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

func sealBroken() message {
	now := time.Now().UTC()
	return message{id: idOf(string(SealBroken), now.String()), Type: SealBroken, Timestamp: now, Text: "The envelope of a run is not what was committed to: " + nobodyKnows + "."}
}

func waits(w Wait, now time.Time) message {
	return message{id: idOf(string(JudgesAway), w.Judge, now.String()), Type: JudgesAway, Timestamp: now.UTC(), Data: data{Judge: w.Judge, Bundles: w.Bundles},
		Text: fmt.Sprintf("Judge %s is out of reach, and %s waiting for it. shadowd status says why.", w.Judge, are(w.Bundles))}
}

func are(bundles int) string {
	if bundles == 1 {
		return "1 bundle is"
	}
	return shadow.Count(bundles, "bundle") + " are"
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

// secretPrefix may stand before a secret.
const secretPrefix = "whsec_"

// ParseSecret reads a secret as Standard Webhooks has it: 24 to 64 bytes in base64.
// The error does not show it.
func ParseSecret(text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), secretPrefix))
	if err != nil || len(secret) < 24 || len(secret) > 64 {
		return nil, errors.New("that is no secret of a webhook: one is 24 to 64 random bytes in base64")
	}
	return secret, nil
}
