package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// auditCmd re-derives what is stored of runs.
type auditCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run."`
	All    bool   `help:"Audit all runs, and what belongs to none."`
	Format string `enum:"text,json" default:"text" help:"text lists the findings; json is one document with them."`
	configFlag
}

func (auditCmd) Help() string {
	return `Reads a run from the bus, opens its envelope with the envelope key of the configuration, derives everything again and lists what is not as it must be: the seal and its order, every verdict, number, decision, deadline, request and rejection. It changes nothing and prints no sealed text. docs/audit.md explains each finding. With --all the whole log is held in memory. Exit codes: 0 nothing but notes, 1 findings, 2 wrong usage.

Examples:

    shadowd audit my-run
    shadowd audit --all --format json | jq '.findings[] | select(.severity == "error")'`
}

func (cmd auditCmd) Run(ctx context.Context, a *app) error {
	if (cmd.ID == "") != cmd.All {
		return hint.Usage(errors.New("audit what? name a run, or say --all"), "shadowd runs lists the runs on the bus")
	}
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	var runs []string
	if !cmd.All {
		if err := b.isRun(cmd.ID); err != nil {
			return err
		}
		runs = []string{cmd.ID}
	}
	key, err := readRing(b.cfg)
	if err != nil {
		return hint.Failed(err, "audit opens envelopes, so it needs the envelope key: run it where the daemon's data directory is, or set SHADOWD_ENVELOPE_KEY")
	}
	defer key.Wipe()
	signers, err := keys.ReadPublic(b.cfg.KeyPlace(keys.Signing).File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("signing key: %w", err)
	}
	if signers == nil {
		a.Warn("the signing key is not here, so signatures are not checked: set SHADOWD_SIGNING_KEY to its file, or to what shadowd keys public prints")
	}
	found, err := b.layout.AuditSigned(ctx, b.js, key, signers, runs...)
	if err != nil {
		return fmt.Errorf("auditing %s: %w", b.nc.ConnectedUrlRedacted(), err)
	}
	if !cmd.All && found.Runs == 0 {
		return hint.Failed(fmt.Errorf("there is no run %s on %s", cmd.ID, b.nc.ConnectedUrlRedacted()), "shadowd runs lists the runs on the bus")
	}
	s := auditSummary{Runs: found.Runs, Events: found.Events, Outputs: found.Outputs, Findings: found.Findings}
	if err := s.print(a.Stdout, cmd.Format); err != nil {
		return err
	}
	if s.Errors > 0 {
		return hint.Failed(errors.New(plural(s.Errors, "error")+" in what is stored"), "docs/audit.md explains each finding")
	}
	return nil
}

// isRun refuses what cannot be the name of a run.
func (b *openedBus) isRun(name string) error {
	if _, err := b.layout.Parse(b.layout.RunScored(name)); err != nil {
		return hint.Usage(fmt.Errorf("%.80q cannot be the name of a run: names are 1 to 64 letters, digits, - and _", name), "shadowd runs lists the runs on the bus")
	}
	return nil
}

// auditSummary is an audit as it is printed.
type auditSummary struct {
	Runs     int             `json:"runs"`
	Events   int             `json:"events"`
	Outputs  int             `json:"outputs"`
	Errors   int             `json:"errors"`
	Notes    int             `json:"notes"`
	Findings []audit.Finding `json:"findings"`
}

func (s *auditSummary) print(w io.Writer, format string) error {
	for _, f := range s.Findings {
		if f.Severity == audit.Error {
			s.Errors++
		} else {
			s.Notes++
		}
	}
	if format == "json" {
		if s.Findings == nil {
			s.Findings = []audit.Finding{}
		}
		e := render.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	var b strings.Builder
	for i := range s.Findings {
		writeFinding(&b, &s.Findings[i])
	}
	fmt.Fprintf(&b, "%s audited, %s and %s: %s, %s\n", plural(s.Runs, "run"), plural(s.Events, "event"),
		plural(s.Outputs, "output"), plural(s.Errors, "error"), plural(s.Notes, "note"))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFinding writes a finding in a few lines. What it quotes is untrusted.
func writeFinding(b *strings.Builder, f *audit.Finding) {
	place := []string{shadow.Printable(f.Run)}
	if f.Domain != "" {
		place = append(place, shadow.Printable(f.Domain), fmt.Sprint("cycle ", f.Cycle))
	}
	if f.Sequence > 0 {
		place = append(place, fmt.Sprint(f.Stream, " ", f.Sequence))
	}
	fmt.Fprintf(b, "%-5s  %s  %s\n", f.Severity, f.Code, strings.Join(place, ", "))
	fmt.Fprintf(b, "       %s\n", audit.Codes[f.Code].Says)
	if f.Stored != "" {
		fmt.Fprintf(b, "       stored  %s\n", shadow.Printable(f.Stored))
	}
	if f.Want != "" {
		fmt.Fprintf(b, "       wanted  %s\n", shadow.Printable(f.Want))
	}
}
