package llm

import (
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
	why         string
	unreachable bool // it could not be asked, and may answer later; else it refused this prompt
}

func (f *failure) Error() string { return f.why }

// unreachable tells whether an error says that a model is out of reach, and
// nothing about the prompt.
func unreachable(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.unreachable
}

// explain makes a failure of what became of a request. It repeats no secret: the key is
// the first of them, and the others are the prompt.
func (r *response) explain(tries int, keyed bool, secrets []string) error {
	why := r.why(keyed)
	if tries > 1 {
		why += fmt.Sprintf(", %d times", tries)
	}
	if said := r.serverWords(secrets); said != "" {
		why += fmt.Sprintf("; it says: %s", said)
	}
	about := errors.Is(r.err, errLong) || r.refused() || r.status == http.StatusRequestEntityTooLarge || r.moderated()
	return &failure{why, !about || r.badKey()}
}

func (r *response) why(keyed bool) string {
	var op *net.OpError
	hint := ""
	switch {
	case errors.Is(r.err, context.DeadlineExceeded):
		return "no answer within the timeout of a request"
	case errors.As(r.err, &op) && op.Op == "dial":
		return fmt.Sprintf("no connection: %v", op)
	case r.status == 0:
		return "the connection broke off before there was an answer"
	case errors.Is(r.err, errBroken):
		return errBroken.Error()
	case !errors.Is(r.err, errStatus):
		return r.err.Error()
	case r.badKey() && !keyed:
		hint = ": no key was sent, since none is named: give the model an entry with key_env or key_file"
	case r.badKey():
		hint = ": is the key right (key_env, key_file), and may it use this model?"
	case r.status == http.StatusNotFound:
		hint = ": is the model's name right, and is the address the base of the API?"
	case r.wait > maxWait:
		hint = fmt.Sprintf(": it asks to wait longer than %v", maxWait)
	}
	return fmt.Sprintf("the server answered %d %s%s", r.status, http.StatusText(r.status), hint)
}

// badKey tells whether the server refuses the key. Some say so with status 400.
func (r *response) badKey() bool {
	if r.moderated() {
		return false
	}
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden ||
		r.status == http.StatusBadRequest && r.says("api key", "api_key", "apikey", "unauthorized", "authentication")
}

// refused tells whether the server does not take the request as it is.
func (r *response) refused() bool {
	return r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity
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

// asksToWait is how long a refusal asks to wait; negative: it does not say.
func (r *response) asksToWait(h http.Header) time.Duration {
	after := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(after, 64); r.status >= 400 && err == nil && n >= 0 {
		return time.Duration(min(n, 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(after); r.status >= 400 && err == nil {
		return max(time.Until(at), 0)
	}
	return -1
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
// short, without keys and up to what it repeats of the prompt.
func (r *response) serverWords(secrets []string) string {
	if r.status < 400 {
		return ""
	}
	var e struct{ Error, Message, Detail json.RawMessage }
	var inner struct{ Message json.RawMessage }
	// What does not decode leaves the fields empty.
	_ = json.Unmarshal(r.body, &e)
	_ = json.Unmarshal(e.Error, &inner)
	said := ""
	for _, raw := range []json.RawMessage{inner.Message, e.Error, e.Message, e.Detail, r.body} {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		if said == "" && !strings.HasPrefix(strings.TrimSpace(text), "<") {
			said = text
		}
	}
	said = shadow.Line(strings.Join(strings.Fields(said[:min(len(said), 10*maxSaid)]), " "))
	if len(secrets[0]) > 3 {
		said = strings.ReplaceAll(said, secrets[0], "[key]")
	}
	for _, secret := range secrets {
		secret = strings.Join(strings.Fields(secret), " ")
		for at := 0; at+maxQuoted < len(said); at++ {
			if strings.Contains(secret, said[at:at+maxQuoted+1]) {
				said = said[:at] + "[…]"
			}
		}
	}
	return clip.To(strings.TrimSpace(keys.ReplaceAllString(strings.ToValidUTF8(said, ""), "[key]")), maxSaid)
}
