package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

// configFlag is the flag --config, to be embedded by every command that reads
// the configuration.
type configFlag struct {
	Config string `placeholder:"FILE" help:"Configuration file. Without it ./config.yml is read if there is one, and the defaults hold otherwise."`
}

// ProvideConfig reads the configuration for a command whose Run takes it, with
// the environment applied, and passes on its warnings. Its error ends the
// command with exit code 2.
func (f configFlag) ProvideConfig(a *app) (*config.Config, error) {
	c, err := config.Load(f.Config, a.Environ)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	for _, w := range append(config.UnknownVariables(a.Environ), c.Warnings()...) {
		a.Warn(w)
	}
	return c, nil
}

type configCmd struct{ configFlag }

func (configCmd) Run(a *app, c *config.Config) error {
	shown := *c
	shown.Bus.URL = broker.Redact(c.Bus.URL)
	if shown.Bus.URL != c.Bus.URL {
		a.Warn("bus.url is printed without its password")
	}
	if u, err := url.Parse(c.Notify.URL); err == nil && c.Notify.URL != "" {
		if shown.Notify.URL = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(); shown.Notify.URL != c.Notify.URL {
			a.Warn("notify.url is printed without its path, which may be a secret")
		}
	}
	text, err := config.YAML(&shown)
	if err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	t := a.Terminal()
	t.Printf("%s\n%s", t.Paint(render.Dim, comment(render.WhoReads(len(c.Judging.Panel)))), text)
	if t.Err() != nil {
		return t.Err()
	}
	_, err = daemon.Check(c, a.Getenv)
	return err
}

// comment makes sentences a comment of YAML, one a line.
func comment(text string) string {
	return "# " + strings.ReplaceAll(text, ". ", ".\n# ")
}
