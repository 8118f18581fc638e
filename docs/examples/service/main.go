// Command service shows a judge and an author of one's own as services on the
// bus. Which of the two it is, its user says.
//
//	NATS_USER=judge-strict NATS_NKEY=nkeys/judge-strict.nk go run ./docs/examples/service
//	NATS_USER=author-legal NATS_NKEY=nkeys/author-legal.nk go run ./docs/examples/service
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nkeys"
)

// request is what both are asked.
type request struct {
	Version  int    `json:"version"`
	ReplyKey string `json:"reply_key"`
	question
	commission
}

func answer(r micro.Request, role string) {
	var q request
	if err := json.Unmarshal(r.Data(), &q); err != nil || q.Version != 1 {
		_ = r.Error("400", "this service knows version 1 of the request", nil)
		return
	}
	var said any
	if role == "judge" {
		said = judge(q.question)
	} else {
		said = write(q.commission)
	}
	reply, err := json.Marshal(said)
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
	user := os.Getenv("NATS_USER")
	role, name, _ := strings.Cut(user, "-")
	model := map[string]string{"judge": judgeModel, "author": authorModel}[role]
	if name == "" || model == "" {
		return fmt.Errorf("NATS_USER is %q: set it to judge- or author- and a name", user)
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
		Name: user, Version: "1.0.0", Description: "example of a judge or an author", Metadata: map[string]string{"model": model},
		Endpoint: &micro.EndpointConfig{Subject: "shadow." + role + "." + name, Handler: micro.HandlerFunc(func(r micro.Request) { answer(r, role) })},
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return service.Stop()
}
