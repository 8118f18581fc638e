package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

type runCmd struct {
	askFlags
	configFlag
	Standby bool `help:"Leave the work to another daemon of the bus and prefix: go on for it where it is gone for 6 seconds, and give back when it is there again."`
}

// configuration is that of the file, with the judges of the flag.
func (cmd runCmd) configuration(a *app) (*config.Config, error) {
	cfg, err := cmd.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	return cfg, cmd.apply(a, cfg)
}

func (cmd runCmd) Run(ctx context.Context, a *app) (err error) {
	cfg, err := cmd.configuration(a)
	if err != nil {
		return err
	}
	p, err := daemon.Check(cfg, a.Getenv)
	if err != nil {
		return err
	}
	recorded, err := cmd.record(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, recorded()) }()
	level := new(slog.LevelVar)
	level.Set(daemon.LogLevel(cfg.Log.Level))
	log := a.logger(cfg.Log.Format, level)
	// Before the start: until there is somebody to hear it, the signal would end
	// the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	name, _ := version()
	d, err := daemon.Start(ctx, p, log, name, cmd.Standby)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while starting
		}
		return err
	}
	for d.Wait(ctx, hangup) {
		d.Reload(ctx, func() (*config.Config, error) { return cmd.configuration(a) }, level)
	}
	log.Info("stopping")
	return d.Stop()
}

type statusCmd struct {
	Format string `enum:"text,json" default:"text" help:"text or json."`
	Quiet  bool   `help:"Print nothing, not even why the daemon is not ready: the exit code says whether it is."`
	configFlag
}

func (cmd statusCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if cmd.Quiet {
		code, _, err := askDaemon(ctx, cfg, "/readyz")
		if usage, ok := errors.AsType[*hint.Error](err); ok && usage.Code == hint.ExitUsage {
			return err
		}
		if err != nil || code != http.StatusOK {
			return hint.Failed(errSilent, "")
		}
		return nil
	}
	s, err := askStatus(ctx, cfg)
	if err != nil {
		return err
	}
	if cmd.Format == "json" {
		err = json.NewEncoder(a.Stdout).Encode(s)
	} else {
		err = render.Status(a.Terminal(), s)
	}
	if err == nil && len(s.Missing) > 0 {
		err = errors.New("not ready: " + strings.Join(s.Missing, "; "))
	}
	return err
}

// askStatus gets how the daemon of this configuration is doing.
func askStatus(ctx context.Context, cfg *config.Config) (*dash.Status, error) {
	code, text, err := askDaemon(ctx, cfg, "/status")
	if err != nil {
		return nil, err
	}
	var s dash.Status
	if err := json.Unmarshal([]byte(text), &s); err != nil || code != http.StatusOK {
		return nil, fmt.Errorf("the daemon answered %d with %.80q", code, text)
	}
	return &s, nil
}

const (
	// askTimeout bounds one question.
	askTimeout = 10 * time.Second
	// maxAnswer bounds an answer in bytes.
	maxAnswer = 1 << 20
)

// askDaemon gets a path from the daemon that has this configuration.
func askDaemon(ctx context.Context, cfg *config.Config, path string) (code int, text string, err error) {
	if cfg.HTTP.Listen == "" {
		return 0, "", hint.Usage(errors.New("http.listen is not set, so the daemon cannot be asked"), `set it in the configuration of the daemon, such as: http: {listen: "127.0.0.1:9470"}`)
	}
	at, err := localAddress("http.listen", cfg.HTTP.Listen)
	if err != nil {
		return 0, "", hint.Usage(err, "give it a port")
	}
	// Without a proxy: it is this machine.
	client, scheme := &http.Transport{DisableKeepAlives: true}, "http://"
	if cfg.HTTP.CertFile != "" {
		scheme = "https://"
		if client.TLSClientConfig, err = daemon.Trust("http.cert_file", cfg.HTTP.CertFile); err != nil {
			return 0, "", err
		}
	}
	at = scheme + at
	token, err := daemon.HTTPToken(&cfg.HTTP)
	if err != nil {
		return 0, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := (&http.Client{Transport: client}).Do(req)
	if err != nil {
		return 0, "", hint.Failed(fmt.Errorf("no shadowd answers at %s: %w", at, err), "start one with: shadowd run")
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil && res.StatusCode == http.StatusUnauthorized {
		err = hint.Failed(fmt.Errorf("the daemon at %s wants another token", at), "give this command the configuration of the daemon, with its http.token_file")
	}
	return res.StatusCode, string(body), err
}
