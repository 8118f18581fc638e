package main

import (
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/swarmspeed/shadowd/internal/config"
)

// newLogger makes the program's logger: text for a person at a terminal, JSON
// for a machine.
func newLogger(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		level = slog.LevelInfo // the configuration has been checked
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.Format == "text" || (c.Format == "auto" && isTerminal(w)) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
