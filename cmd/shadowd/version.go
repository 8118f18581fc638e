package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"runtime/debug"
	"strings"
	texts "text/template"

	"github.com/alecthomas/kong"
)

// stamp is the version of a release. The linker sets it:
//
//	go build -ldflags "-X main.stamp=v1.2.3" ./cmd/shadowd
var stamp string

// version is the version of this build, "devel" if it has none, and behind it what
// else there is to know: the revision, whether files were changed since, and the Go
// that built it.
func version() (name, all string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, stamp)
}

func versionOf(info *debug.BuildInfo, stamp string) (name, all string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	name = cmp.Or(stamp, strings.Trim(info.Main.Version, "()"), "devel") // Go says (devel)
	parts := []string{"revision " + cmp.Or(settings["vcs.revision"], "unknown")}
	if settings["vcs.modified"] == "true" {
		parts = append(parts, "modified")
	}
	return name, fmt.Sprintf("%s (%s)", name, strings.Join(append(parts, cmp.Or(info.GoVersion, "unknown Go")), ", "))
}

// completionCmd prints what a shell needs to complete the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

//go:embed completion.tmpl
var completionText string

func (cmd completionCmd) Run(a *app, k *kong.Kong) error {
	scripts, err := texts.New("").Funcs(texts.FuncMap{"quoted": quoted}).Parse(completionText)
	if err != nil {
		return err
	}
	return scripts.ExecuteTemplate(a.Stdout, cmd.Shell, k.Model.Node)
}

// quoted is a text as a word of fish.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
