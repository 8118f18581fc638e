package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionText(t *testing.T) {
	for _, c := range []struct {
		name  string
		info  debug.BuildInfo
		stamp string
		want  string
	}{
		{"nothing known", debug.BuildInfo{}, "",
			"devel (revision unknown, unknown Go)"},
		{"built in a work tree", debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "e8e3b32"}, {Key: "vcs.modified", Value: "true"}}}, "",
			"devel (revision e8e3b32, modified, go1.26.8)"},
		{"installed", debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.0"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "e8e3b32"}, {Key: "vcs.modified", Value: "false"}}}, "",
			"v1.2.0 (revision e8e3b32, go1.26.8)"},
		{"released", debug.BuildInfo{Main: debug.Module{Version: "v1.2.1-0.20261122-e8e3b32"}}, "v1.2.0",
			"v1.2.0 (revision unknown, unknown Go)"},
	} {
		if name, got := versionOf(&c.info, c.stamp); got != c.want || !strings.HasPrefix(got, name+" (") {
			t.Errorf("%s: got %s and %s, want %s", c.name, name, got, c.want)
		}
	}
}
