package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// failure says what became of a request. Whoever shows it names the model.
type failure struct {
	why string
	// unreachable: the server could not be asked, and may answer later. Else it
	// refused this prompt.
	unreachable bool
}

func (f *failure) Error() string { return f.why }

// unreachable tells whether an error says that a model is out of reach, and
// nothing about the prompt.
func unreachable(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.unreachable
}

// explain makes a failure of what became of a request.
func (x *exchange) explain(err error) error {
	r, why := &x.last, x.why(err)
	if x.calls > 1 {
		why += fmt.Sprintf(", %d times", x.calls)
	}
	if said := x.serverWords(); said != "" {
		why += fmt.Sprintf("; it says: %s", said)
	}
	about := r.tooLong || r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity || r.status == http.StatusRequestEntityTooLarge || r.moderated()
	return &failure{why, !about || r.badKey()}
}

func (x *exchange) why(err error) string {
	r := &x.last
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case r.tooLong:
		return fmt.Sprintf("the reply is longer than %d bytes", maxBody)
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within the timeout of a request"
	case errors.As(err, &dns):
		return fmt.Sprintf("the host %s is not found", dns.Name)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Sprintf("no connection: %v", op)
	case r.status == 0:
		return "the connection broke off before there was an answer"
	case r.status < 300 && !r.json:
		return "the answer is no JSON: is the address the base of an API, such as https://host/v1?"
	case r.status < 300:
		return errBroken.Error()
	case r.status < 400 && r.status != http.StatusNotModified:
		return "the server sends elsewhere, where no key is sent: name the final address"
	}
	return fmt.Sprintf("the server answered %d %s%s", r.status, http.StatusText(r.status), x.hint())
}

// hint is what a status from 400 on may mean.
func (x *exchange) hint() string {
	r := &x.last
	switch {
	case r.badKey() && x.client.cfg.Key == nil:
		return ": no key was sent, since none is named: give the model an entry with key_env or key_file"
	case r.badKey():
		return ": is the key right (key_env, key_file), and may it use this model?"
	case r.status == http.StatusNotFound:
		return ": is the model's name right, and is the address the base of the API?"
	case r.status == http.StatusRequestEntityTooLarge:
		return ": the prompt is too long for it"
	case r.noQuota():
		return ": the account's quota is used up"
	case r.wait > maxWait:
		return fmt.Sprintf(": it asks to wait longer than %v", maxWait)
	}
	return ""
}

// noQuota tells whether an account has used up what it may, which waiting does
// not change.
func (r *response) noQuota() bool {
	return r.status == http.StatusTooManyRequests && bytes.Contains(r.body, []byte("insufficient_quota"))
}

// badKey tells whether the server refuses the key. Some say so with status 400.
func (r *response) badKey() bool {
	if r.moderated() {
		return false
	}
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusBadRequest:
		return r.says("api key", "api_key", "apikey", "unauthorized", "authentication")
	}
	return false
}

// moderated tells whether a filter refused the prompt.
func (r *response) moderated() bool {
	return r.says("moderation", "content_filter", "content policy", "content_policy")
}

// says tells whether the body of a refusal has one of some words.
func (r *response) says(words ...string) bool {
	body := strings.ToLower(string(r.body))
	return r.status >= 400 && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(body, w) })
}

// Where a body says how long to wait, and how times are written there.
var (
	waits    = regexp.MustCompile(`(?i)(?:try again in|retry (?:after|in)|"retry_?delay"\s*:\s*"|"retry_after"\s*:\s*"?)\s*((?:\d+(?:\.\d+)?\s*[a-z]*\s*){1,3})`)
	duration = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*([a-z]*)`)
)

// asksToWait is how long a refusal asks to wait, in a header or in its body;
// negative: it does not say.
func (r *response) asksToWait(h http.Header) time.Duration {
	if r.status < 400 {
		return -1
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), 0)
	}
	m := waits.FindSubmatch(r.body)
	if m == nil {
		return -1
	}
	total := 0.0
	for _, part := range duration.FindAllStringSubmatch(string(m[1]), -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return -1
		}
		switch unit := strings.ToLower(part[2]); {
		case strings.HasPrefix(unit, "ms") || strings.HasPrefix(unit, "milli"):
			n /= 1000
		case strings.HasPrefix(unit, "m"):
			n *= 60
		case strings.HasPrefix(unit, "h"):
			n *= 3600
		case unit != "" && unit[0] != 's':
			return seconds(total) // other words follow
		}
		total += n
	}
	return seconds(total)
}

// seconds holds a time to what can be waited for; none below 0.
func seconds(s float64) time.Duration {
	if !(s >= 0) { // nor what is no number
		return -1
	}
	return time.Duration(min(s, 1e6) * float64(time.Second))
}

// Bounds on what an error repeats of a server's words, in characters, and how
// much of the prompt may stand in them in a row.
const (
	maxSaid   = 200
	maxQuoted = 40
)

// keys are what looks like one.
var keys = regexp.MustCompile(`(?i)bearer\s+\S+|\b(?:sk|pk|gsk|xai|key|token|api)[-_][\w-]{6,}|\bAIza[\w-]{8,}|[\w+/-]{32,}={0,2}`)

// serverWords are what the server says of a refusal, fit for a log: one line,
// short, without keys and without what it repeats of the prompt.
func (x *exchange) serverWords() string {
	r := &x.last
	if r.status < 400 {
		return ""
	}
	var e struct {
		Error   json.RawMessage
		Message string
		Detail  json.RawMessage
	}
	var inner struct{ Message string }
	// What does not decode leaves the fields empty.
	_ = json.Unmarshal(r.body, &e)
	_ = json.Unmarshal(e.Error, &inner)
	said := inner.Message
	for _, raw := range []string{string(e.Error), e.Message, string(e.Detail), string(r.body)} {
		var text string
		if json.Unmarshal([]byte(raw), &text) == nil {
			raw = text
		}
		if said == "" && !strings.HasPrefix(strings.TrimSpace(raw), "<") {
			said = raw
		}
	}
	said = shadow.Line(strings.Join(strings.Fields(said[:min(len(said), 10*maxSaid)]), " "))
	for i, secret := range x.secrets {
		if i == 0 && len(secret) > 3 { // the key
			said = strings.ReplaceAll(said, secret, "[key]")
		}
		said = withoutQuotes(said, strings.Join(strings.Fields(secret), " "))
	}
	return clip.To(strings.TrimSpace(keys.ReplaceAllString(said, "[key]")), maxSaid)
}

// withoutQuotes leaves out of a text what stands in another in a row of more than
// maxQuoted bytes.
func withoutQuotes(text, other string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		if at+maxQuoted < len(text) && strings.Contains(other, text[at:at+maxQuoted+1]) {
			n := maxQuoted + 1
			for ; at+n < len(text) && strings.Contains(other, text[at:at+n+1]); n++ {
			}
			b.WriteString("[…]")
			at += n
			continue
		}
		b.WriteByte(text[at])
		at++
	}
	return strings.ToValidUTF8(b.String(), "")
}
