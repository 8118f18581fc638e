package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// keysCmd are the commands for the two keys. None of them prints a secret.
type keysCmd struct {
	Create keysCreateCmd `cmd:"" help:"Create the keys that are not there yet."`
	Rotate keysRotateCmd `cmd:"" help:"Put a new key first and keep the old one for what it has sealed or signed."`
	Public keysPublicCmd `cmd:"" help:"Print the public part of a key."`
}

const keysHint = "run it where the daemon's data directory is"

// printKey prints what was done to a key.
func printKey(t *render.Terminal, format string, p keys.Place, id string) error {
	t.Printf(format+": %s, %s\n", p.Kind, t.Paint(render.Bold, p.String()), id)
	return t.Err()
}

type keysCreateCmd struct{ configFlag }

func (cmd keysCreateCmd) Run(a *app, cfg *config.Config) error {
	for _, kind := range []keys.Kind{keys.Envelope, keys.Signing} {
		p := cfg.KeyPlace(kind)
		k, created, err := p.Create()
		if err != nil {
			return err
		}
		format := "The %s key is there already"
		if created {
			format = "A new %s key"
		}
		if err := printKey(a.Terminal(), format, p, k.IDs(p.Kind)[0]); err != nil {
			return err
		}
	}
	return nil
}

type keysRotateCmd struct {
	Kind keys.Kind `arg:"" enum:"envelope,signing" help:"envelope or signing."`
	configFlag
}

func (cmd keysRotateCmd) Run(a *app, cfg *config.Config) error {
	p := cfg.KeyPlace(cmd.Kind)
	k, err := p.Rotate()
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Failed(err, "there is no key to rotate: shadowd keys create")
	}
	if err != nil {
		return err
	}
	t := a.Terminal()
	t.Printf("The new %s key is the first one in %s: %s\nNow copy the file to your backup, then restart the daemons.\n", p.Kind, t.Paint(render.Bold, p.String()), k.IDs(p.Kind)[0])
	return t.Err()
}

type keysPublicCmd struct {
	Kind keys.Kind `arg:"" optional:"" enum:"envelope,signing" default:"signing" help:"envelope or signing, which is the default."`
	configFlag
}

func (cmd keysPublicCmd) Run(a *app, cfg *config.Config) error {
	k, err := cfg.KeyPlace(cmd.Kind).Read()
	if err != nil {
		return hint.Failed(err, keysHint+", or set "+strings.ToUpper(fmt.Sprintf("shadowd_%s_key", cmd.Kind)))
	}
	var text strings.Builder
	if cmd.Kind == keys.Envelope {
		text.WriteString(strings.Join(k.IDs(keys.Envelope), "\n") + "\n")
	} else {
		for i, public := range k.Public() {
			fmt.Fprintf(&text, "# key id %s%s\n%s", attest.KeyID(public), map[bool]string{true: ", signs no more"}[i > 0], attest.PublicPEM(public))
		}
	}
	_, err = io.WriteString(a.Stdout, text.String())
	return err
}
