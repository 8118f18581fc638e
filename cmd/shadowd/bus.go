package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// busCmd groups what belongs to a NATS server of one's own.
type busCmd struct {
	Config busConfigCmd `cmd:"" help:"Print the configuration of a nats-server with the account wall, and create the keys."`
}

// busConfigCmd prints the text that the embedded server runs, for a server or a cluster of one's own.
type busConfigCmd struct {
	Commanders []string      `placeholder:"ID" required:"" help:"The commanders' ids, separated by commas."`
	Consensus  []string      `placeholder:"NAME" default:"main" help:"Names of the consensus services (default ${default})."`
	Reviewers  []string      `placeholder:"NAME" help:"Names of people who review, as they stand in reviews."`
	Auditors   []string      `placeholder:"NAME" default:"main" help:"Names of the auditors (default ${default})."`
	Nkeys      string        `placeholder:"DIR" default:"nkeys" help:"Where the keys are (default ${default}): NAME.nk, or NAME.pub if only the public key is here. What is missing is created."`
	Prefix     string        `default:"swarm" help:"The first part of every subject."`
	Listen     string        `placeholder:"HOST:PORT" default:"127.0.0.1:4222" help:"Where clients connect (default ${default})."`
	StoreDir   string        `placeholder:"DIR" default:"/var/lib/nats" help:"Where the server keeps its streams (default ${default})."`
	Sync       time.Duration `placeholder:"TIME" help:"How often the server syncs to the disk; without it always, before it acknowledges."`
	TLSCert    string        `name:"tls-cert" and:"tls" placeholder:"FILE" help:"The server's certificate."`
	TLSKey     string        `name:"tls-key" and:"tls" placeholder:"FILE" help:"The certificate's key."`
	ServerName string        `placeholder:"NAME" default:"shadowd" help:"The server's name (default ${default}); in a cluster, each has its own."`
	Cluster    string        `and:"cluster" placeholder:"NAME" help:"The cluster's name, for one server of several."`
	Routes     []string      `and:"cluster" placeholder:"URL" help:"The servers of the cluster: nats://HOST:6222,…"`
	TLSCA      string        `name:"tls-ca" placeholder:"FILE" help:"The authority of the certificates of a cluster's servers, which then use TLS among themselves."`
	Context    string        `placeholder:"USER" help:"Print the context of this user for the nats command line instead."`
	RouteAt    string        `placeholder:"HOST:PORT" default:"127.0.0.1:6222" help:"Where the other servers of the cluster connect (default ${default})."`
}

func (cmd busConfigCmd) Run(a *app) error {
	if err := cmd.check(); err != nil {
		return hint.Usage(err, "")
	}
	users, err := cmd.users(a)
	if err != nil {
		return err
	}
	if cmd.Context != "" {
		return cmd.printContext(a, users)
	}
	password := ""
	if cmd.Cluster != "" {
		if password, err = keys.Password(filepath.Join(cmd.Nkeys, "routes.password")); err != nil {
			return fmt.Errorf("the password of the cluster: %w", err)
		}
	}
	o := broker.Options{
		Name:       cmd.ServerName,
		Listen:     cmd.Listen,
		DataDir:    cmd.StoreDir,
		Sync:       cmd.Sync,
		MaxPayload: daemon.MaxEnvelope,
		TLSCert:    cmd.TLSCert,
		TLSKey:     cmd.TLSKey,
		Subjects:   layout.Subjects{Prefix: cmd.Prefix},
		Users:      users,

		Cluster: cmd.Cluster, RoutesListen: cmd.RouteAt, RoutesPassword: password, Routes: cmd.Routes, RoutesCA: cmd.TLSCA,
	}
	_, err = fmt.Fprint(a.Stdout, broker.Heading(o, cmd.Nkeys), broker.Config(o))
	return err
}

