package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// monitoring is what opens the monitoring of a NATS server: a setting with a value, a
// flag in a command line or in a list, and the port of its documentation. A block
// "http:" of shadowd's own has no value in its line, and mkdir has -m, too.
var monitoring = regexp.MustCompile(`^\s*(https?|https?_port|monitor_port)\s*[:=]\s*[^\s]|(nats-server\s(.*\s)?|["'\[,]\s*["']?|^\s*-\s+["']?)--?(m|ms|http_port|https_port)(["'\s,=]|$)|\b8222\b`)

// TestMonitoringStaysInside: the monitoring of a NATS server tells who was sent
// what (/jsz?consumers=1), and asks for no login. So no file of a deployment opens
// it beyond loopback: by a setting, by a flag, or as a port of a container.
func TestMonitoringStaysInside(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir(filepath.Join(repository, "deploy"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for line := range strings.Lines(readFile(t, path)) {
			if line, _, _ = strings.Cut(line, "#"); !monitoring.MatchString(line) {
				continue
			}
			if found++; !regexp.MustCompile(`["/](127\.0\.0\.1|\[::1\]):8222\b`).MatchString(line) {
				t.Errorf("%s opens the server's monitoring: %s", path, line)
			}
		}
		return nil
	})
	if err != nil || found < 2 {
		t.Errorf("%d lines are about monitoring, %v", found, err)
	}
}
