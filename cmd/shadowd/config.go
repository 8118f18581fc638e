package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
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

// initCmd writes a first configuration.
type initCmd struct {
	URL   string   `name:"bus-url" placeholder:"URL" help:"Use this NATS server. Without it shadowd brings its own."`
	Port  int      `placeholder:"PORT" help:"Where that server listens on this machine; without it 4222, or the next one that is free."`
	Judge []string `sep:"none" placeholder:"MODEL" help:"A judge, such as openai:gpt-5-mini or ollama:qwen3:32b. May be repeated."`
	Page  string   `placeholder:"ADDRESS" help:"Serve the page, metrics and health there, such as 127.0.0.1:9470, which is the default if it is free; none is no page."`
	Yes   bool     `short:"y" help:"Ask nothing, even on a terminal."`
}

// What is listened on, unless it is taken.
const defaultPort, defaultPagePort = 4222, 9470

func (cmd initCmd) Run(a *app) error {
	for _, name := range []string{"config.yml", "criteria.yml"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return hint.Failed(fmt.Errorf("%s is there already, and is left as it is", name), "shadowd config checks it; to begin anew, move it away or go to another directory")
		}
	}
	free := ports{freePort(defaultPort), freePort(defaultPagePort)}
	if !cmd.Yes && render.IsTerminal(a.Stdin) {
		if err := cmd.ask(a, free); err != nil {
			return err
		}
	}
	if strings.Contains(cmd.URL, "@") {
		return hint.Usage(errors.New("the URL of the bus holds a login, and config.yml is no place for secrets: nothing was written"), "leave the URL out here, and set SHADOWD_BUS_URL where shadowd runs")
	}
	start := config.Starter{URL: cmd.URL, Listen: local(cmp.Or(cmd.Port, free.bus)), Judges: cmd.Judge, Page: cmp.Or(cmd.Page, local(free.page))}
	if start.Page == "none" {
		start.Page = ""
	}
	if err := write(a, &start); err != nil {
		return err
	}
	t := a.Terminal()
	if start.URL == "" && start.Listen == local(free.bus) && free.bus != defaultPort {
		t.Printf("Port %d is taken here, so bus.listen is %s.\n", defaultPort, start.Listen)
	}
	if start.Page == local(free.page) && free.page != defaultPagePort {
		t.Printf("Port %d is taken here, so http.listen is %s.\n", defaultPagePort, start.Page)
	}
	t.Printf("Wrote %s and %s. Next:\n\n", t.Paint(render.Bold, "config.yml"), t.Paint(render.Bold, "criteria.yml"))
	for _, next := range [][2]string{
		{"shadowd config", "checks both, and prints all that is in effect"},
		{"shadowd check criteria.yml", "tests your criteria"},
		{"shadowd run", "starts"},
	} {
		t.Printf("    %s %s\n", t.Paint(render.Bold, fmt.Sprintf("%-38s", next[0])), t.Paint(render.Dim, "# "+next[1]))
	}
	return t.Err()
}

// ports are free ones, of the bus and of the page.
type ports struct{ bus, page int }

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort is the first from a port on that nobody listens on.
func freePort(from int) int {
	for port := from; port < from+100; port++ {
		if l, err := net.Listen("tcp", local(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	return from
}

// write writes both files, or none if the configuration is wrong.
func write(a *app, start *config.Starter) error {
	text, err := start.Config()
	if err != nil {
		return err
	}
	cfg, err := config.Parse("config.yml", text, nil)
	if err != nil {
		return hint.Usage(err, "nothing was written")
	}
	if err := errors.Join(writeNew("criteria.yml", config.StarterCriteria), writeNew("config.yml", text)); err != nil {
		return err
	}
	if _, err := daemon.Check(cfg, a.Getenv); err != nil {
		a.Warn("before it starts: " + err.Error())
	}
	return nil
}

// ask asks for what no flag says. An empty answer takes the default.
func (cmd *initCmd) ask(a *app, free ports) error {
	in := bufio.NewReader(a.Stdin)
	question := func(words, otherwise string) (string, error) {
		if _, err := fmt.Fprintf(a.Stdout, "%s [%s]: ", words, otherwise); err != nil {
			return "", err
		}
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = errors.New("the input ended; nothing was written")
		}
		return strings.TrimSpace(line), err
	}
	var err error
	if cmd.URL == "" {
		if cmd.URL, err = question("URL of your NATS server", "bring one"); err != nil {
			return err
		}
	}
	if cmd.URL == "" && cmd.Port == 0 {
		port, err := question("Port of the NATS server that it brings", strconv.Itoa(free.bus))
		if err != nil {
			return err
		}
		if cmd.Port, err = strconv.Atoi(cmp.Or(port, strconv.Itoa(free.bus))); err != nil {
			return hint.Usage(fmt.Errorf("the port %q is no number: nothing was written", port), "")
		}
	}
	if len(cmd.Judge) == 0 {
		judges, err := question("Models that judge, separated by spaces, such as openai:gpt-5-mini", "none")
		if err != nil {
			return err
		}
		cmd.Judge = strings.Fields(judges)
	}
	if cmd.Page == "" {
		cmd.Page, err = question("Address of the page and metrics, or none", local(free.page))
	}
	return err
}

// writeNew writes a file that must not be there yet.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
