package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
)

// Reload reads the configuration again by load, and takes over what can change while
// the daemon runs: log.level and, on the server inside shadowd, bus.users and files. It
// logs which other settings differ. If something is wrong the old configuration stays.
func (d *Daemon) Reload(ctx context.Context, load func() (*config.Config, error), level *slog.LevelVar) {
	cfg, err := load()
	if err == nil {
		err = d.apply(ctx, cfg, level)
	}
	if err != nil {
		d.log.Error("the configuration is not taken, and the old one stays", "error", err)
	}
}

// apply takes a configuration over.
func (d *Daemon) apply(ctx context.Context, cfg *config.Config, level *slog.LevelVar) error {
	running, taken := *d.cfg, []string{"log.level"} // what holds later is found again at the next reload
	running.Log.Level = cfg.Log.Level
	if d.server != nil {
		users, err := Users(cfg)
		if err != nil {
			return err
		}
		operator, err := operator(d.cfg)
		if err != nil {
			return err
		}
		// Durables first: if one cannot be made, the users stay as they are, and those
		// that are made let nobody in.
		if err = layout.EnsureReaders(ctx, d.store, users); err == nil {
			err = d.server.SetUsers(append([]layout.User{operator}, users...))
		}
		if err != nil {
			return fmt.Errorf("bus.users: %w", err)
		}
		running.Bus.Users, taken = cfg.Bus.Users, append(taken, "bus.users")
	}
	var changed, later []string
	for _, setting := range config.Changed(d.cfg, cfg) {
		if slices.Contains(taken, setting) {
			changed = append(changed, setting)
		} else {
			later = append(later, setting)
		}
	}
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		return err
	}
	d.cfg = &running
	d.log.Info("the configuration was read again", "changed", changed)
	if len(later) > 0 {
		d.log.Warn("some settings hold from the next start on", "settings", later)
	}
	return nil
}
