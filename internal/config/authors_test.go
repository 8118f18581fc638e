package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inFolder writes files into a new folder and returns the configuration that
// names some of them as authors.
func inFolder(t *testing.T, config string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(config, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAuthorsWithoutFile: a file that is not there is a mistake of the line
// that names it.
func TestAuthorsWithoutFile(t *testing.T) {
	file := inFolder(t, "seal:\n  authors:\n    - rules\n    - file: DIR/none.yml\n    - file: DIR\n      name: folder\n", nil)
	_, err := Load(file, nil)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"config.yml:4: seal.authors[1]: ", "none.yml is not there: allowed is a file of criteria", "config.yml:5: seal.authors[2]: ", " is a directory: allowed is a file of criteria"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said:\n%v", want, err)
		}
	}
}

func TestAuthorsPrinted(t *testing.T) {
	text, err := YAML(&Config{Seal: Seal{Authors: []Author{{Name: "rules"}, {File: "a.yml"}}}})
	if err != nil || !strings.Contains(string(text), "authors:\n    - rules\n    - file: a.yml\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
