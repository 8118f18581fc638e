package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
)

type doctorCmd struct {
	Server string `placeholder:"URL" required:"" help:"The bus to examine."`
	Nkeys  string `placeholder:"DIR" default:"nkeys" help:"Where the keys are (default ${default}), as shadowd bus config makes them."`
	Prefix string `default:"swarm" help:"The first part of every subject."`
	CA     string `name:"ca" placeholder:"FILE" help:"Certificates to trust beside the system's."`
	All    bool   `help:"Print also what is as it should be."`
	configFlag
}

func (cmd doctorCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if wrong := broker.CheckURLs(cmd.Server); wrong != "" || cmd.Server == "" {
		return hint.Usage(errors.New("--server: "+wrong), "")
	}
	if err := layout.CheckPrefix(cmd.Prefix); err != nil {
		return hint.Usage(fmt.Errorf("--prefix: %w", err), "")
	}
	users, err := cmd.users(a, cfg)
	if err != nil {
		return err
	}
	options := []nats.Option{nats.Name("shadowd doctor")}
	if cmd.CA != "" {
		options = append(options, nats.RootCAs(cmd.CA))
	}
	visit := doctor.NewExaminer(cmd.Server, options...)
	found, err := visit.ExamineUnknown()
	if err != nil {
		return hint.Failed(err, "is a nats-server running there?")
	}
	examining, end := a.Progress(ctx)
	var operator *nats.Conn
	for _, u := range users {
		if !u.Inside() {
			break
		}
		if nc, err := visit.ConnectAs(u); err == nil {
			defer nc.Close()
			operator = nc
		}
	}
	found = append(found, visit.Examine(examining, layout.Subjects{Prefix: cmd.Prefix}, users, operator)...)
	end()
	t := a.Terminal()
	if operator == nil {
		a.Warn("neither the operator nor shadowd could be tried, so it was not tried to have answers written into the account of the streams")
	}
	wrong, err := render.Examined(t, found, cmd.All)
	if wrong > 0 && err == nil {
		err = hint.Failed(fmt.Errorf("the wall of %s is not as it should be", broker.Redact(cmd.Server)), doctor.ConfigHint)
	}
	return err
}

// users are those whose seeds are in the directory; the name says the role.
// Those inside the account of the streams come first. On the server inside a
// shadowd these are its operator alone.
func (cmd doctorCmd) users(a *app, cfg *config.Config) ([]doctor.User, error) {
	files, err := filepath.Glob(filepath.Join(cmd.Nkeys, "*.nk"))
	if err != nil || len(files) == 0 {
		return nil, hint.Usage(fmt.Errorf("--nkeys: there are no keys (*.nk) in %s", cmd.Nkeys), "make them with: shadowd bus config --commanders ID,ID")
	}
	own := ""
	if _, err := os.Stat(cfg.OperatorKeyFile()); err == nil && cfg.Bus.URL == "" {
		own = cfg.OperatorKeyFile()
		files = append(files, own)
	}
	configured, err := daemon.Users(cfg)
	if err != nil {
		return nil, err
	}
	var inside, others []doctor.User
	for _, file := range files {
		u := doctor.User{User: doctor.UserNamed(strings.TrimSuffix(filepath.Base(file), ".nk")), Login: func() (nats.Option, error) { return nats.NkeyOptionFromSeed(file) }}
		if u.NKey, err = keys.PublicUser(file); err != nil {
			return nil, err
		}
		switch {
		case layout.CheckUsers([]layout.User{u.User}) != nil:
			a.Warn(fmt.Sprintf("%s is left out: its name is not that of a role", file))
		case own != "" && len(configured) > 0 && file != own && !slices.ContainsFunc(configured, func(c layout.User) bool { return c.NKey == u.NKey }):
			a.Warn(fmt.Sprintf("%s is left out: it is in %s, but not in bus.users", file, cmd.Nkeys))
		case u.Role != layout.RoleOperator && u.Role != layout.RoleShadowd:
			others = append(others, u)
		case own == "" || file == own:
			inside = append(inside, u)
		}
	}
	return append(inside, others...), nil
}
