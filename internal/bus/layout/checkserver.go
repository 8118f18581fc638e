package layout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The oldest server that has scheduled messages, which the deadlines need.
const minMajor, minMinor = 2, 12

// checkServer refuses a server that cannot keep the promises. It has to take
// messages of largest bytes.
func checkServer(ctx context.Context, js jetstream.JetStream, largest int32) error {
	nc := js.Conn()
	if err := checkVersion(nc.ConnectedServerVersion()); err != nil {
		return err
	}
	if maxPayload := nc.MaxPayload(); maxPayload < int64(largest) {
		return fmt.Errorf("%s takes messages of %d bytes (max_payload), and limits.event_bytes is %d: raise the one in the server's configuration, or lower the other", nc.ConnectedUrlRedacted(), maxPayload, largest)
	}
	err := CheckAllowed(ctx, nc)
	if errors.Is(err, ErrNotAllowed) {
		return fmt.Errorf("%w: log in as the user that is meant for shadowd, with bus.nkey or bus.credentials", err)
	}
	if err != nil {
		return fmt.Errorf("asking %s for JetStream: %w", nc.ConnectedUrlRedacted(), err)
	}
	_, err = js.AccountInfo(ctx)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("JetStream is not enabled for this account of %s: add a jetstream {} block to the server's configuration, and jetstream: enabled to the account if accounts are used: %w", nc.ConnectedUrlRedacted(), err)
	}
	if err != nil {
		return fmt.Errorf("asking %s for its JetStream account: %w", nc.ConnectedUrlRedacted(), err)
	}
	return nil
}

// allowedTimeout bounds the wait for the word that a request is not allowed.
const allowedTimeout = 10 * time.Second

// ErrNotAllowed is the error of [CheckAllowed].
var ErrNotAllowed = errors.New("does not let this user read the streams")

// CheckAllowed says whether the user of nc may use JetStream at all. Who may
// not gets no answer to any request about it, however long it waits.
func CheckAllowed(ctx context.Context, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, allowedTimeout)
	defer cancel()
	answers, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return err
	}
	defer func() { _ = answers.Unsubscribe() }()
	before := nc.LastError()
	// What is not allowed is refused before the answer to a ping.
	if err := errors.Join(nc.PublishRequest("$JS.API.INFO", answers.Subject, nil), nc.FlushWithContext(ctx)); err != nil {
		return err
	}
	//nolint:errorlint // whether it is a new error of the connection, whatever it says
	if last := nc.LastError(); last != before && errors.Is(last, nats.ErrPermissionViolation) {
		return fmt.Errorf("%s %w", nc.ConnectedUrlRedacted(), ErrNotAllowed)
	}
	return nil
}

func checkVersion(v string) error {
	var major, minor int
	if _, err := fmt.Sscanf(v, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("nats-server names its version %.60q: shadowd needs %d.%d or later", v, minMajor, minMinor)
	}
	if major < minMajor || major == minMajor && minor < minMinor {
		return fmt.Errorf("nats-server is %s, but shadowd needs %d.%d or later: its deadlines are scheduled messages, which older servers do not have", v, minMajor, minMinor)
	}
	return nil
}
