package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// keysCmd are the commands for the two keys: the envelope key, which envelopes
// are encrypted to, and the signing key, which attestations are signed with.
// None of them prints a secret.
type keysCmd struct {
	Create  keysCreateCmd  `cmd:"" help:"Create the keys that are not there yet."`
	Rotate  keysRotateCmd  `cmd:"" help:"Put a new key first and keep the old one for what it has sealed or signed."`
	Export  keysExportCmd  `cmd:"" help:"Write a backup of the keys to a file."`
	Restore keysRestoreCmd `cmd:"" help:"Put the keys of a backup back."`
	Public  keysPublicCmd  `cmd:"" help:"Print the public part of a key."`
}

// The kinds of keys.
const (
	envelopeKind = "envelope"
	signingKind  = "signing"
)

// keyPlace is a kind of key and where it is kept.
type keyPlace struct {
	kind, file string
	text       func(*keyFile) ([]byte, error)
}

func keyPlaces(c *config.Config) []keyPlace {
	return []keyPlace{
		{envelopeKind, c.EnvelopeKeyFile(), func(k *keyFile) ([]byte, error) { return k.envelopeText(), nil }},
		{signingKind, c.SigningKeyFile(), (*keyFile).signingText},
	}
}

func placeOf(c *config.Config, kind string) keyPlace {
	if kind == envelopeKind {
		return keyPlaces(c)[0]
	}
	return keyPlaces(c)[1]
}

// has says whether k holds a secret of the kind.
func (p keyPlace) has(k *keyFile) bool {
	if p.kind == envelopeKind {
		return len(k.seeds) > 0
	}
	return k.signing != nil
}

// read reads the key of the place. Its error says which key is meant.
func (p keyPlace) read() (*keyFile, error) {
	k, err := readKeys(p.file)
	if err == nil && !p.has(k) {
		err = fmt.Errorf("%s holds none", p.file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s key: %w", p.kind, err)
	}
	return k, nil
}

// renew adds a new key in front of what k holds.
func (p keyPlace) renew(k *keyFile) error {
	if p.kind == envelopeKind {
		seed, err := newSeed()
		k.seeds = append([]string{seed}, k.seeds...)
		return err
	}
	private, err := newSigning()
	k.signed, k.signing = k.public(), private
	return err
}

// name is the public name of the first key in k.
func (p keyPlace) name(k *keyFile) (string, error) {
	if p.kind == signingKind {
		return k.signers()[0], nil
	}
	ring, err := k.ring(p.file)
	if err != nil {
		return "", err
	}
	defer ring.Wipe()
	return ring.PublicKey()
}

// say prints what was done to the key in k.
func (p keyPlace) say(w io.Writer, k *keyFile, format string) error {
	name, err := p.name(k)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, format+"\n", p.kind, p.file, name)
	return err
}

type keysCreateCmd struct{ configFlag }

func (keysCreateCmd) Help() string {
	return `Creates the envelope key and the signing key where the configuration says, mode 0600, and leaves alone what is there. "shadowd run" does the same at its first start, but only for files that the configuration does not name.

Examples:

    shadowd keys create
    SHADOWD_ENVELOPE_KEY=/etc/shadowd/envelope.nk shadowd keys create`
}

func (cmd keysCreateCmd) Run(a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	for _, p := range keyPlaces(cfg) {
		k, err := p.read()
		format := "The %s key is there already: %s, %s"
		if errors.Is(err, fs.ErrNotExist) {
			format = "A new %s key: %s, %s"
			k = &keyFile{}
			if err = p.renew(k); err == nil {
				err = p.store(k, createSecret)
			}
		}
		if err == nil {
			err = p.say(a.Stdout, k, format)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// store writes the key of the place by createSecret or replaceSecret.
func (p keyPlace) store(k *keyFile, write func(string, []byte) error) error {
	text, err := p.text(k)
	if err != nil {
		return err
	}
	defer wipe(text)
	if err := write(p.file, text); err != nil {
		return fmt.Errorf("storing the %s key: %w", p.kind, err)
	}
	return nil
}

type keysRotateCmd struct {
	Kind string `arg:"" enum:"envelope,signing" help:"envelope or signing."`
	configFlag
}

func (keysRotateCmd) Help() string {
	return `The new envelope key seals the envelopes to come; the old ones stay in the file and open what they have sealed, so runs under way go on. Of an old signing key the public part stays, so what it signed can still be checked. Daemons take up the new key when they are started the next time. Where several serve one bus, give all of them the same file first.

Examples:

    shadowd keys rotate envelope
    shadowd keys rotate signing`
}

func (cmd keysRotateCmd) Run(a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	p := placeOf(cfg, cmd.Kind)
	k, err := p.read()
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Failed(err, "there is no key to rotate: shadowd keys create")
	}
	if err != nil {
		return err
	}
	if err := p.renew(k); err != nil {
		return fmt.Errorf("making the new key: %w", err)
	}
	if err := p.store(k, replaceSecret); err != nil {
		return err
	}
	if err := p.say(a.Stdout, k, "The new %s key is the first one in %s: %s"); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, "Now make a new backup (shadowd keys export FILE), then restart the daemons.")
	return err
}

type keysPublicCmd struct {
	Kind string `arg:"" optional:"" enum:"envelope,signing" default:"signing" help:"envelope or signing, which is the default."`
	configFlag
}

func (keysPublicCmd) Help() string {
	return `For the signing key, what it prints is what those need who check reports: the public key in PEM with its id, and behind it those that signed earlier. For the envelope key it prints the public curve keys, the one that seals first.

Examples:

    shadowd keys public > shadowd.pub
    shadowd keys public envelope`
}

func (cmd keysPublicCmd) Run(a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	k, err := placeOf(cfg, cmd.Kind).read()
	if err != nil {
		return hint.Failed(err, "run it where the daemon's data directory is, or set "+strings.ToUpper("shadowd_"+cmd.Kind+"_key"))
	}
	if cmd.Kind == signingKind {
		for i, public := range k.public() {
			_, err = fmt.Fprintf(a.Stdout, "# key id %s%s\n%s", attest.KeyID(public), map[bool]string{true: ", signs no more"}[i > 0], attest.PublicPEM(public))
		}
		return err
	}
	for _, seed := range k.seeds {
		one := &keyFile{seeds: []string{seed}}
		name, err := placeOf(cfg, envelopeKind).name(one)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.Stdout, name); err != nil {
			return err
		}
	}
	return nil
}
