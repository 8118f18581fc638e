package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

// configFlag is the flag --config, to be embedded by every command that reads the configuration.
type configFlag struct {
	Config string `placeholder:"FILE" help:"Configuration file. Without it ./config.yml is read if there is one, and the defaults hold otherwise."`
}

// ProvideConfig reads the configuration for a command whose Run takes it, with the environment applied, and passes on
// its warnings. Its error ends the command with exit code 2.
func (f configFlag) ProvideConfig(a *app) (*config.Config, error) {
	c, err := config.Load(f.Config, a.Environ)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	for _, w := range c.Warnings() {
		a.Warn(w)
	}
	return c, nil
}

type configCmd struct{ configFlag }

func (configCmd) Run(a *app, c *config.Config) error {
	shown := *c
	shown.Bus.URL = broker.Redact(c.Bus.URL)
	if u, err := url.Parse(c.Notify.URL); err == nil && c.Notify.URL != "" {
		shown.Notify.URL = u.Scheme + "://" + u.Host // its path may be a secret
	}
	if shown.Bus.URL != c.Bus.URL || shown.Notify.URL != c.Notify.URL {
		a.Warn("bus.url and notify.url are printed without what may be a secret")
	}
	text, err := config.YAML(&shown)
	if err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	if _, err := a.Stdout.Write(text); err != nil {
		return err
	}
	_, err = daemon.Check(c, a.Getenv)
	return err
}

// initCmd writes a first configuration.
type initCmd struct {
	URL   string   `name:"bus-url" placeholder:"URL" help:"Use this NATS server. Without it shadowd brings its own."`
	Port  int      `placeholder:"PORT" help:"Where that server listens on this machine; without it 4222, or the next one that is free."`
	Judge []string `sep:"none" placeholder:"MODEL" help:"A judge, such as openai:gpt-5-mini or ollama:qwen3:32b. May be repeated."`
	Page  string   `placeholder:"ADDRESS" help:"Serve the page, metrics and health there; without it 127.0.0.1:9470, or the next port that is free; none is no page."`
}

func (cmd initCmd) Run(a *app) error {
	for _, name := range []string{"config.yml", "criteria.yml"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return hint.Failed(fmt.Errorf("%s is there already, and is left as it is", name), "shadowd config checks it; to begin anew, move it away or go to another directory")
		}
	}
	if strings.Contains(cmd.URL, "@") {
		return hint.Usage(errors.New("the URL of the bus holds a login, and config.yml is no place for secrets: nothing was written"), "leave the URL out here, and set SHADOWD_BUS_URL where shadowd runs")
	}
	start := config.Starter{URL: cmd.URL, Listen: local(cmp.Or(cmd.Port, freePort(4222))), Judges: cmd.Judge, Page: cmp.Or(cmd.Page, local(freePort(9470)))}
	if start.Page == "none" {
		start.Page = ""
	}
	text, err := start.Config()
	if err != nil {
		return err
	}
	cfg, err := config.Parse("config.yml", text, nil)
	if err != nil {
		return hint.Usage(err, "nothing was written")
	}
	if err := errors.Join(os.WriteFile("criteria.yml", config.StarterCriteria, 0o644), os.WriteFile("config.yml", text, 0o644)); err != nil {
		return err
	}
	if _, err := daemon.Check(cfg, a.Getenv); err != nil {
		a.Warn("before it starts: " + err.Error())
	}
	t := a.Terminal()
	t.Printf("Wrote %s and %s. Next:\n\n", t.Paint(render.Bold, "config.yml"), t.Paint(render.Bold, "criteria.yml"))
	t.Printf("    shadowd config               # checks both, and prints all that is in effect\n")
	t.Printf("    shadowd check criteria.yml   # tests your criteria\n")
	t.Printf("    shadowd run                  # starts\n")
	return t.Err()
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort is the first from a port on that nobody listens on.
func freePort(from int) int {
	for port := from; port < from+100; port++ {
		if broker.CheckListen(local(port)) == nil {
			return port
		}
	}
	return from
}
