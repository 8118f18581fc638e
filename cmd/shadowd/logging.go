package main

import (
	"io"
	"log/slog"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/render"
)

// newLogger makes the program's logger at the level of the configuration.
func newLogger(w io.Writer, c config.Log) *slog.Logger {
	return loggerAt(w, c.Format, daemon.LogLevel(c.Level))
}

// loggerAt makes a logger: text for a person at a terminal, JSON for a machine.
func loggerAt(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if format == "text" || (format == "auto" && render.IsTerminal(w)) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}
