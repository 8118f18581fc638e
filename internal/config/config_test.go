package config

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var update = flag.Bool("update", false, "rewrite the expected messages of testdata")

// badConfigs are the files of testdata: NAME.yml is wrong, NAME.txt is
// what must be said about it.
func badConfigs(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files in testdata (%v): expected at least 40", len(files), err)
	}
	return files
}

func TestBadConfigs(t *testing.T) {
	line := regexp.MustCompile(`^[a-z0-9-]+\.yml:[1-9][0-9]*: .*(allowed|must be|minimum|maximum|needed|missing|is none of|not YAML|is not|is empty|are equal|control character)`)
	for _, file := range badConfigs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(filepath.Base(file), text, nil)
			if err == nil {
				t.Fatal("accepted")
			}
			golden := strings.TrimSuffix(file, ".yml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, readErr := os.ReadFile(golden)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			for _, l := range strings.Split(err.Error(), "\n") {
				if !line.MatchString(l) {
					t.Errorf("%q does not say file, line and what is allowed", l)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("shows the password of the test files")
			}
		})
	}
}

// A file of another program gets an answer that a person can read.
func TestTooMuch(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("# filler\n", 2<<20/9+1):                                  "other.yml:1: the file has more than 1048576 bytes",
		strings.Repeat("a: 1\n", 50_000):                                         "is it the right file?",
		"shadow_scoring:\n  categories:\n" + strings.Repeat("    - x\n", 30_000): "is it the right file?",
		"families:\n" + strings.Repeat("  - {}\n", 15_000):                       "is it the right file?",
	} {
		file := filepath.Join(t.TempDir(), "other.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") > 50 {
			t.Errorf("error %v", err)
		}
	}
}

// The file at the root shows every setting with its default.
func TestRootConfig(t *testing.T) {
	text, err := os.ReadFile("../../config.yml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var all yaml.Node
	defaults, err := YAML(Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(defaults, &all); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nodePaths(all.Content[0], ""), nodePaths(doc.Content[0], "")); diff != "" {
		t.Errorf("keys of config.yml (-struct +file):\n%s", diff)
	}
	if !strings.HasPrefix(string(text), "# yaml-language-server: $schema=") {
		t.Error("config.yml names no schema for editors")
	}
	for i, line := range strings.Split(string(text), "\n") {
		if len(line) > 80 {
			t.Errorf("config.yml:%d is longer than 80 characters", i+1)
		}
	}
}

func nodePaths(n *yaml.Node, path string) []string {
	var paths []string
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			here := path + "." + n.Content[i].Value
			paths = append(append(paths, here), nodePaths(n.Content[i+1], here)...)
		}
	}
	return paths
}

func TestEmptyIsDefault(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only a comment\n", "---\n", "~", "{}", "bus:\n  # url: nats://bus:4222\nlog:\n", "\ufefflog: {}", "log: {level: info}\r\n", "---\nlog: {}\n...\n"} {
		c, err := Parse("config.yml", []byte(text), nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if diff := cmp.Diff(Default(), c); diff != "" {
			t.Errorf("%q is not the defaults:\n%s", text, diff)
		}
	}
}

