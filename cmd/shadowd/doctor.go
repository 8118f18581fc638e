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

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
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

func (doctorCmd) Help() string {
	return `Connects as each role there is a key for, and as a stranger, and tries what the role may do and what it must not: publishing as others, forging reports, reading and writing the bucket, listening, and having the server's answers written where the role may not write. Nothing is changed, whatever the server allows. Exits with 1 if anything is not as it should be. The operator's key of a server inside shadowd is found by the configuration.

Examples:

    shadowd doctor --server nats://127.0.0.1:4222 --nkeys nkeys
    shadowd doctor --server tls://bus:4222 --ca bus.pem --all`
}

func (cmd doctorCmd) Run(ctx context.Context, a *app) error {
	if wrong := config.CheckURL(cmd.Server); wrong != "" || cmd.Server == "" {
		return hint.Usage(errors.New("--server: "+wrong), "")
	}
	if wrong := config.CheckPrefix(cmd.Prefix); wrong != "" {
		return hint.Usage(errors.New("--prefix: "+wrong), "")
	}
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	users, err := cmd.users(a, cfg)
	if err != nil {
		return err
	}
	options := []nats.Option{nats.Name("shadowd doctor")}
	if cmd.CA != "" {
		options = append(options, nats.RootCAs(cmd.CA))
	}
	visit := bus.NewVisitor(cmd.Server, options...)
	found, err := visit.Strangers()
	if err != nil {
		return hint.Failed(err, "is a nats-server running there?")
	}
	var operator *nats.Conn
	for _, u := range users {
		nc, more, err := cmd.examine(visit, u, operator)
		if err != nil {
			return err
		}
		if nc != nil {
			defer nc.Close()
			if u.inside() {
				operator = nc // they come first
			}
		}
		found = append(found, more...)
	}
	t := a.Terminal()
	if operator == nil {
		a.Warn("neither the operator nor shadowd could be tried, so it was not tried to have answers written into the account of the streams, nor to reach services")
	} else {
		services(ctx, t, operator, users)
	}
	wrong, err := render.Examined(t, found, cmd.All)
	if wrong > 0 && err == nil {
		err = hint.Failed(fmt.Errorf("the wall of %s is not as it should be", config.Redact(cmd.Server)), "print the server's configuration with shadowd bus config, and load it")
	}
	return err
}

// examine connects as a user and tries what it may do. nc is nil where it
// cannot connect.
func (cmd doctorCmd) examine(visit bus.Visitor, u seedUser, operator *nats.Conn) (nc *nats.Conn, found []bus.Finding, err error) {
	login, err := nats.NkeyOptionFromSeed(u.file)
	if err == nil {
		nc, err = visit.As(u.user, login)
	}
	if err != nil {
		return nil, []bus.Finding{{User: u.user.Name, Tried: "connect", Wanted: true, Note: err.Error()}}, nil
	}
	found, err = (bus.Layout{Prefix: cmd.Prefix}).Examine(nc, u.user, operator)
	return nc, found, err
}

// services says of each judge and author whether it answers, and who it says it
// is. One that does not run is no fault of the wall's.
func services(ctx context.Context, t *render.Terminal, operator *nats.Conn, users []seedUser) {
	for _, u := range users {
		if u.user.Service() == "" {
			continue
		}
		said := "answers on " + bus.ServiceSubject(u.user.Role, u.user.Service())
		info, err := bus.FindService(ctx, operator, u.user.Role, u.user.Service())
		if err != nil {
			said = err.Error()
		} else {
			said += ": " + info.String()
		}
		t.Printf("%s %s\n", u.user.Name, said)
	}
}

// seedUser is a user with the file of its seed.
type seedUser struct {
	user bus.User
	file string
}

func (p seedUser) inside() bool {
	return p.user.Role == bus.RoleOperator || p.user.Role == bus.RoleShadowd
}

// users are those whose seeds are in the directory; the name says the role.
// Those inside the account of the streams come first. On the server inside a
// shadowd these are its operator alone.
func (cmd doctorCmd) users(a *app, cfg *config.Config) ([]seedUser, error) {
	files, err := filepath.Glob(filepath.Join(cmd.Nkeys, "*.nk"))
	if err != nil || len(files) == 0 {
		return nil, hint.Usage(fmt.Errorf("--nkeys: there are no keys (*.nk) in %s", cmd.Nkeys), "make them with: shadowd bus config --commanders ID,ID")
	}
	own := ""
	if _, err := os.Stat(cfg.OperatorKeyFile()); err == nil && cfg.Bus.URL == "" {
		own = cfg.OperatorKeyFile()
		files = append(files, own)
	}
	var users []seedUser
	for _, file := range files {
		p, err := seedUserOf(file)
		switch {
		case err != nil:
			return nil, err
		case bus.CheckUsers([]bus.User{p.user}) != nil:
			a.Warn(fmt.Sprintf("%s is left out: its name is not that of a role", file))
		case own == "" || file == own || !p.inside():
			users = append(users, p)
		}
	}
	inside := slices.DeleteFunc(slices.Clone(users), func(u seedUser) bool { return !u.inside() })
	return append(inside, slices.DeleteFunc(users, seedUser.inside)...), nil
}

func seedUserOf(file string) (seedUser, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".nk")
	role, id, _ := strings.Cut(name, "-")
	u := bus.User{Name: name, Role: bus.Role(role)}
	if u.Role == bus.RoleCommander {
		u.Commander = id
	}
	var err error
	u.NKey, err = keys.PublicUser(file)
	return seedUser{u, file}, err
}
