package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/render"
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
		err = render.Status(a.Terminal(), &s)
	}
	if err == nil && len(s.Missing) > 0 {
		err = errors.New("not ready: " + strings.Join(s.Missing, "; "))
	}
	return err
}