// The block that swarms share works alone and unchanged.
func TestSharedBlock(t *testing.T) {
	c, err := Parse("config.yml", []byte(`
shadow_scoring:
  enabled: false
  spec_version: "1.0.0"
  conformance_level: "L2"
  sealed_criteria_count: 7
  hardening:
    enabled: true
    max_cycles: 3
    threshold: 30
  categories:
    - security
    - happy_path
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.ShadowScoring = ShadowScoring{
		SpecVersion: "1.0.0", ConformanceLevel: "L2", SealedCriteriaCount: 7,
		Hardening:  Hardening{Enabled: true, MaxCycles: 3, Threshold: 30, Timeout: 10 * time.Minute},
		Categories: []shadow.Category{shadow.Security, shadow.HappyPath},
	}
	want.Scales.SS100.Criteria, want.Scales.SS250.Criteria = 7, 7
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Schema and struct have the same settings. schemas holds what both take against
// each other.
func TestSchemaMatchesTypes(t *testing.T) {
	var schema map[string]any
	text, err := os.ReadFile("../../schemas/config.json")
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	var match func(at string, s map[string]any, goType reflect.Type)
	match = func(at string, s map[string]any, goType reflect.Type) {
		ref, _ := s["$ref"].(string)
		if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
			s = schema["$defs"].(map[string]any)[name].(map[string]any)
		}
		if goType.Kind() == reflect.Slice {
			match(at+"[]", s["items"].(map[string]any), goType.Elem())
		}
		if goType.Kind() != reflect.Struct {
			return
		}
		props := s["properties"].(map[string]any)
		var fields []string
		for f := range goType.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if name == "-" {
				continue // no setting
			}
			fields = append(fields, name)
			if prop, ok := props[name].(map[string]any); ok {
				match(at+"."+name, prop, f.Type)
			}
		}
		slices.Sort(fields)
		if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(props))); diff != "" || s["additionalProperties"] != false {
			t.Errorf("%s (-Go +schema), unknown keys %v:\n%s", at, s["additionalProperties"], diff)
		}
	}
	match("config", schema, reflect.TypeFor[Config]())
}

func TestListen(t *testing.T) {
	for address, want := range map[string]string{ // to whom it is open where it may be, and where it may not
		"127.0.0.1:4222": "both", "127.8.9.1:1": "both", "[::1]:4222": "both", "localhost:65535": "both",
		"0.0.0.0:4222": "open", "[::]:0": "open", ":4222": "open", "10.0.0.1:1": "open", "[::ffff:10.0.0.1]:4222": "open",
		"": "", "127.0.0.1:65536": "", "127.0.0.1:-1": "", "127.0.0.1:": "", "*:4222": "", "::1:4222": "", "[::1%lo]:4222": "", "[fe80::1%lo]:4222": "",
		"localhost.evil.example:4222": "", "10.0.0.1": "",
	} {
		got := map[[2]bool]string{{true, true}: "both", {false, true}: "open"}[[2]bool{addressProblem(address, false, "") == "", addressProblem(address, true, "") == ""}]
		if got != want {
			t.Errorf("listen %q: accepted %q, want %q", address, got, want)
		}
	}
}

// The environment goes before the file, and is named where it is wrong.
func TestEnvironment(t *testing.T) {
	const seed = "SXAHGK4NGUJMIT4SQHNNZGCLGEDRVJSZ4NEAGWNZF5MG2NGZTC6FTWLNFQ"
	for _, c := range []struct {
		file    string
		environ []string
		want    string // of the error, with nothing secret
	}{
		{"bus: {url: 'nats://file:4222', nkey: file.nk}", []string{"SHADOWD_BUS_URL=tls://u:p@env:4222", "SHADOWD_BUS_NKEY=", "SHADOWD_ENVELOPE_KEY=/run/key=1"}, ""},
		{"bus: {url: 'nats://u:p@file:4222', nkey: file.nk}", []string{"SHADOWD_BUS_CREDENTIALS=x.creds", "SHADOWD_BUS_URL=http://u:secret@x"}, "SHADOWD_BUS_URL: bus.url: server 1 has another scheme"},
		{"", []string{"SHADOWD_ENVELOPE_KEY=a\tb"}, "SHADOWD_ENVELOPE_KEY: keys.envelope: there is a control character in it"},
		{"keys: {signing: " + seed + "}", nil, "config.yml:1: keys.signing: this is a key itself: allowed is the name of a file that holds it"},
		{"", []string{"SHADOWD_ENVELOPE_KEY=" + seed}, "SHADOWD_ENVELOPE_KEY: keys.envelope: this is a key itself"},
		{"", []string{"SHADOWD_BUS_CREDENTIALS=x.creds"}, "SHADOWD_BUS_CREDENTIALS: bus.credentials: it is how to log in at bus.url, which is empty"},
	} {
		got, err := Parse("config.yml", []byte(c.file), c.environ)
		switch {
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), seed)):
			t.Errorf("error %v, want %s", err, c.want)
		case c.want == "" && (err != nil || got.Bus.URL != "tls://u:p@env:4222" || got.Bus.NKey != "file.nk" || got.Keys.Envelope != "/run/key=1"):
			t.Errorf("%v, %+v", err, got)
		}
	}
}

// Whatever the file holds, the loader answers with errors that name it, or
// with a configuration that passes its own checks again.
func FuzzConfig(f *testing.F) {
	for _, file := range append(badConfigs(f), "../../config.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("bus: {url: 'nats://u:p@h:4222', credentials: \"a\\u00e9 'b\\\"\", replicas: 3, prefix: A.b-c, max_age: 900d, max_bytes: 10GB}\nrun: {timeout: 7d12h}\ngates: {missing: 100}\n"))
	f.Add([]byte("models: [{name: m, model: 'ollama:x', price: {input: 0.25, output: 2}}]\njudging: {wait: 0s, panel: [m, {model: 'openai:g', name: n}], budget: {time: 1h30m}}\nlog: {level: debug}\n"))
	f.Add([]byte("a: &a [*a, *a]\nb: {<<: *a}\n"))
	f.Add([]byte("? {}\n: !!binary x\n"))
	f.Add([]byte("%YAML 1.1\n--- |\n x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("f.yml", text, nil)
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !regexp.MustCompile(`^f\.yml:[1-9][0-9]*: `).MatchString(line) {
					t.Errorf("%q does not name file and line", line)
				}
			}
			return
		}
		printed, err := YAML(c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("g.yml", printed, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if diff := cmp.Diff(c, back); diff != "" {
			t.Errorf("(-printed +read):\n%s", diff)
		}
		if strings.ContainsAny(c.Bus.Prefix, "*> \t\r\n") || !slices.Contains([]string{"1.0.0", "2.0.0"}, c.ShadowScoring.SpecVersion) {
			t.Errorf("accepted %+v", c)
		}
	})
}

// TestUserPatterns: a * stands for what the files have in its place, and is the id of
// a commander.
func TestUserPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"c-one.nk", "c-two.nk", "c-two.pub", "p-judge", "c-b d.nk"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for users, want := range map[string]string{
		"{name: cmd-*, role: commander, nkey_file: c-t*.nk}":                                                      "cmd-wo wo c-two.nk",
		"{name: '*', role: commander, nkey_file: '*.pub'}":                                                        "c-two c-two c-two.pub",
		"{name: cmd-*, role: commander, nkey_file: ./c-t*.nk}":                                                    "cmd-wo wo c-two.nk",
		"{name: cmd-*, role: commander, nkey_file: ././/c-t*.nk}":                                                 "cmd-wo wo c-two.nk",
		"{name: consensus-*, role: consensus, password_file: p-*}, {name: x, role: nexus, nkey_file: c-x.nk}":     "consensus-judge  p-judge, x  c-x.nk",
		"{name: cmd-*, role: commander, nkey_file: none-*.nk}":                                                    `no file fits "none-*.nk", or its directory cannot be read: make the keys first`,
		"{name: cmd-*, role: commander, nkey_file: c-*.nk}":                                                       "the name is no id",
		"{name: cmd-*, role: commander, nkey_file: c-one.nk}":                                                     "a pattern has a * in its name and in its file",
		"{name: cmd, role: commander, nkey_file: c-*.nk}":                                                         "a pattern has a * in its name and in its file",
		"{name: cmd-*, role: commander, commander: x, nkey_file: c-*.pub}":                                        "a pattern has a * in its name and in its file",
		"{name: cmd-*, role: commander, nkey_file: c-t*.nk}, {name: cmd-*, role: commander, nkey_file: c-t*.pub}": "user cmd-wo is there twice",
	} {
		c, err := Parse("config.yml", []byte("bus: {users: ["+users+"]}"), nil)
		var got []string
		if err != nil {
			got = append(got, err.Error())
		} else {
			for _, u := range c.Bus.Users {
				got = append(got, u.Name+" "+u.Commander+" "+u.NKeyFile+u.PasswordFile)
			}
		}
		if all := strings.Join(got, ", "); err == nil && all != want || !strings.Contains(all, want) {
			t.Errorf("%s: got %s, want %s", users, all, want)
		}
	}
}

// TestChanged names what differs, a list as one setting.
func TestChanged(t *testing.T) {
	a, b := Default(), Default()
	b.Log.Level, b.Gates.Enforce = "debug", !b.Gates.Enforce
	b.Bus.Users = []User{{Name: "x"}}
	if got := Changed(a, b); !slices.Equal(got, []string{"gates.enforce", "bus.users", "log.level"}) || len(Changed(a, Default())) > 0 {
		t.Errorf("%q", got)
	}
}
