package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// noQuota tells whether an account has used up what it may, which waiting does
// not change.
func (r *response) noQuota() bool {
	return r.status == http.StatusTooManyRequests && bytes.Contains(r.body, []byte("insufficient_quota"))
}

// explain says what became of a request in words of our own. What the server
// says may repeat the key or the prompt, and errors end up in logs. Whoever
// shows it names the model.
func (x *exchange) explain(err error) error {
	why := x.why(err)
	if x.calls > 1 {
		why += fmt.Sprintf(", %d times", x.calls)
	}
	return errors.New(why)
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
	r, body := &x.last, strings.ToLower(string(x.last.body))
	refused := r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
	switch {
	case refused && x.client.cfg.Key == nil:
		return ": no key was sent, since none is named: give the model an entry with key_env or key_file"
	case refused:
		return ": is the key right (key_env, key_file), and may it use this model?"
	case r.status == http.StatusNotFound:
		return ": is the model's name right, and is the address the base of the API?"
	case r.status == http.StatusRequestEntityTooLarge:
		return ": the prompt is too long for it"
	case r.noQuota():
		return ": the account's quota is used up"
	case x.tooLate:
		return fmt.Sprintf(": it asks to wait longer than %v", maxWait)
	case r.status != http.StatusBadRequest:
		return ""
	case strings.Contains(body, "context") && (strings.Contains(body, "length") || strings.Contains(body, "size") || strings.Contains(body, "window")):
		return ": the prompt may be longer than the model's context"
	case strings.Contains(body, "content_filter"), strings.Contains(body, "content_policy"):
		return ": its content filter may have refused the prompt"
	}
	return ""
}
