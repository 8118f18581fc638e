package service

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// Author is an author that answers on the bus, one request an envelope.
type Author struct{ *client }

// NewAuthor makes the author that answers on shadow.author.<service>.
// It asks nobody yet.
func NewAuthor(nc *nats.Conn, c Config) *Author {
	pauses := []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second}
	return &Author{&client{nc: nc, role: layout.RoleAuthor, cfg: c, pauses: pauses}}
}

// authorRequest is what an author is asked. Nothing of it is sealed.
type authorRequest struct {
	Version       int                     `json:"version"`
	Decomposition *shadow.Decomposition   `json:"decomposition"`
	Quota         map[shadow.Category]int `json:"quota"`
	ReplyKey      string                  `json:"reply_key,omitempty"`
}

type authorReply struct {
	Criteria []struct {
		Category     shadow.Category     `json:"category"`
		Assertion    string              `json:"assertion"`
		Expected     string              `json:"expected"`
		Check        string              `json:"check"`
		Requirements []string            `json:"requirements"`
		Expects      *shadow.Expectation `json:"expects"`
		Messages     map[string]string   `json:"messages"`
	} `json:"criteria"`
	stated
}

// Write asks for criteria. An author that fails is an ordinary error, so that
// its share is left to others: a run does not wait for somebody else's service.
// What it says when it fails may be quoted, as none of that is sealed. A
// criterion that cannot be used is left out of the seal. For the author of the
// service, the log says why, by the number of the criterion and without its
// words.
func (a *Author) Write(ctx context.Context, d *shadow.Decomposition, quota map[shadow.Category]int) ([]shadow.Criterion, error) {
	wanted := map[shadow.Category]int{}
	for c, n := range quota {
		if n > 0 {
			wanted[c] = n
		}
	}
	key, err := a.replyKey()
	if err != nil {
		return nil, err
	}
	msg, err := a.request(ctx, authorRequest{version, d, wanted, key})
	if err != nil {
		return nil, err
	}
	return a.criteria(msg, d)
}

// criteria makes criteria of a reply.
func (a *Author) criteria(msg *nats.Msg, d *shadow.Decomposition) ([]shadow.Criterion, error) {
	var r authorReply
	if err := a.decode(msg, schemas.AuthorReply, &r); err != nil {
		return nil, errors.New(shadow.Printable(a.String() + ": " + err.Error()))
	}
	a.states(r.stated)
	var criteria []shadow.Criterion
	for i, w := range r.Criteria {
		c := shadow.Criterion{Category: w.Category, Assertion: w.Assertion, Expected: w.Expected, Check: w.Check,
			Requirements: w.Requirements, Expects: w.Expects, Material: map[string]shadow.Material{}}
		for domain, message := range w.Messages {
			if d.Domains.Find(domain) != nil {
				c.Material[domain] = shadow.Material{Message: message}
			}
		}
		if err := c.Usable(d); err != nil {
			a.cfg.Logger.Warn("a criterion cannot be used", "author", a.cfg.Name, "run", d.RunID, "criterion", i+1, "error", err)
		}
		criteria = append(criteria, c)
	}
	return criteria, nil
}
