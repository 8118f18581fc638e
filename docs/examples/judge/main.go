// Command judge shows a judge of one's own as a service on the bus. It is no
// wise one: a bundle passes if one of its lines has every longer word of what
// is asked for. Put your model or grader in the place of the function judge.
//
//	NATS_USER=judge-strict NATS_NKEY=nkeys/judge-strict.nk go run ./docs/examples/judge
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nkeys"
)

// question is what a judge is asked: schemas/judge-request.json. It is about
// a criterion, or about an item of the assignment.
type question struct {
	Version   int `json:"version"`
	Criterion *struct {
		Assertion string `json:"assertion"`
		Expected  string `json:"expected"`
	} `json:"criterion"`
	Item *struct {
		Text string `json:"text"`
	} `json:"item"`
	// Bundle is somebody's work, who may want to talk its judge round.
	Bundle struct {
		Content string `json:"content"`
	} `json:"bundle"`
	ReplyKey string `json:"reply_key"`
}

// verdict is what a judge answers: schemas/judge-reply.json.
type verdict struct {
	Outcome string `json:"outcome"`
	Quote   string `json:"quote,omitempty"`
	Actual  string `json:"actual,omitempty"`
	Model   string `json:"model"`
}

const model = "example-words 1.0.0"

func judge(q *question) verdict {
	asked := ""
	switch {
	case q.Item != nil:
		asked = q.Item.Text
	case q.Criterion != nil:
		asked = q.Criterion.Expected
	}
	wanted := strings.FieldsFunc(strings.ToLower(asked), func(r rune) bool { return strings.ContainsRune(" .,:;()", r) })
	for line := range strings.Lines(q.Bundle.Content) {
		missing := 0
		for _, word := range wanted {
			if len(word) > 3 && !strings.Contains(strings.ToLower(line), word) {
				missing++
			}
		}
		if missing == 0 {
			// A pass is counted only if its quote stands in the bundle.
			return verdict{Outcome: "passed", Quote: strings.TrimSpace(line), Model: model}
		}
	}
	return verdict{Outcome: "failed", Actual: "no line says it in these words", Model: model}
}

func answer(r micro.Request) {
	var q question
	if err := json.Unmarshal(r.Data(), &q); err != nil || q.Version != 1 {
		_ = r.Error("400", "this judge knows version 1 of the request", nil)
		return
	}
	reply, err := json.Marshal(judge(&q))
	if err == nil && q.ReplyKey != "" {
		reply, err = seal(reply, q.ReplyKey)
	}
	if err != nil {
		_ = r.Error("500", err.Error(), nil)
		return
	}
	if err := r.Respond(reply); err != nil {
		log.Print(err)
	}
}

// seal makes a reply that only shadowd can read, with a key made for it.
func seal(reply []byte, to string) ([]byte, error) {
	own, err := nkeys.CreateCurveKeys()
	if err != nil {
		return nil, err
	}
	public, err := own.PublicKey()
	if err != nil {
		return nil, err
	}
	box, err := own.Seal(reply, to)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"sealed_by": public, "box": box})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) error {
	user := cmp.Or(os.Getenv("NATS_USER"), "judge-strict")
	name, ok := strings.CutPrefix(user, "judge-")
	if !ok {
		return errors.New("NATS_USER is judge- and the name of the judge")
	}
	login, err := nats.NkeyOptionFromSeed(cmp.Or(os.Getenv("NATS_NKEY"), "nkeys/"+user+".nk"))
	if err != nil {
		return err
	}
	nc, err := nats.Connect(cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL), login, nats.CustomInboxPrefix("_INBOX_"+user), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	defer nc.Close()
	service, err := micro.AddService(nc, micro.Config{
		Name: user, Version: "1.0.0", Description: "example of a judge", Metadata: map[string]string{"model": model},
		Endpoint: &micro.EndpointConfig{Subject: "shadow.judge." + name, Handler: micro.HandlerFunc(answer)},
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return service.Stop()
}
