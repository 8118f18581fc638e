//go:build linux

package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// deployed is a file of deploy, by its path there.
func deployed(t *testing.T, name ...string) string {
	t.Helper()
	return readFile(t, filepath.Join(append([]string{repository, "deploy"}, name...)...))
}

// followReadme runs the commands of a README of deploy in a folder of its own, but
// for those of Docker and Kubernetes, and returns that folder.
func followReadme(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	n := 0
	for _, line := range indented.FindAllString(deployed(t, name, "README.md"), -1) {
		if regexp.MustCompile(`\b(docker|kubectl) `).MatchString(line) {
			continue
		}
		n++
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", line)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	if n < 2 {
		t.Fatalf("only %d commands were found", n)
	}
	return dir
}

// here is a configuration with the addresses of this machine in place of those of
// a deployment, and where its daemon serves HTTP. All else is as it was.
func here(t *testing.T, text, broker string) (changed, url string) {
	t.Helper()
	c, err := config.Parse("config.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Bus.URL != "nats://nats:4222" || c.HTTP.Listen != "0.0.0.0:9470" {
		t.Fatalf("the bus is at %s, and HTTP at %s", c.Bus.URL, c.HTTP.Listen)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	text = strings.NewReplacer(c.Bus.URL, broker, c.HTTP.Listen, at, "replicas: 3", "replicas: 1").Replace(text)
	return text, "http://" + at
}

// wantOpen: paths of a daemon can be read without a token, and its page cannot.
func wantOpen(t *testing.T, url string, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if code, body := httpGet(t, url+p); code != http.StatusOK {
			t.Errorf("%s: %d %s", p, code, body)
		}
	}
	if code, _ := httpGet(t, url+"/"); code != http.StatusUnauthorized {
		t.Errorf("the page without its token: %d", code)
	}
}

type compose struct {
	Services map[string]struct {
		Image, User string
		Command     []string
		ReadOnly    bool `yaml:"read_only"`
		Volumes     []string
		Ports       []string
		DependsOn   map[string]any `yaml:"depends_on"`
		Build       struct{ Context, Dockerfile string }
		Healthcheck struct{ Test []string }
	}
	Volumes map[string]any
}

