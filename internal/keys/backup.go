package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// exportHeader stands at the top of an export.
const exportHeader = `# The keys of shadowd: a backup. SECRET: whoever has this file can read every
# sealed envelope and sign reports in shadowd's name.
# To restore them: shadowd keys restore THIS-FILE
`

// Export writes the keys of the places to a new file and returns which ones it
// found. missing says of each of the others why it is not in the file. It is an
// error if there is no key at all.
func Export(file string, places []Place) (found []Kind, missing []error, err error) {
	text := bytes.NewBufferString(exportHeader)
	defer func() { clear(text.Bytes()) }()
	for _, p := range places {
		k, err := p.Read()
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, err)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		part := k.text(p.Kind)
		fmt.Fprintf(text, "\n# The %s key\n%s", p.Kind, part)
		clear(part)
		found = append(found, p.Kind)
	}
	if len(found) == 0 {
		return nil, missing, hint.Failed(errors.New("there are no keys to export"), "run it where the daemon's data directory is, or make keys: shadowd keys create")
	}
	return found, missing, writeExport(file, text.Bytes())
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

// Restored says what became of one kind of key.
type Restored struct {
	Place
	ID      string // of the key that is in use; empty: the backup holds none
	Already bool   // the file held the same before
}

// Restore puts the keys of a backup to the places, which may be one file. A file
// that is there and holds another key is an error. With an error nothing is
// restored: half a restored pair would start a daemon with a new key in the place
// of the other one.
func Restore(file string, places []Place) ([]Restored, error) {
	backup, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("reading the backup: %w", err)
	}
	if !backup.has(Envelope) && !backup.has(Signing) {
		return nil, fmt.Errorf("%s holds no key", file)
	}
	var all []Restored
	for _, p := range places {
		r := Restored{Place: p}
		if backup.has(p.Kind) {
			r.ID = backup.IDs(p.Kind)[0]
			if r.Already, err = p.contains(backup); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, storeMissing(backup, all)
}

// storeMissing writes the files that are not there, all or none.
func storeMissing(backup *Set, all []Restored) error {
	var files []string
	texts := map[string][]byte{}
	defer func() {
		for _, text := range texts {
			clear(text)
		}
	}()
	for _, r := range all {
		if r.ID == "" || r.Already {
			continue
		}
		if texts[r.file] == nil {
			files = append(files, r.file)
		}
		texts[r.file] = append(texts[r.file], backup.text(r.Kind)...)
	}
	for i, file := range files {
		if err := createSecret(file, texts[file]); err != nil {
			err = fmt.Errorf("restoring %s: %w", file, err)
			for _, stored := range files[:i] {
				err = errors.Join(err, os.Remove(stored))
			}
			return err
		}
	}
	return nil
}

// contains reports whether the place holds what k does. That it holds anything
// else is an error.
func (p Place) contains(k *Set) (bool, error) {
	there, err := read(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s key: %w", p.Kind, err)
	}
	old, restored := there.text(p.Kind), k.text(p.Kind)
	defer clear(old)
	defer clear(restored)
	if !bytes.Equal(old, restored) {
		what := "another"
		if !there.has(p.Kind) {
			what = "no"
		}
		return false, hint.Failed(fmt.Errorf("%s is there already and holds %s %s key", p.file, what, p.Kind), "move it away first; nothing was restored")
	}
	return true, nil
}
