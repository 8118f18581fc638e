package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/swarmspeed/shadowd/internal/hint"
)

type keysExportCmd struct {
	File string `arg:"" help:"The file to write. It must not exist."`
	configFlag
}

func (keysExportCmd) Help() string {
	return `Writes the envelope key and the signing key, with their predecessors, to a new file with mode 0600. Keep it where nobody of the swarm gets at it: whoever has it can read every envelope and sign reports in shadowd's name.

Examples:

    shadowd keys export /mnt/safe/shadowd-2026-11.keys`
}

// exportHead stands at the top of an export.
const exportHead = `# The keys of shadowd: a backup. SECRET: whoever has this file can read every
# sealed envelope and sign reports in shadowd's name.
# To restore them: shadowd keys restore THIS-FILE
`

func (cmd keysExportCmd) Run(a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	text := bytes.NewBufferString(exportHead)
	defer func() { wipe(text.Bytes()) }()
	var found []string
	for _, p := range keyPlaces(cfg) {
		k, err := p.read()
		if errors.Is(err, fs.ErrNotExist) {
			a.Warn(err.Error() + ": it is not in the backup")
			continue
		}
		if err != nil {
			return err
		}
		part, err := p.text(k)
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "\n# The %s key\n%s", p.kind, part)
		wipe(part)
		found = append(found, p.kind)
	}
	if len(found) == 0 {
		return hint.Failed(errors.New("there are no keys to export"), "run it where the daemon's data directory is, or make keys: shadowd keys create")
	}
	if err := writeExport(cmd.File, text.Bytes()); err != nil {
		return err
	}
	for _, kind := range found {
		if _, err := fmt.Fprintf(a.Stdout, "%s holds the %s key\n", cmd.File, kind); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.Stdout, "Keep it safe. To restore: shadowd keys restore %s\n", cmd.File)
	return err
}

// writeExport writes to a name that is free: an older backup may be the only
// one of its keys. It is written in place, since the medium may know no links.
func writeExport(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return hint.Failed(fmt.Errorf("%s is there already, and a backup is not overwritten", file), "name another file")
	}
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	if err := writeSecret(f, text); err != nil {
		return fmt.Errorf("writing the backup: %w", errors.Join(err, os.Remove(file)))
	}
	return nil
}

type keysRestoreCmd struct {
	File string `arg:"" help:"What shadowd keys export wrote, or a file with one of the keys."`
	configFlag
}

func (keysRestoreCmd) Help() string {
	return `Puts the keys of a backup where the configuration says. A file that is there is left alone if it holds the same, and is never overwritten: move it away first.

Examples:

    shadowd keys restore /mnt/safe/shadowd-2026-11.keys`
}

func (cmd keysRestoreCmd) Run(a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	backup, err := readKeys(cmd.File)
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	var todo []keyPlace
	for _, p := range keyPlaces(cfg) {
		if !p.has(backup) {
			a.Warn("the backup holds no " + p.kind + " key")
			continue
		}
		// Looked at before anything is written: half a restored pair of keys
		// would start a daemon with a new one in the other's place.
		if there, err := p.same(backup); err != nil {
			return err
		} else if !there {
			todo = append(todo, p)
		} else if err := p.say(a.Stdout, backup, "The %s key is there already: %s, %s"); err != nil {
			return err
		}
	}
	if len(backup.seeds) == 0 && backup.signing == nil {
		return hint.Failed(fmt.Errorf("%s holds no key", cmd.File), "")
	}
	for _, p := range todo {
		if err := p.store(backup, createSecret); err != nil {
			return err
		}
		if err := p.say(a.Stdout, backup, "Restored the %s key: %s, %s"); err != nil {
			return err
		}
	}
	return nil
}

// same says whether the place holds what k does. That it holds anything else
// is an error.
func (p keyPlace) same(k *keyFile) (bool, error) {
	there, err := readKeys(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s key: %w", p.kind, err)
	}
	old, err := p.text(there)
	if err != nil {
		return false, err
	}
	restored, err := p.text(k)
	if err != nil {
		return false, err
	}
	defer wipe(old)
	defer wipe(restored)
	if !bytes.Equal(old, restored) {
		return false, hint.Failed(fmt.Errorf("%s is there already and holds another %s key", p.file, p.kind), "move it away first; nothing was restored")
	}
	return true, nil
}
