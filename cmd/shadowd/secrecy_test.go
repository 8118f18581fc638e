package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestSecretsStayInTheirFiles plays a run on a walled bus whose daemon logs all it can, and has the operator do
// everything that there is to do, right and wrong. No key and no password is in a log or in what a command prints,
// and sealed text only where the operator asks for it.
func TestSecretsStayInTheirFiles(t *testing.T) {
	t.Parallel()
	const password = "correct-horse-battery"
	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			stranger, err := nkeys.CreateUser()
			if err != nil {
				t.Fatal(err)
			}
			seed, err := stranger.Seed()
			if err != nil {
				t.Fatal(err)
			}
			config := fmt.Sprintf("shadow_scoring: {hardening: {timeout: 1s}}\nlog: {level: debug, format: %s}\nbus:\n  listen: \"127.0.0.1:0\"\n  data_dir: %q\n  max_bytes: 100MiB\n  users:\n    - {name: nexus, role: nexus, nkey: %s}\n    - {name: main, role: consensus, password_file: %q}\n",
				format, data, bustest.UserKey(t), written(t, "main.password", password+"\n"))
			r := startRun(t, reading(t, config))
			url := r.says(`nats://127\.0\.0\.1:\d+`)
			own := operatorConfig(t, url, data)
			env := []string{"SHADOWD_ENVELOPE_KEY=" + data + "/envelope.nk", "SHADOWD_SIGNING_KEY=" + data + "/signing.pem"}
			secrets := map[string]string{"the password": password, "a stranger's seed": string(seed)}
			said := map[string]string{}
			do := func(want int, args ...string) string {
				t.Helper()
				code, out, errs := ended(t, env, args...)
				if code != want {
					t.Errorf("shadowd %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
				}
				said[strings.Join(args, " ")] = out + errs
				return out
			}
			do(hint.ExitClean, "replay", "--config", own, "--server", url, smallRun)
			for _, name := range []string{"envelope.nk", "operator.nk", "signing.pem"} {
				text, err := os.ReadFile(filepath.Join(data, name))
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(text)) {
					if line = strings.TrimSpace(line); len(line) > 40 && !strings.HasPrefix(line, "#") {
						secrets[name] = line
					}
				}
			}
			public := do(hint.ExitClean, "keys", "public", "--config", own)
			attested := do(hint.ExitClean, "report", "run-small", "--config", own, "--format", "intoto")
			do(hint.ExitClean, "verify", written(t, "attested", attested), "--key", written(t, "public.pem", public))
			do(hint.ExitClean, "runs", "--config", own)
			do(hint.ExitClean, "audit", "--all", "--config", own)
			do(hint.ExitClean, "audit", "run-small", "--config", own, "--format", "json")
			do(hint.ExitClean, "config", "--config", own)
			do(hint.ExitFailed, "audit", "nobody", "--config", own)
			opened := do(hint.ExitClean, "open", "run-small", "--config", own, "--format", "json")
			var asked struct {
				Envelope shadow.Envelope `json:"sealed_envelope"`
			}
			if err := json.Unmarshal([]byte(opened), &asked); err != nil || len(asked.Envelope.Criteria) == 0 {
				t.Fatalf("%v\n%s", err, opened)
			}
			// What is asked for wrongly.
			wrong := written(t, "wrong.nk", string(seed))
			garbled := written(t, "garbled.nk", secrets["envelope.nk"][1:]+"\n"+secrets["operator.nk"]+"X\n")
			env[0] = "SHADOWD_ENVELOPE_KEY=" + wrong
			do(hint.ExitFailed, "open", "run-small", "--config", own)
			env[0] = "SHADOWD_ENVELOPE_KEY=" + garbled
			do(hint.ExitFailed, "audit", "run-small", "--config", own)
			env[0] = "SHADOWD_ENVELOPE_KEY=" + data + "/envelope.nk"
			env[1] = "SHADOWD_SIGNING_KEY=" + data + "/operator.nk"
			do(hint.ExitFailed, "keys", "public", "--config", own)
			env[1] = "SHADOWD_SIGNING_KEY=" + written(t, "public-only.pem", public)
			do(hint.ExitFailed, "keys", "public", "--config", own)
			do(hint.ExitFailed, "runs", "--config", written(t, "stranger.yml", fmt.Sprintf("bus: {url: %q, nkey: %q}\n", url, wrong)))
			do(hint.ExitFailed, "runs", "--config", written(t, "guess.yml", fmt.Sprintf("bus: {url: %q}\n", strings.Replace(url, "//", "//main:"+password+"@", 1))))
			env[1] = "SHADOWD_SIGNING_KEY=" + data + "/signing.pem"
			r.signal(syscall.SIGTERM)
			r.wantExit(hint.ExitClean)
			said["the log"] = r.log()
			if !strings.Contains(r.log(), "judged") || len(secrets) != 5 {
				t.Fatalf("%d secrets, and the log is\n%s", len(secrets), r.log())
			}

			seeds := regexp.MustCompile(`\bS[UX][A-Z2-7]{56}\b|PRIVATE KEY-----`)
			for who, text := range said {
				for name, secret := range secrets {
					if strings.Contains(text, secret) || len(secret) > 40 && strings.Contains(text, secret[1:40]) {
						t.Errorf("%s shows %s", who, name)
					}
				}
				if s := seeds.FindString(text); s != "" {
					t.Errorf("%s shows a key: %.10s…", who, s)
				}
				// The story of a replay has the reports in it.
				if strings.HasPrefix(who, "open ") || strings.HasPrefix(who, "replay ") {
					continue
				}
				text = plainWords(text)
				for _, s := range sealedTexts(&asked.Envelope) {
					words := plainWords(s)
					if words = words[:min(len(words), 40)]; len(words) >= 12 && strings.Contains(text, words) {
						t.Errorf("%s shows %q", who, words)
					}
				}
			}
		})
	}
}
