// Command consensus shows how a consensus service reads gap reports: with a
// durable consumer, so that none is lost, and acting on final reports only.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go/jetstream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	nc, durable, err := connect()
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.NewWithAPIPrefix(nc, "SHADOW.API")
	if err != nil {
		log.Fatal(err)
	}
	// The consumer is there already: shadowd makes one for each reader.
	consumer, err := js.Consumer(ctx, "OUT", durable)
	if err != nil {
		log.Fatal(err)
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		about := decide
		switch {
		case strings.HasPrefix(m.Subject(), "swarm.run-reviewed."):
			about = decideAgain
		case !strings.HasPrefix(m.Subject(), "swarm.gap-report."):
			_ = m.Ack()
			return
		}
		line, err := about(m.Data())
		if err != nil {
			log.Printf("%s: %v", m.Subject(), err)
			_ = m.Term()
			return
		}
		fmt.Println(line)
		if err := m.Ack(); err != nil {
			log.Print(err)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	<-ctx.Done()
	consuming.Stop()
}

// decideAgain says what to do with a bundle that a person has reviewed. It takes the
// place of what was decided before.
func decideAgain(raw []byte) (string, error) {
	var ev event.Event
	if err := json.Unmarshal(raw, &ev); err != nil {
		return "", err
	}
	var d struct {
		RunID  string `json:"run_id"`
		Domain string `json:"domain"`
		Review struct {
			By string `json:"by"`
		} `json:"review"`
		After struct {
			Gate string `json:"gate"`
		} `json:"after"`
	}
	err := ev.DataAs(&d)
	return fmt.Sprintf("%s/%s: %s, reviewed by %s", d.RunID, d.Domain, d.After.Gate, d.Review.By), err
}

// decide says what to do with a bundle, given its gap report.
func decide(raw []byte) (string, error) {
	var ev event.Event
	if err := json.Unmarshal(raw, &ev); err != nil {
		return "", err
	}
	var report struct {
		Report struct {
			ShadowScore float64 `json:"shadow_score"`
			Advisory    bool    `json:"advisory"`
		} `json:"report"`
		Swarm struct {
			RunID   string `json:"run_id"`
			Domain  string `json:"domain"`
			Final   bool   `json:"final"`
			Verdict string `json:"verdict"`
			Gate    struct {
				Action string `json:"action"`
			} `json:"gate"`
		} `json:"swarm"`
	}
	if err := ev.DataAs(&report); err != nil {
		return "", err
	}
	s := report.Swarm
	if !s.Final {
		return fmt.Sprintf("%s/%s: a fix is awaited", s.RunID, s.Domain), nil
	}
	line := fmt.Sprintf("%s/%s: %s (%.1f %%, %s)", s.RunID, s.Domain, s.Gate.Action, report.Report.ShadowScore, s.Verdict)
	if report.Report.Advisory {
		line += " – advisory: the score is not authoritative"
	}
	return line, nil
}
