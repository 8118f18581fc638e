//go:build linux

package main

import (
	"maps"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestNotices: what archives, packages and the image carry has the licence of each
// module that is compiled in, and of Go.
func TestNotices(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(repository, "deploy", "notices.sh")).Output()
	if err != nil {
		t.Fatal(err)
	}
	licences := map[string]string{}
	for _, part := range strings.Split(string(out), "\n==== ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		licences[title] = text
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) < 20 {
		t.Fatalf("this program names %d modules", len(info.Deps))
	}
	n := 0
	for title, text := range licences {
		if !strings.Contains(strings.ToLower(text), "copyright") || !strings.Contains(text, "\n-- ") {
			t.Errorf("%s has no licence", title)
		}
	}
	for _, m := range info.Deps {
		if licences[m.Path+" "+m.Version] != "" {
			n++
		}
	}
	if n < 20 || licences["Go and its standard library "+info.GoVersion] == "" || len(licences) < n+1 {
		t.Errorf("%d of %d modules of this program are in the notices, which have %d", n, len(info.Deps), len(licences))
	}
}

// TestPackageScripts: a package makes its user once, starts nothing, has a running
// daemon start anew, and stops it only when it goes.
func TestPackageScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, argument, user, want string }{
		{"preinstall", "install", "", "useradd --system --user-group --home-dir /var/lib/shadowd --shell /usr/sbin/nologin shadowd\n"},
		{"preinstall", "2", "yes", ""},
		{"postinstall", "configure", "yes", "systemctl daemon-reload\nsystemctl try-restart shadowd.service\n"},
		{"preremove", "upgrade", "yes", ""},
		{"preremove", "1", "yes", ""},
		{"preremove", "remove", "yes", "systemctl disable --now shadowd.service\n"},
		{"preremove", "0", "yes", "systemctl disable --now shadowd.service\n"},
	} {
		dir := t.TempDir()
		// There is systemd, and programs say how they are called.
		script := strings.ReplaceAll(deployed(t, "packages", c.script+".sh"), "/run/systemd/system", dir)
		functions := `useradd() { echo useradd "$@"; }; systemctl() { echo systemctl "$@"; }; getent() { [ -n "$USER_IS_THERE" ]; }` + "\n"
		cmd := exec.CommandContext(t.Context(), "sh", "-c", functions+script, c.script, c.argument)
		cmd.Env = append(cmd.Environ(), "USER_IS_THERE="+c.user)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s %s: %v\n%s", c.script, c.argument, err, out)
		}
	}
}

// TestRecipe: what the recipe of a release packs is here, or is made by it.
func TestRecipe(t *testing.T) {
	t.Parallel()
	var recipe struct {
		Archives []struct{ Files []string }
		Nfpms    []struct {
			Contents []struct{ Src string }
			Scripts  map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, ".goreleaser.yaml"))), &recipe); err != nil || len(recipe.Archives) != 1 || len(recipe.Nfpms) != 1 {
		t.Fatalf("%v: %+v", err, recipe)
	}
	files := slices.AppendSeq(recipe.Archives[0].Files, maps.Values(recipe.Nfpms[0].Scripts))
	for _, c := range recipe.Nfpms[0].Contents {
		files = append(files, c.Src)
	}
	notices := 0
	for _, file := range files {
		if file == "THIRD-PARTY-NOTICES.txt" {
			notices++
		} else {
			readFile(t, filepath.Join(repository, file))
		}
	}
	if notices != 2 {
		t.Errorf("%d of archive and packages have the notices", notices)
	}
}
