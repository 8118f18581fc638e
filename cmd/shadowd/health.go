package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
)

type healthCmd struct {
	Wait time.Duration `placeholder:"DURATION" help:"Ask again until the daemon is ready, for this long."`
	configFlag
}

func (cmd healthCmd) Run(ctx context.Context, cfg *config.Config) error {
	late := time.Now().Add(cmd.Wait)
	for {
		code, text, err := askDaemon(ctx, cfg, "/readyz")
		if err == nil && code != http.StatusOK {
			err = errors.New("not ready: " + strings.Join(strings.Split(strings.TrimSpace(text), "\n"), "; "))
		}
		var wrong *hint.Error
		if err == nil || !time.Now().Before(late) || errors.As(err, &wrong) && wrong.Code == hint.ExitUsage {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(healthPause):
		}
	}
}

const (
	// healthPause is the time between two questions.
	healthPause = 250 * time.Millisecond
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
	at = "http://" + at
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
	// Without a proxy: it is this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
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
