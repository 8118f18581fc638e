package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// A daemon whose configuration asks services says at its start which of them
// answer, and uses them: an author's criteria and a judge's votes are in the
// envelope and the reports, with the models that the services state.
func TestServices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, _, code := command(t, "bus", "config", "--commanders", "cmd-service,cmd-guide", "--judges", "strict,gone", "--authors", "legal", "--nkeys", dir)
	if code != hint.ExitClean {
		t.Fatal(code)
	}
	_, users, _ := strings.Cut(ownConfig(t, text), "users:\n")
	r := startRun(t, fmt.Sprintf("shadow_scoring: {hardening: {timeout: 1s}}\nlog: {level: info}\n"+
		"seal: {authors: [rules, {service: legal, family: house}]}\njudging: {panel: [{service: strict, family: house}, {service: gone}]}\n"+
		"bus:\n  listen: 127.0.0.1:0\n  data_dir: %q\n  max_bytes: 100MiB\n  users:\n%s", filepath.Join(dir, "data"), users))
	url := r.url()
	r.says(`"a service does not answer yet".*shadow.judge.gone`)
	serveAs(t, url, dir, "judge-strict", "shadow.judge.strict", `{"outcome":"failed","actual":"it is not said","model":"grader-1"}`)
	serveAs(t, url, dir, "author-legal", "shadow.author.legal", `{"model":"lawyer-1","criteria":[
		{"category":"happy_path","assertion":"It is polite","expected":"polite words","messages":{"service":"Mind your manners","guide":"Mind your manners"}}]}`)
	own := filepath.Join(dir, "own.yml")
	if err := os.WriteFile(own, fmt.Appendf(nil, "bus: {listen: %q, data_dir: %q}\n", strings.TrimPrefix(url, "nats://"), filepath.Join(dir, "data")), 0o600); err != nil {
		t.Fatal(err)
	}
	events, warned, code := command(t, "replay", "--format", "json", "--config", own, "--server", url, smallRun)
	if code != hint.ExitClean || !strings.Contains(warned, "warning: gone had no vote on 7 of 7 questions: shadow.judge.gone: nobody answers") {
		t.Errorf("exit code %d: %s", code, warned)
	}
	for _, rep := range count(t, outputEvents(t, events)).last {
		said := fmt.Sprintf("%+v", rep.Swarm.Judges)
		if !strings.Contains(said, "grader-1") || len(rep.Swarm.Ballots) == 0 {
			t.Errorf("the report on %s is by %s, with %d ballots", rep.Swarm.Domain, said, len(rep.Swarm.Ballots))
		}
		if !strings.Contains(fmt.Sprint(rep.Report.SealAuthorModels), "lawyer-1") {
			t.Errorf("the envelope is by %v", rep.Report.SealAuthorModels)
		}
	}
	out := shadowd(t, "doctor", "--config", own, "--server", url, "--nkeys", dir)
	for _, want := range []string{"judge-strict answers on shadow.judge.strict: version 1.0.0", "judge-gone shadow.judge.gone: nobody answers", " 0 not as expected"} {
		if !strings.Contains(oneSpace(out), want) {
			t.Errorf("the doctor does not say %q:\n%s", want, out)
		}
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
}

// serveAs answers everything with the same reply.
func serveAs(t *testing.T, url, keys, user, subject, reply string) {
	t.Helper()
	login, err := nats.NkeyOptionFromSeed(filepath.Join(keys, user+".nk"))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := connect(url, login, nats.CustomInboxPrefix("_INBOX_"+user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	_, err = micro.AddService(nc, micro.Config{Name: user, Version: "1.0.0",
		Endpoint: &micro.EndpointConfig{Subject: subject, Handler: micro.HandlerFunc(func(r micro.Request) { _ = r.Respond([]byte(reply)) })}})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// Services that nobody is named for are refused: in development mode anybody
// could be them.
func TestServicesNeedUsers(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"judging: {panel: [{service: strict}]}\n", "the judge strict is a service, and no user in bus.users may run it"},
		{"seal: {authors: [{service: legal}]}\n", "the author legal is a service, and no user in bus.users may run it"},
	} {
		r := startRun(t, c.config+embedded(t.TempDir()))
		r.wantExit(hint.ExitUsage)
		if !strings.Contains(r.log(), c.want) || !strings.Contains(r.log(), "role: ") {
			t.Errorf("it says %s", r.log())
		}
	}
}
