// Command commander shows how a swarm talks to shadowd: it publishes a
// decomposition and a bundle, answers a hardening request if one comes, and
// ends when the run is scored. Start shadowd first: shadowd run.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names on the bus. A run has a new one each time, since its outcome is stored
// once and for all.
var run = fmt.Sprintf("example-%d", time.Now().UnixMilli())

const commander = "cmd-impl"

// What the work says. The fix adds the last two.
const (
	limiter = "Each API key has a token bucket in Redis; the limiter is a Lua script."
	refusal = "A caller whose bucket is empty gets status 429, and Retry-After says when the next token comes."
	load    = "`load_test.lua` holds 500 requests per second for ten minutes; p99 stayed at 9 ms."
	runbook = "If Redis is out: let all requests through, page the team, and warm the buckets up before you switch the limiter on again."
)

// delivered and undone account for one item of the assignment.
func delivered(item, quote string) map[string]string {
	return map[string]string{"item": item, "quote": quote}
}
func undone(item, why string) map[string]string {
	return map[string]string{"item": item, "undone": why}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// With users, the Nexus and each commander are different ones. Set
	// NATS_NKEYS to the directory of shadowd bus config.
	nexus, err := connect("nexus")
	if err != nil {
		log.Fatal(err)
	}
	defer nexus.Close()
	worker, err := connect("commander-" + commander)
	if err != nil {
		log.Fatal(err)
	}
	defer worker.Close()
	if err := play(ctx, nexus, worker); err != nil {
		log.Fatal(err)
	}
}

func connect(user string) (*nats.Conn, error) {
	url := cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL)
	keys := os.Getenv("NATS_NKEYS")
	if keys == "" {
		return nats.Connect(url) // development mode
	}
	login, err := nats.NkeyOptionFromSeed(filepath.Join(keys, user+".nk"))
	if err != nil {
		return nil, err
	}
	return nats.Connect(url, login, nats.CustomInboxPrefix("_INBOX_"+user))
}

func play(ctx context.Context, nexus, worker *nats.Conn) error {
	// Live copies are enough here. What must not be missed is read with the
	// durable consumer that shadowd makes for each user, as in ../consensus.
	sealed, err := nexus.SubscribeSync("swarm.envelope-sealed." + run)
	if err != nil {
		return err
	}
	scored, err := nexus.SubscribeSync("swarm.run-scored." + run)
	if err != nil {
		return err
	}
	asked, err := worker.SubscribeSync("swarm.hardening-request." + commander + "." + run + ".*.*")
	if err != nil {
		return err
	}
	if err := errors.Join(stopAtRejection(nexus, "nexus"), stopAtRejection(worker, commander)); err != nil {
		return err
	}
	// The server has them once it has answered these.
	if err := errors.Join(nexus.Flush(), worker.Flush()); err != nil {
		return err
	}
	if err := publish(ctx, nexus, "swarm.decomposition-done."+run, "decomposition-done", decomposition()); err != nil {
		return err
	}
	bundle := map[string]any{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": commander, "status": "partial",
		"content": strings.Join([]string{"# Rate limiting", limiter, refusal}, "\n\n"),
		// The commander's own account. It may be left out.
		"delivery": []any{
			delivered("sub-task 1", limiter), delivered("sub-task 2", refusal),
			undone("sub-task 3", "the load generator is not available before Monday"), undone("sub-task 4", "it needs the results of the load tests"),
		},
	}
	// The bundle may be there before the seal, but then its report is
	// advisory: the Nexus waits for the commitment and tells its commanders.
	if err := await(ctx, sealed, nil); err != nil {
		return err
	}
	if err := publish(ctx, worker, "swarm.bundle-complete."+run+"."+commander, "bundle-complete", bundle); err != nil {
		return err
	}
	var request struct {
		Cycle int    `json:"cycle"`
		Text  string `json:"text"`
	}
	if err := await(ctx, asked, &request); err != nil {
		return err
	}
	fmt.Print(request.Text)
	bundle["status"] = "success"
	bundle["content"] = strings.Join([]string{"# Rate limiting", limiter, refusal, load, runbook}, "\n\n")
	bundle["delivery"] = []any{
		delivered("sub-task 1", limiter), delivered("sub-task 2", refusal),
		delivered("sub-task 3", load), delivered("sub-task 4", runbook),
	}
	delete(bundle, "run_id")
	fix := map[string]any{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": commander,
		"cycle": request.Cycle, "bundle": bundle,
	}
	if err := publish(ctx, worker, "swarm.fix-submitted."+run+"."+commander, "fix-submitted", fix); err != nil {
		return err
	}
	return await(ctx, scored, nil)
}

func decomposition() map[string]any {
	return map[string]any{
		"run_id": run,
		"task":   "Add rate limiting to the public API",
		"domains": []any{map[string]any{
			"domain": "implementation", "commander_id": commander,
			"sub_tasks": []string{
				"Implement a token bucket limiter per API key in Redis",
				"Return HTTP 429 with a Retry-After header when the bucket is empty",
				"Write load tests for 500 requests per second",
				"Write a runbook for an outage of Redis",
			},
		}},
	}
}

// publish sends one CloudEvent and waits until the stream has it.
func publish(ctx context.Context, nc *nats.Conn, subject, name string, data any) error {
	ev := event.New()
	ev.SetID(subject)
	ev.SetSource("/example")
	ev.SetType("dev.swarmspeed." + name + ".v1")
	if err := ev.SetData(event.ApplicationJSON, data); err != nil {
		return err
	}
	body, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.PublishMsg(ctx, &nats.Msg{
		Subject: subject, Data: body,
		Header: nats.Header{"Content-Type": {"application/cloudevents+json"}},
	})
	return err
}

// stopAtRejection ends the program where something is rejected that an author has
// published: nothing else will come.
func stopAtRejection(nc *nats.Conn, author string) error {
	_, err := nc.Subscribe("swarm.event-rejected."+author+".*", func(m *nats.Msg) {
		var why struct{ Reason, Message string }
		if err := decode(m, &why); err != nil {
			log.Fatal(err)
		}
		log.Fatalf("%s: %s: %s", m.Subject, why.Reason, why.Message)
	})
	return err
}

// await waits for the next event and decodes its data.
func await(ctx context.Context, sub *nats.Subscription, data any) error {
	msg, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", sub.Subject, err)
	}
	fmt.Println("heard", msg.Subject)
	return decode(msg, data)
}

func decode(msg *nats.Msg, data any) error {
	var ev event.Event
	if err := json.Unmarshal(msg.Data, &ev); err != nil || data == nil {
		return err
	}
	return ev.DataAs(data)
}
