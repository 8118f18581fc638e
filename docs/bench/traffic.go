//go:build unix

package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

const domains = 5 // of a run, and its bundles

// engineConfig is that of an engine without judges.
func engineConfig(o options) (bus.Config, error) {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		return bus.Config{}, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return bus.Config{}, err
	}
	def := config.Default()
	settings, limits := def.Settings(shadow.IsolationLegacy), def.Limits
	settings.MaxCriteria = o.Criteria
	settings.Scales = map[string]shadow.Scale{settings.DefaultScale: {Criteria: o.Criteria}}
	limits.ContentBytes = 1 << 20
	return bus.Config{Settings: settings, Key: key, Signer: attest.NewSigner(private), Limits: limits, Logger: slog.New(slog.DiscardHandler)}, nil
}

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

func bundle(run string, domain, words int) any {
	var text strings.Builder
	text.WriteString("# Rate limiter\n\n")
	for n, at := 0, domain; n < words; at++ {
		s := sentences[at%len(sentences)]
		text.WriteString(s + " ")
		if n += len(strings.Fields(s)); at%5 == 4 {
			fmt.Fprintf(&text, "\n\n## Part %d\n\n", at)
		}
	}
	return struct {
		RunID string `json:"run_id"`
		shadow.Bundle
	}{run, shadow.Bundle{BundleID: fmt.Sprint("b-", domain), Domain: fmt.Sprint("part-", domain), CommanderID: fmt.Sprint("cmd-", domain), Status: "success",
		Summary: "The rate limiter is done and tested.", Confidence: 0.9, Content: text.String()}}
}

func event(subject, name string, data any) (*nats.Msg, error) {
	raw, err := json.Marshal(map[string]any{"specversion": "1.0", "id": subject, "source": "/bench", "type": shadow.Type(name),
		"datacontenttype": "application/json", "data": data})
	return &nats.Msg{Subject: subject, Data: raw}, err
}

// sealed has n runs sealed, and returns their bundles.
func (b *bench) sealed(ctx context.Context, n int) (bundles []*nats.Msg, err error) {
	var done []*nats.Msg
	first := b.runs
	for range n {
		run := fmt.Sprint("bench-", b.runs)
		b.runs++
		m, err := event(b.store.Decomposition(run), shadow.DecompositionDone, decomposition(run))
		if err != nil {
			return nil, err
		}
		done = append(done, m)
		for i := range domains {
			m, err := event(b.store.Bundle(run, fmt.Sprint("cmd-", i)), shadow.BundleComplete, bundle(run, i, b.Words))
			if err != nil {
				return nil, err
			}
			bundles = append(bundles, m)
		}
	}
	err = b.publish(ctx, done)
	for run := first; run < b.runs && err == nil; {
		var m *streams.Message
		if m, err = streams.Last(ctx, b.js, layout.StreamIn, b.store.Commitment(fmt.Sprint("bench-", run))); m != nil {
			run++
		} else {
			time.Sleep(time.Millisecond)
		}
	}
	return bundles, err
}
