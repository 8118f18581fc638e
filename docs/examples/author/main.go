// Command author shows an author of one's own as a service on the bus. Its
// criteria are the same for every task: a house's standing rules. Put your
// model or your knowledge in the place of the function write.
//
//	NATS_USER=author-legal NATS_NKEY=nkeys/author-legal.nk go run ./docs/examples/author
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

// commission is what an author is asked: schemas/author-request.json.
type commission struct {
	Version       int `json:"version"`
	Decomposition struct {
		Domains []struct {
			Domain string `json:"domain"`
		} `json:"domains"`
	} `json:"decomposition"`
	Quota    map[string]int `json:"quota"`
	ReplyKey string         `json:"reply_key"`
}

// criterion is one of schemas/author-reply.json.
type criterion struct {
	Category  string            `json:"category"`
	Assertion string            `json:"assertion"`
	Expected  string            `json:"expected"`
	Check     string            `json:"check,omitempty"`
	Messages  map[string]string `json:"messages"`
}

const model = "example-house-rules 1.0.0"

// standing are the house's rules. A message names what is missing and does not
// repeat the criterion. Without a check, judges read the bundle.
var standing = []struct {
	criterion
	message string
}{
	{criterion{Category: "happy_path", Assertion: "The document begins with a heading", Expected: "At least one heading", Check: "text.headings().size() > 0"},
		"Headings are missing"},
	{criterion{Category: "completeness", Assertion: "Nothing is left to be filled in later", Expected: "No placeholder such as TBD", Check: "text.placeholders().size() == 0"},
		"Placeholders are left over"},
	{criterion{Category: "error_handling", Assertion: "The document says who is told when personal data is lost", Expected: "A person or an office, and a time"},
		"Nobody is named as contact after a loss of personal data"},
	{criterion{Category: "security", Assertion: "The document says how long personal data is kept", Expected: "A period, or that none is kept"},
		"Storage period of personal data not given"},
}

func write(c *commission) []criterion {
	var all []criterion
	for _, rule := range standing {
		if c.Quota[rule.Category] == 0 {
			continue
		}
		c.Quota[rule.Category]--
		own := rule.criterion
		own.Messages = map[string]string{}
		for _, d := range c.Decomposition.Domains {
			own.Messages[d.Domain] = rule.message
		}
		all = append(all, own)
	}
	return all
}

func answer(r micro.Request) {
	var c commission
	if err := json.Unmarshal(r.Data(), &c); err != nil || c.Version != 1 {
		_ = r.Error("400", "this author knows version 1 of the request", nil)
		return
	}
	reply, err := json.Marshal(map[string]any{"criteria": append([]criterion{}, write(&c)...), "model": model})
	if err == nil && c.ReplyKey != "" {
		reply, err = seal(reply, c.ReplyKey)
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
	user := cmp.Or(os.Getenv("NATS_USER"), "author-legal")
	name, ok := strings.CutPrefix(user, "author-")
	if !ok {
		return errors.New("NATS_USER is author- and the name of the author")
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
		Name: user, Version: "1.0.0", Description: "example of an author", Metadata: map[string]string{"model": model},
		Endpoint: &micro.EndpointConfig{Subject: "shadow.author." + name, Handler: micro.HandlerFunc(answer)},
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return service.Stop()
}
