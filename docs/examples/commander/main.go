// Command commander shows how a swarm talks to shadowd: it publishes a
// decomposition and a bundle, answers a hardening request if one comes, and
// ends when the run is scored. Start shadowd first: shadowd run.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const commander = "cmd-impl"

// run is a new name each time, since an outcome is stored once and for all.
var run = fmt.Sprintf("example-%d", time.Now().UnixMilli())

// What the work says. The fix adds the last two.
const (
	limiter = "Each API key has a token bucket in Redis; the limiter is a Lua script."
	refusal = "A caller whose bucket is empty gets status 429, and Retry-After says when the next token comes."
	load    = "`load_test.lua` holds 500 requests per second for ten minutes; p99 stayed at 9 ms."
	runbook = "If Redis is out: let all requests through, page the team, and warm the buckets up before you switch the limiter on again."
)

type object map[string]any

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// With users, the Nexus and each commander are different ones.
	nexus, worker := connect("nexus"), connect("commander-"+commander)
	// Live copies are enough here. What must not be missed is read with the
	// durable consumer that shadowd makes for each user, as in ../consensus.
	sealed := hear(nexus, "swarm.envelope-sealed."+run)
	scored := hear(nexus, "swarm.run-scored."+run)
	asked := hear(worker, "swarm.hardening-request."+commander+"."+run+".*.*")
	// Where something is rejected nothing else will come.
	for author, nc := range map[string]*nats.Conn{"nexus": nexus, commander: worker} {
		_, err := nc.Subscribe("swarm.event-rejected."+author+".*", func(m *nats.Msg) { log.Fatalf("%s", m.Data) })
		check(err)
		check(nc.Flush()) // the server has the subscriptions once it has answered this
	}

	publish(ctx, nexus, "decomposition-done", run, object{"run_id": run, "task": "Add rate limiting to the public API", "domains": []object{{
		"domain": "implementation", "commander_id": commander,
		"sub_tasks": []string{
			"Implement a token bucket limiter per API key in Redis",
			"Return HTTP 429 with a Retry-After header when the bucket is empty",
			"Write load tests for 500 requests per second",
			"Write a runbook for an outage of Redis",
		},
	}}})
	// The bundle may be there before the seal, but then its report is
	// advisory: the Nexus waits for the commitment and tells its commanders.
	await(ctx, sealed)
	bundle := object{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": commander, "status": "partial",
		"content": strings.Join([]string{"# Rate limiting", limiter, refusal}, "\n\n"),
		// The commander's own account. It may be left out.
		"delivery": []object{
			{"item": "sub-task 1", "quote": limiter}, {"item": "sub-task 2", "quote": refusal},
			{"item": "sub-task 3", "undone": "the load generator is not available before Monday"},
			{"item": "sub-task 4", "undone": "it needs the results of the load tests"},
		},
	}
	publish(ctx, worker, "bundle-complete", run+"."+commander, bundle)

	request := await(ctx, asked)
	fmt.Print(request["text"])
	delete(bundle, "run_id")
	bundle["status"] = "success"
	bundle["content"] = strings.Join([]string{"# Rate limiting", limiter, refusal, load, runbook}, "\n\n")
	bundle["delivery"] = []object{
		{"item": "sub-task 1", "quote": limiter}, {"item": "sub-task 2", "quote": refusal},
		{"item": "sub-task 3", "quote": load}, {"item": "sub-task 4", "quote": runbook},
	}
	publish(ctx, worker, "fix-submitted", run+"."+commander, object{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": commander, "cycle": request["cycle"], "bundle": bundle,
	})
	await(ctx, scored)
}

// connect logs in as a user whose key is in the directory of shadowd bus config,
// NATS_NKEYS. Without that it is anonymous, in development mode.
func connect(user string) *nats.Conn {
	var options []nats.Option
	if keys := os.Getenv("NATS_NKEYS"); keys != "" {
		login, err := nats.NkeyOptionFromSeed(filepath.Join(keys, user+".nk"))
		check(err)
		options = []nats.Option{login, nats.CustomInboxPrefix("_INBOX_" + user)} // each user has an inbox of its own
	}
	nc, err := nats.Connect(cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL), options...)
	check(err)
	return nc
}

func hear(nc *nats.Conn, subject string) *nats.Subscription {
	sub, err := nc.SubscribeSync(subject)
	check(err)
	return sub
}

// publish sends one CloudEvent and waits until the stream has it.
func publish(ctx context.Context, nc *nats.Conn, name, of string, data object) {
	subject := "swarm." + name + "." + of
	event, err := json.Marshal(object{"specversion": "1.0", "id": subject, "source": "/example", "type": "dev.swarmspeed." + name + ".v1", "data": data})
	check(err)
	js, err := jetstream.New(nc)
	check(err)
	_, err = js.Publish(ctx, subject, event)
	check(err)
}

// await waits for the next event and returns its data.
func await(ctx context.Context, sub *nats.Subscription) object {
	m, err := sub.NextMsgWithContext(ctx)
	check(err)
	fmt.Println("heard", m.Subject)
	var event struct{ Data object }
	check(json.Unmarshal(m.Data, &event))
	return event.Data
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
