package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMonitoringStaysInside: the monitoring of a NATS server tells who was sent
// what (/jsz?consumers=1), and asks for no login. So no file of a deployment opens
// it beyond loopback: by a setting, by a flag, or as a port of a container.
func TestMonitoringStaysInside(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	root := filepath.Join(repository, "deploy")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		folder, _, _ := strings.Cut(strings.TrimPrefix(path, root+"/"), "/")
		read[folder] = true
		for _, line := range opensMonitoring(readFile(t, path)) {
			t.Errorf("%s opens the server's monitoring: %s", path, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"Dockerfile", "cluster", "compose", "kubernetes", "nats", "shards", "systemd"} {
		if !read[folder] {
			t.Errorf("deploy has no %s", folder)
		}
	}
}

// The test above finds every way.
func TestOpensMonitoring(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`http: 8222`, `http: "8222"`, `http_port = 8222`, `https_port: 8222`, `monitor_port: 8000`, `http: "0.0.0.0:8222"`, `http: ":8222"`, `  https: "10.0.0.1:8222"`,
		`command: ["-c", "/etc/nats/nats.conf", "-m", "8222"]`, `args: [-c, nats.conf, --http_port=8222]`, `command: ["nats-server", "-ms", "8222"]`,
		`ExecStart=/usr/bin/nats-server -c nats.conf -m 8222`, `nats-server -m 8000`, `  - -m`, `- "--http_port"`, `EXPOSE 8222`, `ports: ["8222:8222"]`, `ports: [{name: monitor, containerPort: 8222}]`,
	} {
		if got := opensMonitoring("a: b\n" + line + "\n"); !slices.Equal(got, []string{line}) {
			t.Errorf("%s: %q", line, got)
		}
	}
	for _, line := range []string{
		`http: "127.0.0.1:8222"`, `https: "[::1]:8222"`, `http: localhost:8222`, `# http: 8222`, `test: ["CMD", "wget", "-qO-", "http://127.0.0.1:8222/healthz"]`,
		`http:`, `ports: [{name: http, containerPort: 9470}]`, `&& mkdir -m 1777 /out/data`, `listen: "0.0.0.0:4222"`,
	} {
		if got := opensMonitoring(line); got != nil {
			t.Errorf("%s opens nothing", line)
		}
	}
}

var (
	// A block "http:" of shadowd's own has no value in its line.
	monitorSetting = regexp.MustCompile(`^\s*(https?|https?_port|monitor_port)\s*[:=\s]\s*["']?([^"'\s]+)["']?\s*$`)
	// A flag of the server in a command line, or an item of a list: mkdir has -m, too.
	monitorFlag = regexp.MustCompile(`(nats-server\s(.*\s)?|["'\[,]\s*["']?|^\s*-\s+["']?)--?(m|ms|http_port|https_port)(["'\s,=]|$)`)
	monitorPort = regexp.MustCompile(`(\S*?)\b8222\b`)
	loopback    = regexp.MustCompile(`^(127\.0\.0\.1|\[::1\]|localhost):\d+$`)
)

// opensMonitoring are the lines of a file that open the monitoring of a NATS
// server beyond loopback.
func opensMonitoring(text string) (found []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		plain, _, _ := strings.Cut(line, "#")
		open := strings.Contains(plain, "8222")
		for _, m := range monitorPort.FindAllString(plain, -1) {
			at := m[strings.LastIndexAny(m, `"'/ `)+1:]
			open = open && !loopback.MatchString(at)
		}
		if m := monitorSetting.FindStringSubmatch(plain); m != nil && !loopback.MatchString(m[2]) {
			open = true
		}
		if monitorFlag.MatchString(plain) {
			open = true
		}
		if open {
			found = append(found, line)
		}
	}
	return found
}
