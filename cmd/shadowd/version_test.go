package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/config"
)

func TestVersionText(t *testing.T) {
	for _, c := range []struct {
		name  string
		info  debug.BuildInfo
		stamp string
		want  string
	}{
		{"nothing known", debug.BuildInfo{}, "",
			"shadowd  devel\nrevision unknown\ngo       unknown\nspec     1.0.0, 2.0.0\n"},
		{"built in a work tree", debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "e8e3b32"}, {Key: "vcs.modified", Value: "true"}}}, "",
			"shadowd  devel\nrevision e8e3b32 (modified)\ngo       go1.26.8\nspec     1.0.0, 2.0.0\n"},
		{"installed", debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.0"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "e8e3b32"}, {Key: "vcs.modified", Value: "false"}}}, "",
			"shadowd  v1.2.0\nrevision e8e3b32\ngo       go1.26.8\nspec     1.0.0, 2.0.0\n"},
		{"released", debug.BuildInfo{Main: debug.Module{Version: "v1.2.1-0.20261122-e8e3b32"}}, "v1.2.0",
			"shadowd  v1.2.0\nrevision unknown\ngo       unknown\nspec     1.0.0, 2.0.0\n"},
	} {
		if got := buildOf(&c.info, c.stamp).String(); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// What the version names and what the configuration takes are the same.
func TestSpecVersions(t *testing.T) {
	_, err := config.Parse("config.yml", []byte("shadow_scoring: {spec_version: none}"), nil)
	if want := `is none of "` + strings.Join(specVersions, `", "`) + `"`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
