package main

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
)

type keysExportCmd struct {
	File string `arg:"" help:"The file to write. It must not exist."`
	configFlag
}

func (cmd keysExportCmd) Run(a *app, cfg *config.Config) error {
	found, missing, err := keys.Export(cmd.File, cfg.KeyPlaces())
	for _, what := range missing {
		a.Warn(what.Error() + ": it is not in the backup")
	}
	if err != nil {
		return err
	}
	t := a.Terminal()
	for _, kind := range found {
		t.Printf("%s holds the %s key\n", t.Paint(render.Bold, cmd.File), kind)
	}
	t.Printf("Keep it safe. To restore: %s\n", t.Paint(render.Bold, "shadowd keys restore "+cmd.File))
	return t.Err()
}

type keysRestoreCmd struct {
	File string `arg:"" help:"What shadowd keys export wrote, or a file with one of the keys."`
	configFlag
}

func (cmd keysRestoreCmd) Run(a *app, cfg *config.Config) error {
	all, err := keys.Restore(cmd.File, cfg.KeyPlaces())
	if err != nil {
		return err
	}
	for _, r := range all {
		format := "Restored the %s key"
		switch {
		case r.ID == "":
			a.Warn(fmt.Sprintf("the backup holds no %s key", r.Kind))
			continue
		case r.Already:
			format = "The %s key is there already"
		}
		if err := sayKey(a.Terminal(), format, r.Place, r.ID); err != nil {
			return err
		}
	}
	return nil
}