// printContext prints a context of the nats command line: where the bus is, and how one user logs in and reads.
func (cmd busConfigCmd) printContext(a *app, users []layout.User) error {
	i := slices.IndexFunc(users, func(u layout.User) bool { return u.Name == cmd.Context })
	if i < 0 {
		return hint.Usage(fmt.Errorf("--context: there is no user %q", cmd.Context), "the users are those of --commanders, --consensus, --reviewers and --auditors, nexus, operator and shadowd")
	}
	u := users[i]
	seed, err := filepath.Abs(filepath.Join(cmd.Nkeys, u.Name+".nk"))
	if err != nil {
		return err
	}
	scheme := "nats://"
	if cmd.TLSCert != "" {
		scheme = "tls://"
	}
	c := map[string]string{"description": fmt.Sprintf("%s of shadowd (%s)", u.Name, u.Role), "url": scheme + cmd.Listen, "nkey": seed}
	if !u.Inside() {
		c["jetstream_api_prefix"], c["inbox_prefix"] = layout.APIPrefix, u.InboxPrefix()
	}
	return a.JSON(c)
}

// users are those of the configuration, with their public keys.
func (cmd busConfigCmd) users(a *app) ([]layout.User, error) {
	users := []layout.User{{Name: config.OwnUser, Role: layout.RoleShadowd}, {Name: config.OperatorUser, Role: layout.RoleOperator}, {Name: layout.AuthorNexus, Role: layout.RoleNexus}}
	for _, of := range []struct {
		role  layout.Role
		names []string
	}{
		{layout.RoleCommander, cmd.Commanders}, {layout.RoleConsensus, cmd.Consensus}, {layout.RoleReviewer, cmd.Reviewers}, {layout.RoleAuditor, cmd.Auditors},
	} {
		for _, name := range of.names {
			u := layout.User{Name: string(of.role) + "-" + name, Role: of.role}
			if of.role == layout.RoleCommander {
				u.Commander = name
			}
			users = append(users, u)
		}
	}
	// Names become file names, so they are looked at first.
	for i := range users {
		users[i].PasswordHash = "$2a$"
	}
	if err := layout.CheckUsers(users); err != nil {
		return nil, hint.Usage(err, "give ids of 1 to 54 letters, digits, - and _, all different")
	}
	created := 0
	for i := range users {
		public, isNew, err := keys.NamedUser(cmd.Nkeys, users[i].Name)
		if err != nil {
			return nil, fmt.Errorf("the key of %s: %w", users[i].Name, err)
		}
		users[i].NKey, users[i].PasswordHash = public, ""
		if isNew {
			created++
		}
	}
	if created > 0 {
		fmt.Fprintf(a.Stderr, "shadowd: %s created in %s: give each NAME.nk to the one it is named after and to nobody else\n", shadow.Count(created, "key"), cmd.Nkeys)
	}
	return users, nil
}

func (cmd busConfigCmd) check() error {
	if err := layout.CheckPrefix(cmd.Prefix); err != nil {
		return fmt.Errorf("--prefix: %w", err)
	}
	if cmd.TLSCA != "" && (cmd.Cluster == "" || cmd.TLSCert == "") {
		return errors.New("--tls-ca is for a cluster with --tls-cert")
	}
	for _, r := range cmd.Routes {
		if u, err := url.Parse(r); err != nil || u.Host == "" || u.User != nil {
			return fmt.Errorf("--routes: %q: name each server as nats://HOST:PORT", r)
		}
	}
	return nil
}

type doctorCmd struct {
	Server string `placeholder:"URL" required:"" help:"The bus to examine."`
	Nkeys  string `placeholder:"DIR" default:"nkeys" help:"Where the keys are (default ${default}), as shadowd bus config makes them."`
	CA     string `name:"ca" placeholder:"FILE" help:"Certificates to trust beside the system's."`
	All    bool   `help:"Print also what is as it should be."`
	configFlag
}

func (cmd doctorCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if wrong := broker.CheckURLs(cmd.Server); wrong != "" || cmd.Server == "" {
		return hint.Usage(errors.New("--server: "+wrong), "")
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
	found = append(found, visit.Examine(ctx, layout.Subjects{Prefix: cfg.Bus.Prefix}, users)...)
	t := a.Terminal()
	wrong, err := render.Examined(t, found, cmd.All)
	if wrong > 0 && err == nil {
		err = hint.Failed(fmt.Errorf("the wall of %s is not as it should be", broker.Redact(cmd.Server)), doctor.Hint(found))
	}
	return err
}

// users are those whose seeds are in the directory; the name says the role. On the
// server inside a shadowd, its operator alone is inside the account of the streams.
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
	var users []doctor.User
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
		case own == "" || file == own || !u.Inside():
			users = append(users, u)
		}
	}
	return users, nil
}
