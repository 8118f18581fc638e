// Command shadowd is a sealed-envelope quality gate for agent swarms on NATS.
//
// Exit codes: 0 clean, 1 failed, 2 wrong usage or wrong configuration.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// cli is the command line. Each command is a struct in the file of its subject,
// with a method Run, which is handed what it takes (a context.Context, *app,
// *config.Config, *openedBus). Its longer help, with examples, is a text in help.
type cli struct {
	Init    initCmd    `cmd:"" help:"Write a first configuration and a first file of criteria."`
	Run     runCmd     `cmd:"" help:"Run the daemon."`
	Demo    demoCmd    `cmd:"" help:"Play a whole swarm run and show what happens."`
	Replay  replayCmd  `cmd:"" help:"Publish the events of a file and follow the runs to their end."`
	Score   scoreCmd   `cmd:"" help:"Score the results of a test suite."`
	Report  reportCmd  `cmd:"" help:"Show the reports of a run."`
	Runs    runsCmd    `cmd:"" help:"List the runs on the bus."`
	Watch   watchCmd   `cmd:"" help:"Show what happens in a run, as it happens."`
	Explain explainCmd `cmd:"" help:"Explain to the operator how a bundle was judged."`
	Review  reviewCmd  `cmd:"" help:"Say, as a person, what a bundle is worth."`
	Judge   judgeCmd   `cmd:"" help:"Calibrate judges on labelled examples."`
	Audit   auditCmd   `cmd:"" help:"Derive a run again and list what is not as it must be."`
	Open    openCmd    `cmd:"" help:"Open a run's envelope, which is recorded."`
	Check   checkCmd   `cmd:"" help:"Test a file of criteria by its examples, or try a check on a text."`
	Seal    sealCmd    `cmd:"" help:"Show what criteria a decomposition would get, with --dry-run."`
	Verify  verifyCmd  `cmd:"" help:"Check signed attestations, offline."`
	Keys    keysCmd    `cmd:"" help:"Create, rotate and show the keys."`
	Config  configCmd  `cmd:"" help:"Check the configuration and print what is in effect."`
	Bus     busCmd     `cmd:"" help:"Prepare a NATS server of your own."`
	Doctor  doctorCmd  `cmd:"" help:"Try on a bus what each role must not be able to do."`
	Status  statusCmd  `cmd:"" help:"Say whether the daemon is ready, and how it is doing."`

	Version kong.VersionFlag `help:"Print the version in one line."`
}

// app is what a command may touch of the process around it.
type app struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string   // KEY=value, as os.Environ gives it
	bus            *openedBus // that the command opened; closed behind it
}

// Getenv is the value of an environment variable; empty if it is not set.
func (a *app) Getenv(name string) string { return config.Getenv(a.Environ, name) }

// Warn tells the user about something that does not stop the command.
func (a *app) Warn(what string) {
	t := a.terminal(a.Stderr)
	t.Printf("%s %s\n", t.Paint(render.Bold, "shadowd: warning:"), shadow.Line(what))
}

// Terminal is the standard output for people.
func (a *app) Terminal() *render.Terminal { return a.terminal(a.Stdout) }

// terminal has colour if w is a terminal, unless NO_COLOR is set or it knows none.
func (a *app) terminal(w io.Writer) *render.Terminal {
	return render.NewTerminal(w, a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb")
}

// logger logs to standard error: text for a person at a terminal, JSON for a machine, or what format says.
func (a *app) logger(format string, level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if format == "text" || format == "auto" && render.IsTerminal(a.Stderr) {
		return slog.New(slog.NewTextHandler(a.Stderr, opts))
	}
	return slog.New(slog.NewJSONHandler(a.Stderr, opts))
}

// JSON prints one value, indented.
func (a *app) JSON(v any) error { return render.WriteJSON(a.Stdout, v) }

// printAs prints a value as JSON, or as text by show.
func printAs[T any](a *app, format string, v T, show func(*render.Terminal, T) error) error {
	if format == "json" {
		return a.JSON(v)
	}
	return show(a.Terminal(), v)
}

func main() {
	if os.Getenv("GOGC") == "" {
		// The heap is small, and collecting it half as often takes 8 % fewer instructions: docs/performance.md.
		debug.SetGCPercent(200)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], &app{Stdin: stdin{os.Stdin, ctx}, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ()}))
}

