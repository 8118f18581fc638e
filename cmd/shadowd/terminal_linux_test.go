package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"golang.org/x/sys/unix"
)

// pseudoTerminal is a terminal of 80 columns. shown ends it and tells what was
// written to it.
func pseudoTerminal(t *testing.T) (tty *os.File, shown func() string) {
	t.Helper()
	fatal := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	fatal(err)
	t.Cleanup(func() { screen.Close() })
	fatal(unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	fatal(err)
	fatal(unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	fatal(err)
	t.Cleanup(func() { tty.Close() })
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&text, screen) // it ends in an error when nobody has the terminal open
	}()
	return tty, func() string {
		tty.Close()
		<-done
		return text.String()
	}
}

// TestProgress: on a terminal, what may take long says on standard error how far
// it is, and takes the line away. Nothing of it is in the output, and without a
// terminal nothing is said.
func TestProgress(t *testing.T) {
	_, env := judgedBus(t)
	url, _ := scriptedModels(t)
	env = append(env, "MODEL_KEY=x")
	judges := " --config " + calibrationConfig(t, url)
	for args, want := range map[string][]string{
		"audit --all --format json": {"messages read of OUT: 0", "messages read of IN: 0", "runs audited: 0 of 1"},
		"runs --format json":        {"messages read of IN: 0"},
		"report r --format json":    {"messages read of OUT: 0"},
		"judge --format json --calibrate " + calibrationFile + judges: {"knows: questions answered: 0 of 12", "kind: questions answered: 0 of 12"},
	} {
		tty, shown := pseudoTerminal(t)
		var plain, silent, stdout bytes.Buffer
		for _, a := range []*app{{Stdout: &plain, Stderr: &silent}, {Stdout: &stdout, Stderr: tty}} {
			a.Stdin, a.Environ = strings.NewReader(""), env
			run(t.Context(), strings.Fields(args), a)
		}
		said, piped := shown(), plain.String()+silent.String()+stdout.String()
		for _, w := range want {
			if !strings.Contains(said, "\r"+w) {
				t.Errorf("%s: the terminal does not show %q:\n%q", args, w, said)
			}
			if strings.Contains(piped, w) {
				t.Errorf("%s: progress is shown without a terminal:\n%s", args, piped)
			}
		}
		// Behind it there is a line of spaces, and the cursor at its beginning.
		_, left, _ := strings.Cut(said, "\r"+want[len(want)-1])
		if !regexp.MustCompile(`\r +\r[^\r]*(\r\n|$)`).MatchString(left) {
			t.Errorf("%s: the line stays: %q", args, said)
		}
	}
}

// onTerminal runs a command whose output and whose standard error are terminals.
func onTerminal(t *testing.T, env []string, args string) (stdout, stderr string) {
	t.Helper()
	out, said := pseudoTerminal(t)
	errs, complained := pseudoTerminal(t)
	run(t.Context(), strings.Fields(args), &app{Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Environ: env})
	return said(), complained()
}

// piped runs a command without any terminal and returns all that it prints.
func piped(t *testing.T, env []string, args string) string {
	t.Helper()
	var out bytes.Buffer
	run(t.Context(), strings.Fields(args), &app{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: env})
	return out.String()
}

// TestColour: every command that prints for people does so in colour on a
// terminal, but not with NO_COLOR, and not where no terminal is.
func TestColour(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := embedded(data) + fmt.Sprintf("http: {listen: %q}\n", free.Addr())
	free.Close()
	url := startRun(t, config).url()
	write := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	env := []string{"SHADOWD_BUS_URL=" + url, "SHADOWD_BUS_NKEY=" + filepath.Join(data, "operator.nk"), "MODEL_KEY=x"}
	endpoint, _ := scriptedModels(t)
	write("small.jsonl", readFile(t, smallRun))
	write("examples.jsonl", readFile(t, calibrationFile))
	write("models.yml", readFile(t, calibrationConfig(t, endpoint)))
	write("results.json", `{"tests": [{"name": "a", "status": "passed", "category": "happy_path"}]}`)
	write("text.md", "One word.\n")
	write("daemon.yml", config)
	if err := os.Mkdir(filepath.Join(dir, "nkeys"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("nkeys/operator.nk", readFile(t, filepath.Join(data, "operator.nk")))
	t.Chdir(dir)
	const c = " --config daemon.yml"
	piped(t, env, "replay --server "+url+" small.jsonl")
	write("small.intoto", piped(t, env, "report run-small --format intoto"+c))
	write("shadowd.pub", piped(t, env, "keys public"+c))

	// A log, an exit code, and what machines read; the demo is below.
	others := []string{"run", "config", "keys public", "bus config", "demo"}
	once := []string{"init", "keys rotate signing" + c}
	often := []string{
		"check criteria.yml", "check criteria.yml --text text.md", "score --sealed results.json --format text", "replay small.jsonl",
		"check true --text text.md", "seal --dry-run small.jsonl",
		"status" + c, "runs" + c, "report run-small" + c, "watch run-small" + c,
		"explain run-small service" + c, "review run-small service" + c, "open run-small" + c, "audit run-small" + c, "doctor --server " + url + c,
		"judge --calibrate examples.jsonl --config models.yml", "verify small.intoto --key shadowd.pub",
		"keys create" + c,
	}
	coloured := func(args string) {
		if said, errs := onTerminal(t, env, args); !strings.Contains(said, "\x1b[") {
			t.Errorf("%s: no colour: %q %q", args, said, errs)
		}
	}
	for _, args := range once[:1] {
		coloured(args)
	}
	for _, args := range often {
		coloured(args)
		said, errs := onTerminal(t, append(env, "NO_COLOR=1"), args)
		for where, text := range map[string]string{"with NO_COLOR": said + errs, "where no terminal is": piped(t, env, args)} {
			if text == "" || strings.Contains(text, "\x1b") {
				t.Errorf("%s: %s it prints %q", args, where, text)
			}
		}
	}
	for _, args := range once[1:] {
		coloured(args)
	}
	if said, _ := onTerminal(t, append(env, "TERM=dumb"), "check criteria.yml"); strings.Contains(said, "\x1b") {
		t.Errorf("a dumb terminal gets %q", said)
	}
	if _, errs := onTerminal(t, env, "runs --surplus"); !strings.Contains(errs, "\x1b[31mshadowd:\x1b[0m") {
		t.Errorf("an error is not red: %q", errs)
	}

	parser, err := kong.New(&cli{}, kong.Name("shadowd"), variables())
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		name := strings.TrimPrefix(leaf.FullPath(), "shadowd ")
		if !slices.ContainsFunc(slices.Concat(once, often, others), func(args string) bool { return strings.HasPrefix(args+" ", name+" ") }) {
			t.Errorf("%s is not tried", name)
		}
	}
}

// TestColourDemo is apart, since the demo takes seconds, most of which it waits.
func TestColourDemo(t *testing.T) {
	t.Parallel()
	if said, _ := onTerminal(t, nil, "demo"); !strings.Contains(said, "\x1b[") {
		t.Errorf("it shows %q", said)
	}
}
