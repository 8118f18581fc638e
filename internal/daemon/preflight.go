package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// Check finds what [Start] would refuse, as far as no bus is needed to tell: files
// of criteria, keys of models, users and their files, credentials, certificates,
// keys, addresses, the data directory. What is in use it does not refuse: that may
// be by the daemon of this configuration. It stores nothing. Start needs the
// participants that it returns.
func Check(cfg *config.Config, getenv func(string) string) (*Participants, error) {
	p, participants := NewParticipants(cfg, getenv, cfg.Seal.Authors, cfg.Judging.Panel)
	_, users := Users(cfg)
	word, token := HTTPToken(&cfg.HTTP)
	_, reviewers := reviewerTokens(&cfg.HTTP, word)
	_, secret := notifySecret(cfg.Notify.SecretFile)
	page := setting("http.listen", broker.CheckListen(cfg.HTTP.Listen))
	page = errors.Join(page, checkCertificate("http.cert_file", cfg.HTTP.CertFile, cfg.HTTP.KeyFile))
	errs := []error{participants, judged(cfg.Seal.Authors, cfg.Judging.Panel), users, token, reviewers, page, secret, checkLogin(cfg)}
	if cfg.Bus.URL == "" {
		errs = append(errs, checkServer(cfg))
	}
	return p, errors.Join(append(errs, checkKeys(cfg))...)
}

// setting puts the name of a setting before an error. An address that is in use
// is no error of the setting.
func setting(name string, err error) error {
	if err == nil || errors.Is(err, syscall.EADDRINUSE) {
		return nil
	}
	return hint.Usage(fmt.Errorf("%s: %w", name, err), "")
}

// checkLogin finds files that are no credentials, or that others can read.
func checkLogin(cfg *config.Config) error {
	var errs []error
	for _, f := range []struct{ name, file string }{{"bus.credentials", cfg.Bus.Credentials}, {"bus.nkey", cfg.Bus.NKey}} {
		if f.file == "" {
			continue
		}
		text, err := keys.ReadSecret(f.file)
		if err == nil {
			if _, err = nkeys.ParseDecoratedNKey(text); err != nil {
				err = fmt.Errorf("%s: %w", f.file, err)
			}
		}
		errs = append(errs, setting(f.name, err))
	}
	return errors.Join(errs...)
}

// checkServer finds what keeps the embedded server from starting.
func checkServer(cfg *config.Config) error {
	listen := setting("bus.listen", broker.CheckListen(cfg.Bus.Listen))
	certificate := checkCertificate("bus.tls", cfg.Bus.TLS.Cert, cfg.Bus.TLS.Key)
	_, err := keys.PublicUser(cfg.OperatorKeyFile())
	if keys.Missing(err) {
		err = nil
	}
	return errors.Join(listen, certificate, setting("bus.data_dir", checkCreatable(cfg.Bus.DataDir)), operatorError(err))
}

// checkCertificate finds files that are no certificate with its key.
func checkCertificate(name, cert, key string) error {
	if cert == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(cert, key)
	return setting(name, err)
}

// checkKeys finds keys that cannot be read, and a place for new ones that cannot
// be made. That of the embedded server has been looked at.
func checkKeys(cfg *config.Config) error {
	var errs []error
	made := cfg.Bus.URL == ""
	for _, kind := range []keys.Kind{keys.Envelope, keys.Signing} {
		missing, err := cfg.KeyPlace(kind).Check()
		if missing && err == nil && !made {
			made, err = true, setting("bus.data_dir", checkCreatable(cfg.Bus.DataDir))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkCreatable says why files cannot be stored in a directory, which may have
// to be made first. It tries to create a file, since the mode of a directory
// does not bind root and does not show a read-only file system.
func checkCreatable(dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if keys.Missing(err) && at != filepath.Dir(at) {
			continue
		}
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no directory: name another one", at)
		} else if err == nil {
			var file *os.File
			if file, err = os.CreateTemp(at, ".shadowd-*"); err == nil {
				err = errors.Join(file.Close(), os.Remove(file.Name()))
			}
			if err != nil {
				err = fmt.Errorf("%s cannot be written: %w: name another directory, or give it to the user that runs shadowd", at, err)
			}
		}
		if err != nil && at != filepath.Clean(dir) {
			err = fmt.Errorf("%s cannot be made: %w", dir, err)
		}
		return err
	}
}

// checkWall says whether the wall is known to protect the secrets from the
// swarm. The server inside shadowd has it by its configuration. On another
// server, shadowd tries as each user of bus.users what must be refused, and
// does not claim what it cannot try.
func (d *Daemon) checkWall(ctx context.Context) bool {
	if d.server != nil {
		return d.server.Walled()
	}
	const claim = ", so reports claim conformance level 1"
	visit := doctor.NewExaminer(d.cfg.Bus.URL, nats.Name("shadowd, trying the wall"))
	unknown, err := visit.ExamineUnknown()
	if err != nil {
		d.log.Warn("it could not be tried whether users without an account get in"+claim, "error", err)
		return false
	}
	found := visit.Examine(ctx, d.store.Subjects, d.usersToTry(), d.nc)
	var open, broken, untried []string
	for _, f := range append(unknown, found...) {
		switch {
		case f.Tried == doctor.Connect:
			untried = append(untried, f.User+": "+f.Note)
		case f.Allowed && !f.Wanted:
			open = append(open, f.User+": "+f.Tried)
		case !f.Allowed && f.Wanted:
			broken = append(broken, f.User+": "+f.Tried)
		}
	}
	if len(broken) > 0 {
		d.log.Warn("the server refuses users what they are for: "+doctor.ConfigHint, "refused", firstTen(broken), "count", len(broken))
	}
	switch {
	case len(open) > 0:
		d.log.Warn("the server has no wall, or one with holes"+claim+"; shadowd doctor lists all of it", "possible", firstTen(open), "count", len(open))
	case len(untried) > 0:
		d.log.Warn("the wall could not be tried as everybody"+claim, "not_tried", firstTen(untried), "count", len(untried))
	case !slices.ContainsFunc(d.users, func(u layout.User) bool { return u.Role == layout.RoleCommander }):
		d.log.Warn("the wall was not tried, since bus.users names no commander" + claim)
	default:
		d.log.Info("the wall holds for everybody that bus.users names", "users", len(d.cfg.Bus.Users), "tried", len(found)+len(unknown))
		return true
	}
	return false
}

// usersToTry are the users that are to be tried: those beyond the wall.
func (d *Daemon) usersToTry() (all []doctor.User) {
	for i, u := range d.users {
		if u.Role == layout.RoleOperator {
			continue
		}
		all = append(all, doctor.User{User: u, Login: func() (nats.Option, error) {
			login, err := login(d.cfg.Bus.Users[i])
			if login == nil && err == nil {
				err = errors.New("bus.users has its public key only: give nkey_file")
			}
			return login, err
		}})
	}
	return all
}

// firstTen are the first of a list that may be long.
func firstTen(all []string) []string { return all[:min(len(all), 10)] }