func readCompose(t *testing.T) (c compose) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(deployed(t, "compose", "compose.yml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestImage builds the image of deploy/Dockerfile, and starts it as Compose and Kubernetes do.
func TestImage(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	out := buildImage(t)
	t.Run("Compose", func(t *testing.T) { imageInCompose(t, out) })
	t.Run("Kubernetes", func(t *testing.T) { imageInKubernetes(t, out) })
}

// imageInCompose follows the README of the composition, and starts shadowd in its image with the files, the user and
// the command of the composition, on a server with the configuration that the README makes.
func imageInCompose(t *testing.T, out string) {
	s := readCompose(t).Services["shadowd"]
	if !s.ReadOnly {
		t.Error("its root file system is not read-only")
	}
	if file := filepath.Join(repository, "deploy", "compose", s.Build.Context, s.Build.Dockerfile); !strings.HasPrefix(readFile(t, file), "# docker build") {
		t.Error("the image is built of another file")
	}
	m := regexp.MustCompile(`^\$\{SHADOWD_USER:-(\d+:\d+)\}$`).FindStringSubmatch(s.User)
	if m == nil {
		t.Fatalf("user: %s", s.User)
	}
	for _, user := range []string{m[1], "1234:1234"} {
		t.Run(user, func(t *testing.T) {
			im := makeImage(t, out)
			if user == m[1] && user != im.user {
				t.Errorf("the image's user is %s", im.user)
			}
			if !strings.Contains(readFile(t, filepath.Join(im.root, "usr", "share", "doc", "shadowd", "THIRD-PARTY-NOTICES.txt")), "nats-server") {
				t.Error("the image has no notices of what is compiled in")
			}
			uid, gid := ids(t, user)
			made := followReadme(t, "compose")
			broker := bustest.ServerWith(t, readFile(t, filepath.Join(made, "nats.conf")))
			text, url := here(t, deployed(t, "compose", "config.yml"), broker.URL())
			for _, v := range s.Volumes {
				from, rest, _ := strings.Cut(v, ":")
				to := strings.TrimSuffix(rest, ":ro")
				switch {
				case !strings.HasPrefix(from, "./"):
					if to != im.volume {
						t.Errorf("%s is no volume of the image", to)
					}
				case from == "./config.yml":
					im.write(t, to, text, 0, 0)
				default:
					im.put(t, filepath.Join(made, from), to, uid, gid, 0)
				}
			}
			r := startCommand(t, im.command(t, user, append(im.entrypoint, s.Command...)...))
			r.says(`"msg":"ready"`)
			if s.Healthcheck.Test[0] != "CMD" {
				t.Errorf("the check needs a shell: %v", s.Healthcheck.Test)
			}
			im.healthy(t, user, s.Healthcheck.Test[1:]...)
			wantOpen(t, url, "/metrics")
			r.signal(syscall.SIGTERM)
			r.wantExit(hint.ExitClean)
		})
	}
}

// TestComposeFits: what services of the composition say of each other is so.
func TestComposeFits(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	if len(c.Services) != 3 {
		t.Fatalf("%d services", len(c.Services))
	}
	mounts := map[string]string{} // where a file is, by SERVICE:PATH
	for name, s := range c.Services {
		for on := range s.DependsOn {
			if len(c.Services[on].Healthcheck.Test) == 0 {
				t.Errorf("%s waits for the health of %s, which has no check", name, on)
			}
		}
		for _, v := range s.Volumes {
			from, to, _ := strings.Cut(strings.TrimSuffix(v, ":ro"), ":")
			if _, ok := c.Volumes[from]; !ok && !strings.HasPrefix(from, ".") {
				t.Errorf("%s: there is no volume %s", name, from)
			}
			mounts[name+":"+to] = from
		}
	}
	// Monitoring tells who was sent what, so only the container itself reaches it.
	monitor := regexp.MustCompile(`(?m)^http: "(127\.0\.0\.1:\d+)"$`).FindStringSubmatch(deployed(t, "compose", "server.conf"))
	if monitor == nil || !strings.Contains(strings.Join(c.Services["nats"].Healthcheck.Test, " "), "http://"+monitor[1]+"/healthz") {
		t.Error("the health of nats is asked at another port")
	}
	store := regexp.MustCompile(`store_dir: "(.*)"`).FindStringSubmatch(deployed(t, "nats", "nats.conf"))
	if store == nil || mounts["nats:"+store[1]] == "" {
		t.Errorf("no volume has what the server stores in %v", store)
	}
}

// manifest is what a test needs of a document of deploy/kubernetes/shadowd.yaml.
type manifest struct {
	Kind     string
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Data map[string]string
	Spec struct {
		Selector yaml.Node
		Ports    []struct {
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata struct{ Labels, Annotations map[string]string }
			Spec     struct {
				SecurityContext struct {
					RunAsUser  int `yaml:"runAsUser"`
					RunAsGroup int `yaml:"runAsGroup"`
					FSGroup    int `yaml:"fsGroup"`
				} `yaml:"securityContext"`
				Containers []container
				Volumes    []struct {
					Name      string
					ConfigMap struct{ Name string } `yaml:"configMap"`
					Secret    struct {
						SecretName  string `yaml:"secretName"`
						DefaultMode int    `yaml:"defaultMode"`
					}
					EmptyDir *struct{} `yaml:"emptyDir"`
				}
			}
		}
	}
}

type container struct {
	Args  []string
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe    probe `yaml:"startupProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	ReadinessProbe  probe `yaml:"readinessProbe"`
	SecurityContext struct {
		ReadOnly bool `yaml:"readOnlyRootFilesystem"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// imageInKubernetes makes the secrets as the README says, and starts shadowd in its image with the files, the user
// and the arguments of the deployment; then it asks what the probes ask.
func imageInKubernetes(t *testing.T, out string) {
	all := map[string]manifest{}
	for doc := yaml.NewDecoder(strings.NewReader(deployed(t, "kubernetes", "shadowd.yaml"))); ; {
		var m manifest
		if doc.Decode(&m) != nil {
			break
		}
		all[m.Kind] = m
	}
	pod := all["Deployment"].Spec.Template
	if len(all) != 4 || len(pod.Spec.Containers) != 1 {
		t.Fatalf("%d documents, %d containers", len(all), len(pod.Spec.Containers))
	}
	c, labels := pod.Spec.Containers[0], pod.Metadata.Labels
	for kind := range maps.Keys(all) {
		if selector := all[kind].Spec.Selector; kind != "ConfigMap" && !selects(t, selector, labels) {
			t.Errorf("%s does not select the pods", kind)
		}
	}
	if !c.SecurityContext.ReadOnly {
		t.Error("its root file system is not read-only")
	}
	if p := c.Ports[0]; p.ContainerPort != 9470 || all["Service"].Spec.Ports[0].TargetPort != p.Name || pod.Metadata.Annotations["prometheus.io/port"] != fmt.Sprint(p.ContainerPort) {
		t.Errorf("the ports differ: %+v", p)
	}

	im := makeImage(t, out)
	made := followReadme(t, "kubernetes")
	broker := bustest.ServerWith(t, readFile(t, filepath.Join(made, "nats.conf")))
	text, url := here(t, all["ConfigMap"].Data["config.yml"], broker.URL())
	secrets := secretsOf(t, made)
	sc := pod.Spec.SecurityContext
	user := fmt.Sprintf("%d:%d", sc.RunAsUser, sc.RunAsGroup)
	if user != im.user || sc.FSGroup != sc.RunAsGroup {
		t.Errorf("the user is %s with the group %d, and that of the image %s", user, sc.FSGroup, im.user)
	}
	for _, v := range pod.Spec.Volumes {
		for _, mount := range c.VolumeMounts {
			switch files := secrets[v.Secret.SecretName]; {
			case mount.Name != v.Name:
			case v.ConfigMap.Name == all["ConfigMap"].Metadata.Name:
				if path.Base(mount.MountPath) != mount.SubPath || all["ConfigMap"].Data[mount.SubPath] == "" {
					t.Errorf("%s has no %s", v.ConfigMap.Name, mount.SubPath)
				}
				im.write(t, mount.MountPath, text, 0, 0)
			case len(files) > 0:
				// The kubelet gives a secret to root, and with fsGroup its
				// files to that group, which may read what the owner may.
				for _, file := range files {
					mode := os.FileMode(v.Secret.DefaultMode)
					im.put(t, file, path.Join(mount.MountPath, filepath.Base(file)), 0, sc.FSGroup, mode|mode>>3&0o040)
				}
			case v.EmptyDir != nil && mount.MountPath == im.volume:
			default:
				t.Errorf("there is nothing to mount as %s", mount.MountPath)
			}
		}
	}
	r := startCommand(t, im.command(t, user, append(im.entrypoint, c.Args...)...))
	r.says(`"msg":"ready"`)
	im.healthy(t, user, append(append(im.entrypoint, "status", "--quiet"), c.Args[1:]...)...)
	for _, p := range []probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if p.HTTPGet.Port != c.Ports[0].Name {
			t.Errorf("there is no port %s", p.HTTPGet.Port)
		}
		wantOpen(t, url, p.HTTPGet.Path, "/metrics")
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
}

// selects says whether a selector, with or without matchLabels, takes pods with these labels.
func selects(t *testing.T, selector yaml.Node, labels map[string]string) bool {
	t.Helper()
	want := map[string]string{}
	nested := struct {
		MatchLabels *map[string]string `yaml:"matchLabels"`
	}{&want}
	if err := selector.Decode(&nested); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 && selector.Decode(&want) != nil {
		t.Fatal("no labels are selected")
	}
	for k, v := range want {
		if labels[k] != v {
			return false
		}
	}
	return len(want) > 0
}

// secretsOf are the files of each secret that the README makes in a folder.
func secretsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, m := range regexp.MustCompile(`kubectl create secret generic (\S+) (.*)`).FindAllStringSubmatch(deployed(t, "kubernetes", "README.md"), -1) {
		for from := range strings.SplitSeq(m[2], "--from-file ") {
			if from = strings.TrimSpace(from); from == "" {
				continue
			}
			name := filepath.Join(dir, from)
			files, err := filepath.Glob(filepath.Join(name, "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 {
				files = []string{name}
			}
			all[m[1]] = append(all[m[1]], files...)
		}
	}
	return all
}

// TestSystemd: systemd takes the unit, and shadowd its command.
func TestSystemd(t *testing.T) {
	t.Parallel()
	unit := deployed(t, "systemd", "shadowd.service")
	start := regexp.MustCompile(`(?m)^ExecStart=(shadowd) (.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatal("the unit does not start shadowd")
	}
	if err := parses(t, strings.Fields(start[2])); err != nil {
		t.Errorf("%s: %v", start[2], err)
	}
	if want := fmt.Sprintf("\nRestartPreventExitStatus=%d\n", hint.ExitUsage); !strings.Contains(unit, want) {
		t.Errorf("the unit does not say %s", want)
	}
	systemd, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("systemd-analyze is not here")
	}
	shadowd, err := exec.LookPath("shadowd")
	if err != nil {
		t.Fatal(err)
	}
	file := written(t, "shadowd.service", strings.Replace(unit, "ExecStart=shadowd", "ExecStart="+shadowd, 1))
	if out, err := exec.CommandContext(t.Context(), systemd, "verify", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
