// Package service asks judges and authors that somebody runs as services on the
// bus, by NATS request and reply.
package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// Config says how a judge or an author is reached that somebody runs as
// a service on the bus.
type Config struct {
	// Name stands for it in reports.
	Name string
	// Service is the last token of its subject, an id.
	Service string
	// Family is that of its model. Which model that is the service states.
	Family string
	// Sealed: replies must be sealed to Key. Without it they may be.
	Sealed bool
	// Key is shadowd's curve key, or a [shadow.Ring]. It may be nil where
	// Sealed is false.
	Key nkeys.KeyPair
	// Timeout bounds one request, attempts to reach the service included.
	Timeout time.Duration
	// Logger gets what the writer of a service needs to know.
	Logger *slog.Logger
}

const version = 1

// maxReply bounds a reply, in bytes, before it is opened and after.
const maxReply = 1 << 20

// client is the asking side of a judge or an author.
type client struct {
	nc   *nats.Conn
	role layout.Role
	cfg  Config
	// said is what the last reply stated; nil before there is one.
	said atomic.Pointer[stated]
	// pauses are the waits between attempts while nobody answers: a service
	// that is restarted is back soon.
	pauses []time.Duration
}

// stated is what a reply says about who made it.
type stated struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
}

// Ref names who answers, with the model and the prompt that its last reply stated.
func (s *client) Ref() shadow.AuthorRef {
	ref := shadow.AuthorRef{Name: s.cfg.Name, Model: shadow.Model{Family: s.cfg.Family}}
	if said := s.said.Load(); said != nil {
		ref.Model.Model, ref.Prompt = strings.TrimSpace(said.Model), said.Prompt
	}
	return ref
}

func (s *client) states(said stated) { s.said.Store(&said) }

// replyKey is what replies can be sealed to.
func (s *client) replyKey() (string, error) {
	if s.cfg.Key == nil {
		return "", nil
	}
	public, err := s.cfg.Key.PublicKey()
	if err != nil {
		return "", fmt.Errorf("the envelope key: %w", err)
	}
	return public, nil
}

// request sends one request and returns the one reply to it. Its errors quote
// nothing that the service said.
func (s *client) request(ctx context.Context, v any) (*nats.Msg, error) {
	data, err := shadow.Encode(v)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		reply, err := s.nc.RequestWithContext(bounded, layout.ServiceSubject(s.role, s.cfg.Service), data)
		switch {
		case err == nil:
			return reply, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrMaxPayload):
			return nil, fmt.Errorf("%s: the request has %d bytes, and the bus takes %d at most", s, len(data), s.nc.MaxPayload())
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("%s: no reply within %s", s, s.cfg.Timeout)
		case !errors.Is(err, nats.ErrNoResponders):
			return nil, fmt.Errorf("%s: %w", s, err)
		case attempt == len(s.pauses):
			return nil, fmt.Errorf("%s: %w", s, ErrNone)
		}
		select {
		case <-bounded.Done():
		case <-time.After(s.pauses[attempt]):
		}
	}
}

// String names the service in errors.
func (s *client) String() string {
	return layout.ServiceSubject(s.role, s.cfg.Service)
}

// decode opens a reply, checks it by its schema and decodes it. Its errors quote
// the service, and are not yet fit to print.
func (s *client) decode(reply *nats.Msg, schema string, into any) error {
	if text := reply.Header.Get(micro.ErrorHeader); text != "" || reply.Header.Get(micro.ErrorCodeHeader) != "" {
		return fmt.Errorf("it answers with an error: %s", strings.TrimSpace(reply.Header.Get(micro.ErrorCodeHeader)+" "+text))
	}
	data, err := s.open(reply.Data)
	if err != nil {
		return err
	}
	if err := schemas.Validate(schema, data); err != nil {
		return fmt.Errorf("its reply is no %s: %w", schema, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("its reply is no %s: %w", schema, err)
	}
	return nil
}

// open returns the JSON of a reply, which may be sealed.
func (s *client) open(data []byte) ([]byte, error) {
	const wrapped = maxReply/3*4 + 256 // as base64, with the key beside it
	if len(data) > wrapped || len(data) > maxReply && !s.cfg.Sealed {
		return nil, fmt.Errorf("its reply has %d bytes, more than %d", len(data), maxReply)
	}
	if schemas.Validate(schemas.SealedReply, data) != nil {
		if s.cfg.Sealed {
			return nil, errors.New("its reply is not sealed, and has to be")
		}
		return data, nil
	}
	var sealed struct {
		By  string `json:"sealed_by"`
		Box []byte `json:"box"`
	}
	if err := json.Unmarshal(data, &sealed); err != nil {
		return nil, fmt.Errorf("its reply is no %s: %w", schemas.SealedReply, err)
	}
	if s.cfg.Key == nil {
		return nil, errors.New("its reply is sealed, and there is no key to open it with")
	}
	plain, err := s.cfg.Key.Open(sealed.Box, sealed.By)
	if err != nil {
		return nil, errors.New("its reply does not open: it is sealed to another key than reply_key, or by another one than sealed_by")
	}
	return plain, nil
}
