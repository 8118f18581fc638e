package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of trying again.
const (
	maxTries = 4
	// maxLearn is how many parameters may be left out on the way, which takes
	// no wait and counts as no try: three, and two forms of reply.
	maxLearn  = 5
	firstWait = 500 * time.Millisecond
	// maxWait is the longest that a server may ask to wait.
	maxWait = time.Minute
)

// retry says that trying again may help.
type retry struct {
	// failed: the request failed. If not, a parameter is left out next time.
	failed bool
	// after is how long the server asks to wait; 0: it does not say.
	after time.Duration
}

// complete puts a prompt to the model until there is a reply, as often as is
// worthwhile. The cost counts failed tries. An error wraps that of ctx if it
// is done.
func (c *Client) complete(ctx context.Context, p *prompt) (string, Cost, error) {
	var cost Cost
	if n := p.size(); n > c.cfg.MaxPrompt {
		return "", cost, c.tooLong(n)
	}
	for tries, learnt := 1, 0; ; {
		text, spent, again, err := c.once(ctx, p)
		cost.add(spent)
		if err == nil || again == nil {
			return text, cost, err
		}
		if !again.failed {
			if learnt++; learnt > maxLearn {
				return "", cost, err
			}
			continue
		}
		if tries++; tries > maxTries {
			return "", cost, fmt.Errorf("%w, %d times", err, maxTries)
		}
		wait := again.after
		if wait == 0 {
			wait = backoff(tries - 2)
		}
		if wait > maxWait {
			return "", cost, fmt.Errorf("%w: the server asks to wait %v, longer than %v", err, wait.Round(time.Second), maxWait)
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return "", cost, fmt.Errorf("%w, and there is no time to try again", err)
		}
		if err := sleep(ctx, wait); err != nil {
			return "", cost, err
		}
	}
}

// backoff doubles from try to try, and is drawn from its upper half so that
// many clients do not come back together.
func backoff(n int) time.Duration {
	d := firstWait << min(n, 6)
	return d/2 + rand.N(d/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// worthRetrying tells of a failed request whether the next one may do better.
func worthRetrying(err error, a *answer) *retry {
	switch {
	case errors.Is(err, errRedirect) || errors.Is(err, errBodyTooLong):
		return nil
	case a.status == 0: // no response
		return &retry{failed: true}
	case a.status < 300: // one that broke off or is no JSON
		if isJSON(a) {
			return &retry{failed: true}
		}
		return nil
	case a.status == http.StatusTooManyRequests && strings.Contains(string(a.body), "insufficient_quota"):
		return nil
	case a.status == http.StatusTooManyRequests, a.status == http.StatusRequestTimeout, a.status >= 500 && a.status != http.StatusNotImplemented:
		return &retry{failed: true, after: retryAfter(a.header)}
	}
	return nil
}

func isJSON(a *answer) bool {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// retryAfter reads the header of that name: seconds, or a date. What makes no
// sense is as if it were not there.
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		if s > 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(time.Until(t), 0)
	}
	return 0
}

// explain says what became of a request in words of our own. What the server
// says may repeat the key or the prompt, and errors end up in logs.
func (c *Client) explain(err error, a *answer) error {
	return fmt.Errorf("model %q: %s", c.cfg.Name, why(err, a))
}

func why(err error, a *answer) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, errRedirect):
		return "the server sends elsewhere, where no key is sent: write the final address in url"
	case errors.Is(err, errBodyTooLong):
		return fmt.Sprintf("the reply is longer than %d bytes", maxBody)
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within the timeout of a request"
	case errors.As(err, &dns):
		return "the host of url is not found"
	case errors.As(err, &op) && op.Op == "dial":
		return "no connection to the server that url names"
	case a.status == 0:
		return "the connection broke off before there was an answer"
	case a.status < 300 && !isJSON(a):
		return "the answer is no JSON: does url name the base of an API, such as https://host/v1?"
	case a.status < 300:
		return "the answer broke off or is no JSON"
	}
	said := fmt.Sprintf("the server answered %d %s", a.status, http.StatusText(a.status))
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return said + ": is the key right (key_env, key_file), and may it use this model?"
	case http.StatusNotFound:
		return said + ": is the model's name right, and does url name the base of the API?"
	case http.StatusRequestEntityTooLarge:
		return said + ": the prompt is too long for it"
	case http.StatusTooManyRequests:
		if strings.Contains(string(a.body), "insufficient_quota") {
			return said + ": the account's quota is used up"
		}
	case http.StatusBadRequest:
		switch body := strings.ToLower(string(a.body)); {
		case strings.Contains(body, "context") && (strings.Contains(body, "length") || strings.Contains(body, "size") || strings.Contains(body, "window")):
			return said + ": the prompt may be longer than the model's context"
		case strings.Contains(body, "content_filter"), strings.Contains(body, "content_policy"):
			return said + ": its content filter may have refused the prompt"
		}
	}
	return said
}
