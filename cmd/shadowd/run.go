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
	_ = level.UnmarshalText([]byte(cfg.Log.Level)) // it has been checked
	log := a.logger(cfg.Log.Format, level)
	// Before the start: until there is somebody to hear it, the signal would end the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	d, err := daemon.Start(ctx, p, log, version(), cmd.Standby)
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
	s, err := askDaemon(ctx, cfg)
	switch {
	case err != nil && cmd.Quiet:
		return errSilent
	case err != nil:
		return err
	case cmd.Quiet:
	case cmd.Format == "json":
		err = json.NewEncoder(a.Stdout).Encode(s)
	default:
		err = render.Status(a.Terminal(), s)
	}
	switch {
	case len(s.Missing) == 0 || err != nil:
		return err
	case cmd.Quiet:
		return errSilent
	}
	return errors.New("not ready: " + strings.Join(s.Missing, "; "))
}

const (
	// askTimeout bounds one question.
	askTimeout = 10 * time.Second
	// maxAnswer bounds an answer in bytes.
	maxAnswer = 1 << 20
)

// askDaemon asks the daemon of this configuration how it is doing.
func askDaemon(ctx context.Context, cfg *config.Config) (*dash.Status, error) {
	if cfg.HTTP.Listen == "" {
		return nil, hint.Usage(errors.New("http.listen is not set, so the daemon cannot be asked"), `set it in the configuration of the daemon, such as: http: {listen: "127.0.0.1:9470"}`)
	}
	at, err := localAddress("http.listen", cfg.HTTP.Listen)
	if err != nil {
		return nil, hint.Usage(err, "give it a port")
	}
	// Without a proxy: it is this machine.
	client, scheme := &http.Transport{DisableKeepAlives: true}, "http://"
	if cfg.HTTP.CertFile != "" {
		scheme = "https://"
		if client.TLSClientConfig, err = daemon.Trust("http.cert_file", cfg.HTTP.CertFile); err != nil {
			return nil, err
		}
	}
	at = scheme + at
	token, err := daemon.HTTPToken(&cfg.HTTP)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/status", nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.RoundTrip(req)
	if err != nil {
		return nil, hint.Failed(fmt.Errorf("no shadowd answers at %s: %w", at, err), "start one with: shadowd run")
	}
	defer res.Body.Close()
	var s dash.Status
	switch err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&s); {
	case res.StatusCode == http.StatusUnauthorized:
		return nil, hint.Failed(fmt.Errorf("the daemon at %s wants another token", at), "give this command the configuration of the daemon, with its http.token_file")
	case err != nil || res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("what listens at %s answers %s, and no status of a shadowd", at, res.Status)
	}
	return &s, nil
}
