package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

type statusCmd struct {
	Format string `enum:"text,json" default:"text" help:"text or json."`
	configFlag
}

func (cmd statusCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	code, text, err := askDaemon(ctx, cfg, "/status")
	if err != nil {
		return err
	}
	var s dash.Status
	if err := json.Unmarshal([]byte(text), &s); err != nil || code != http.StatusOK {
		return fmt.Errorf("the daemon answered %d with %.80q", code, text)
	}
	if cmd.Format == "json" {
		_, err = io.WriteString(a.Stdout, text)
	} else {
		err = printStatus(a.Terminal(), &s)
	}
	if err == nil && len(s.Missing) > 0 {
		err = errors.New("not ready: " + strings.Join(s.Missing, "; "))
	}
	return err
}

func printStatus(t *render.Terminal, s *dash.Status) error {
	row := func(label, text string) { t.Printf("%s  %s\n", t.Paint(render.Dim, fmt.Sprintf("%-10s", label)), text) }
	connection := t.Paint(render.Red, "none")
	if s.Connected {
		connection = t.Paint(render.Green, s.URL)
	}
	row("version", s.Version)
	row("connection", fmt.Sprintf("%s, lost and made again %d times", connection, s.Reconnects))
	for _, l := range s.Streams {
		bytes := fmt.Sprint(l.Bytes)
		if l.MaxBytes > 0 {
			bytes += fmt.Sprintf(" of %d", l.MaxBytes)
		}
		row(l.Stream, fmt.Sprintf("%s: %d waiting, %d in progress, of %d messages (%s bytes)", l.Consumer, l.Pending, l.Unacked, l.Messages, bytes))
	}
	if s.Problem != "" {
		row("streams", t.Paint(render.Red, shadow.Printable(s.Problem)))
	}
	last := "none since it was ready"
	if e := s.LastError; e != nil {
		last = fmt.Sprintf("%s %s %s", e.Time.Local().Format(time.DateTime), t.Paint(render.Red, e.Level.String()), shadow.Printable(e.Message))
	}
	row("last error", last)
	return t.Err()
}
