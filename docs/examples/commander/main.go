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
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const run = "example-run"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	nc, err := nats.Connect(cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		log.Fatal(err)
	}
	if err := play(ctx, js); err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context, js jetstream.JetStream) error {
	err := publish(ctx, js, "swarm.decomposition-done."+run, "decomposition-done", map[string]any{
		"run_id": run,
		"task":   "Add rate limiting to the public API",
		"domains": []any{map[string]any{
			"domain": "implementation", "commander_id": "cmd-impl",
			"sub_tasks": []string{
				"Implement a token bucket limiter per API key in Redis",
				"Return HTTP 429 with a Retry-After header when the bucket is empty",
			},
		}},
	})
	if err != nil {
		return err
	}
	bundle := map[string]any{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": "cmd-impl", "status": "success",
		"content": "# Rate limiting\n\nEach API key has a token bucket in Redis; the limiter is a Lua script.\n",
	}
	// The bundle may be there before the seal, but then its report is
	// advisory: wait for the commitment first.
	if err := await(ctx, js, "IN", "swarm.envelope-sealed."+run, nil); err != nil {
		return err
	}
	if err := publish(ctx, js, "swarm.bundle-complete."+run+".cmd-impl", "bundle-complete", bundle); err != nil {
		return err
	}
	var request struct {
		Cycle int    `json:"cycle"`
		Text  string `json:"text"`
	}
	if err := await(ctx, js, "OUT", "swarm.hardening-request.cmd-impl."+run+".*.*", &request); err != nil {
		return err
	}
	fmt.Print(request.Text)
	bundle["content"] = bundle["content"].(string) + "\nWhen the bucket is empty, the API returns HTTP 429 with a Retry-After header.\n"
	delete(bundle, "run_id")
	fix := map[string]any{
		"run_id": run, "bundle_id": "bnd-1", "domain": "implementation", "commander_id": "cmd-impl",
		"cycle": request.Cycle, "bundle": bundle,
	}
	if err := publish(ctx, js, "swarm.fix-submitted."+run+".cmd-impl", "fix-submitted", fix); err != nil {
		return err
	}
	return await(ctx, js, "OUT", "swarm.run-scored."+run, nil)
}

// publish sends one CloudEvent and waits until the stream has it.
func publish(ctx context.Context, js jetstream.JetStream, subject, name string, data any) error {
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
	_, err = js.PublishMsg(ctx, &nats.Msg{
		Subject: subject, Data: body,
		Header: nats.Header{"Content-Type": {"application/cloudevents+json"}},
	})
	return err
}

// await waits for the first event on a subject and decodes its data.
func await(ctx context.Context, js jetstream.JetStream, stream, subject string, data any) error {
	consumer, err := js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		return err
	}
	msg, err := consumer.Next(jetstream.FetchMaxWait(30 * time.Second))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", subject, err)
	}
	fmt.Println("heard", msg.Subject())
	var ev event.Event
	if err := json.Unmarshal(msg.Data(), &ev); err != nil || data == nil {
		return err
	}
	return ev.DataAs(data)
}
