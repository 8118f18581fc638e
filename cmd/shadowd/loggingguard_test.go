package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// lazy is a value that is made when it is logged.
type lazy string

func (l lazy) LogValue() slog.Value { return slog.StringValue(string(l)) }

// Whatever way it takes, sealed text does not get into the log, and the rest
// of the line does.
func TestGuardedLog(t *testing.T) {
	cfg := config.Default()
	settings := cfg.Settings("legacy")
	d := &shadow.Decomposition{RunID: "run-1", Task: "Build it", Domains: []shadow.Domain{{Domain: "one", CommanderID: "cmd-1"}}}
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Settings: &settings, Filler: rules.New(rand.Reader), Now: time.Now(), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment()
	if _, err := shadow.NewExam(e, &c); err != nil {
		t.Fatal(err)
	}
	sealed := e.Criteria[0].Assertion
	for _, format := range []string{"json", "text"} {
		for name, log := range map[string]func(*slog.Logger){
			"message":         func(l *slog.Logger) { l.Warn("it says " + sealed) },
			"string":          func(l *slog.Logger) { l.Warn("x", "v", sealed) },
			"error":           func(l *slog.Logger) { l.Warn("x", "v", fmt.Errorf("compiling: %w", errors.New(sealed))) },
			"list":            func(l *slog.Logger) { l.Warn("x", "v", []string{"a", sealed}) },
			"bytes":           func(l *slog.Logger) { l.Warn("x", "v", []byte(sealed)) },
			"group":           func(l *slog.Logger) { l.Warn("x", slog.Group("g", "v", sealed)) },
			"lazy":            func(l *slog.Logger) { l.Warn("x", "v", lazy(sealed)) },
			"with":            func(l *slog.Logger) { l.With("v", sealed).Warn("x") },
			"with in a group": func(l *slog.Logger) { l.WithGroup("g").With("v", errors.New(sealed)).Warn("x") },
			"token":           func(l *slog.Logger) { l.Warn("x", "v", e.Decoy.Token) },
		} {
			t.Run(format+"/"+name, func(t *testing.T) {
				var b bytes.Buffer
				before := shadow.WithheldTexts()
				log(newLogger(&b, config.Log{Level: "debug", Format: format}).With("run", "run-1"))
				words := plainWords(b.String())
				if strings.Contains(words, plainWords(sealed)[:min(30, len(plainWords(sealed)))]) || strings.Contains(words, plainWords(e.Decoy.Token)) {
					t.Errorf("logged: %s", b.String())
				}
				if !strings.Contains(b.String(), shadow.Withheld) || !strings.Contains(b.String(), "run-1") || shadow.WithheldTexts() == before {
					t.Errorf("it is not said: %s", b.String())
				}
			})
		}
	}
	var b bytes.Buffer
	newLogger(&b, config.Log{Level: "debug", Format: "json"}).Debug("judged the bundle of a domain", "run", "run-1", "advisory", false, "took", time.Second, "error", errors.New("no answer from the server"), "authors", []string{"rules"})
	if want := `"msg":"judged the bundle of a domain","run":"run-1","advisory":false,"took":1000000000,"error":"no answer from the server","authors":["rules"]}`; !strings.Contains(b.String(), want) {
		t.Errorf("logged %s, want %s", b.String(), want)
	}
}

// BenchmarkGuardedLog is a line of the daemon's log, with and without the guard.
func BenchmarkGuardedLog(b *testing.B) {
	for _, h := range []slog.Handler{slog.DiscardHandler, guardedLog{enabled{slog.DiscardHandler}}} {
		b.Run(fmt.Sprintf("%T", h), func(b *testing.B) {
			l := slog.New(h)
			for b.Loop() {
				l.Info("judged", "run", "run-2026-03-14", "domain", "testing", "cycle", 0, "score", "12.5", "level", "minor", "gate", "proceed", "final", true, "advisory", false)
			}
		})
	}
}

// enabled writes to a handler that would not be asked.
type enabled struct{ slog.Handler }

func (enabled) Enabled(context.Context, slog.Level) bool { return true }
