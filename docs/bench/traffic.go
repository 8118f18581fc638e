//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// decomposition is that of a run; its domains are alike.
func decomposition(run string) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: run, Task: "Build a rate limiter for the public API"}
	for i := range domains {
		d.Domains = append(d.Domains, shadow.Domain{
			Domain: fmt.Sprint("part-", i), CommanderID: fmt.Sprint("cmd-", i), TaskBrief: "Limit requests per client and tell clients why",
			SubTasks: []string{"Count requests per client in a sliding window of 60 seconds", "Refuse more than 100 requests a minute with status 429",
				"Send the header Retry-After with every refusal", "Write refused requests to the audit log with client and time"},
			Deliverables: []string{"A middleware for the HTTP server", "A load test for 2000 clients", "A page for operators"},
			Constraints:  []string{"Must not add more than 5 ms to a request", "Must keep working while the counter store is away"},
		})
	}
	return d
}

// sentences are what bundles are made of.
var sentences = []string{
	"The middleware counts requests per client in a sliding window of 60 seconds.", "A client that sends more than 100 requests a minute gets status 429.",
	"Every refusal carries the header Retry-After.", "Refused requests are written to the audit log with client and time.",
	"While the counter store is away, requests pass and an alarm is raised.", "The load test ran with 2000 clients and added 3 ms to a request.",
	"Operators find the limits, the alarms and how to change them on one page.", "Clocks of two servers may differ by a second, which the window allows for.",
}

func bundle(run string, i, words int) any {
	var text strings.Builder
	text.WriteString("# Rate limiter\n\n")
	for n, at := 0, i; n < words; at++ {
		s := sentences[at%len(sentences)]
		text.WriteString(s + " ")
		if n += len(strings.Fields(s)); at%5 == 4 {
			fmt.Fprintf(&text, "\n\n## Part %d\n\n", at)
		}
	}
	d := i % domains
	return struct {
		RunID string `json:"run_id"`
		shadow.Bundle
	}{run, shadow.Bundle{BundleID: fmt.Sprint("b-", i), Domain: fmt.Sprint("part-", d), CommanderID: fmt.Sprint("cmd-", d), Status: "success",
		Summary: "The rate limiter is done and tested.", Confidence: 0.9, Content: text.String()}}
}

func event(subject, name string, id int, data any) (*nats.Msg, error) {
	raw, err := json.Marshal(map[string]any{"specversion": "1.0", "id": fmt.Sprint(id), "source": "/bench", "type": shadow.Type(name),
		"datacontenttype": "application/json", "data": data})
	return &nats.Msg{Subject: subject, Data: raw}, err
}

// sealed seals runs for n bundles and returns those.
func (b *bench) sealed(ctx context.Context, n int) (msgs []*nats.Msg, err error) {
	var runs []string
	var done []*nats.Msg
	for range n {
		run := fmt.Sprint("bench-", b.next/domains)
		if b.next%domains == 0 || len(runs) == 0 {
			b.next += (domains - b.next%domains) % domains // a run of its own
			run = fmt.Sprint("bench-", b.next/domains)
			runs = append(runs, run)
			m, err := event(b.store.Decomposition(run), shadow.DecompositionDone, b.next, decomposition(run))
			if err != nil {
				return nil, err
			}
			done = append(done, m)
		}
		m, err := event(b.store.Bundle(run, fmt.Sprint("cmd-", b.next%domains)), shadow.BundleComplete, b.next, bundle(run, b.next, b.Words))
		if err != nil {
			return nil, err
		}
		msgs = append(msgs, m)
		b.next++
	}
	if err := b.publish(ctx, done); err != nil {
		return nil, err
	}
	for _, run := range runs {
		for {
			_, err := b.store.In.GetLastMsgForSubject(ctx, b.store.Commitment(run))
			if err == nil {
				break
			}
			if !errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil, err
			}
			time.Sleep(time.Millisecond)
		}
	}
	return msgs, nil
}

// move moves the messages as bundles are moved, without judging.
func (b *bench) move(ctx context.Context, msgs []*nats.Msg) error {
	var bare []*nats.Msg
	for _, m := range msgs {
		bare = append(bare, &nats.Msg{Subject: bareIn + "." + m.Subject, Data: m.Data})
	}
	if err := b.publish(ctx, bare); err != nil {
		return err
	}
	moved := make(chan error, len(msgs))
	const workers = 32
	queue := make(chan jetstream.Msg, workers)
	defer close(queue)
	for range workers {
		go func() {
			for m := range queue {
				subject := bareOut + "." + m.Subject()
				_, err := b.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: m.Data()}, jetstream.WithExpectLastSequenceForSubject(0, subject))
				moved <- errors.Join(err, m.Ack())
			}
		}()
	}
	consume, err := b.bare.Consume(func(m jetstream.Msg) { queue <- m })
	if err != nil {
		return err
	}
	defer func() { consume.Stop(); <-consume.Closed() }()
	for range msgs {
		select {
		case e := <-moved:
			err = errors.Join(err, e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
