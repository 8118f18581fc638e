package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// specVersions are the versions of the Shadow Score Spec that shadowd can
// report as.
var specVersions = []string{"1.0.0", "2.0.0"}

type versionCmd struct{}

func (versionCmd) Help() string {
	return `Example:

    shadowd version`
}

func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprint(a.Stdout, versionText(buildInfo()))
	return err
}

// version is the version of this build, "devel" if it has none.
func version() string { return versionOf(buildInfo()) }

func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "devel"
}

// versionText describes a build, a line for each thing to know of it.
func versionText(info *debug.BuildInfo) string {
	revision, modified, golang := "unknown", "", "unknown"
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = " (modified)"
			}
		}
	}
	if info.GoVersion != "" {
		golang = info.GoVersion
	}
	return fmt.Sprintf("shadowd  %s\nrevision %s%s\ngo       %s\nspec     %s\n",
		versionOf(info), revision, modified, golang, strings.Join(specVersions, ", "))
}
