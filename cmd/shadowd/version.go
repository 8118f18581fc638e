package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"runtime/debug"
	"strings"
	texts "text/template"

	"github.com/alecthomas/kong"

	"github.com/swarmspeed/shadowd/internal/render"
)

// specVersions are the versions of the Shadow Score Spec that shadowd can
// report as.
var specVersions = []string{"1.0.0", "2.0.0"}

// stamp is the version of a release. The linker sets it:
//
//	go build -ldflags "-X main.stamp=v1.2.3" ./cmd/shadowd
var stamp string

type versionCmd struct {
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

func (cmd versionCmd) Run(a *app) error {
	return printAs(a, cmd.Format, currentBuild(), func(t *render.Terminal, b build) error {
		for line := range strings.Lines(b.String()) {
			label, text, _ := strings.Cut(line, " ")
			t.Printf("%s %s", t.Paint(render.Dim, label), text)
		}
		return t.Err()
	})
}

// version is the version of this build, "devel" if it has none.
func version() string { return currentBuild().Version }

// build describes a build.
type build struct {
	Version  string   `json:"version"`
	Revision string   `json:"revision"` // of the source, "unknown" if it was not built in a repository
	Modified bool     `json:"modified"` // files were changed since that revision
	Go       string   `json:"go"`
	Spec     []string `json:"spec"`
}

func currentBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, stamp)
}

func buildOf(info *debug.BuildInfo, stamp string) build {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return build{
		Version:  cmp.Or(stamp, strings.Trim(info.Main.Version, "()"), "devel"), // Go says (devel)
		Revision: cmp.Or(settings["vcs.revision"], "unknown"),
		Modified: settings["vcs.modified"] == "true",
		Go:       cmp.Or(info.GoVersion, "unknown"),
		Spec:     specVersions,
	}
}

// String is a line for each thing to know.
func (b build) String() string {
	modified := ""
	if b.Modified {
		modified = " (modified)"
	}
	return fmt.Sprintf("shadowd  %s\nrevision %s%s\ngo       %s\nspec     %s\n", b.Version, b.Revision, modified, b.Go, strings.Join(b.Spec, ", "))
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