// stdin is the standard input of a command. A read ends with the context: on a
// terminal, or on a pipe that nobody closes, it would outlast a signal.
type stdin struct {
	file io.Reader
	ctx  context.Context
}

func (s stdin) Read(p []byte) (int, error) {
	text := make([]byte, len(p)) // the caller has p back while this is still read
	var n int
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, err = s.file.Read(text)
	}()
	select {
	case <-done:
		return copy(p, text[:n]), err
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// run parses args, runs the command they name and returns the exit code.
func run(ctx context.Context, args []string, a *app) int {
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(args[1:len(args):len(args)], "--help")
	}
	helped := false
	parser, err := kong.New(&cli{},
		kong.Name("shadowd"),
		kong.Description("A sealed-envelope quality gate for agent swarms on NATS.\n\nshadowd help COMMAND explains a command, with examples."),
		kong.Writers(a.Stdout, a.Stderr),
		variables(),
		// Help calls Exit and parsing goes on behind it, so its outcome no longer counts.
		kong.Exit(func(int) { helped = true }),
		kong.PostBuild(explain),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(a),
	)
	if err != nil {
		return a.report(fmt.Errorf("setting up the command line: %w", err))
	}
	command, err := parser.Parse(args)
	if helped {
		return hint.ExitClean
	}
	if err == nil {
		err = noEmptyFlag(command)
	}
	if err != nil {
		return a.report(hint.Usage(err, "shadowd help COMMAND explains a command and its flags"))
	}
	err = command.Run()
	if a.bus != nil {
		a.bus.close()
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	return a.report(err)
}

//go:embed help
var helpFiles embed.FS

// explain gives each command its longer help: help/bus-config.txt is that of shadowd bus config.
func explain(k *kong.Kong) error {
	for _, command := range k.Model.Leaves(false) {
		text, err := helpFiles.ReadFile("help/" + strings.ReplaceAll(command.Path(), " ", "-") + ".txt")
		if err != nil {
			return err
		}
		command.Detail = string(text)
	}
	return nil
}

// variables are what the tags of flags refer to.
func variables() kong.Vars {
	vars := kong.Vars{"version": fmt.Sprintf("shadowd %s (%s)", version(), runtime.Version())}
	vars["run_formats"], vars["run_formats_help"] = render.Describe(render.RunFormats)
	vars["suite_formats"], vars["suite_formats_help"] = render.Describe(render.SuiteFormats)
	return vars
}

// stamp is the version of a release. The linker sets it:
//
//	go build -ldflags "-X main.stamp=v1.2.3" ./cmd/shadowd
var stamp string

// version is that of this build. Without a stamp it is the module's, which Go makes
// of the commit; (devel) where it knows none.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && stamp == "" {
		return strings.Trim(info.Main.Version, "()")
	}
	return stamp
}

// noEmptyFlag refuses a flag that is given and empty, such as from a variable that is not set: the default would hold.
func noEmptyFlag(command *kong.Context) error {
	for _, p := range command.Path {
		if p.Flag != nil && p.Flag.Target.Kind() == reflect.String && p.Flag.Target.Len() == 0 {
			return fmt.Errorf("--%s is empty: name what you mean, or leave it out", p.Flag.Name)
		}
	}
	return nil
}

// errSilent ends a command that has failed and whose output says why.
var errSilent = errors.New("")

// report prints err, each of its lines with the name of the program, and its hint, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return hint.ExitClean
	}
	var f *hint.Error
	if !errors.As(err, &f) {
		f = &hint.Error{Code: hint.ExitFailed}
	}
	t := a.terminal(a.Stderr)
	for line := range strings.Lines(err.Error()) {
		t.Printf("%s %s\n", t.Paint(render.Red, "shadowd:"), shadow.Printable(strings.TrimSuffix(line, "\n")))
	}
	if f.Hint != "" {
		t.Printf("%s %s\n", t.Paint(render.Bold, "shadowd: hint:"), shadow.Line(f.Hint))
	}
	return f.Code
}
