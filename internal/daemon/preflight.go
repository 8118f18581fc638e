package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/doctor"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// Check finds what [Start] would refuse, as far as no bus is needed to tell. It stores
// nothing. Start needs the participants that it returns.
func Check(cfg *config.Config, getenv func(string) string) (*Participants, error) {
	p, participants := NewParticipants(cfg, getenv, cfg.Seal.Authors, cfg.Judging.Panel)
	_, users := Users(cfg)
	word, token := HTTPToken(&cfg.HTTP)
	_, reviewers := reviewerTokens(&cfg.HTTP, word)
	_, secret := notifySecret(cfg.Notify.SecretFile)
	errs := []error{
		participants, judged(cfg.Seal.Authors, cfg.Judging.Panel), users, token, reviewers, secret,
		checkCertificate("http.cert_file", cfg.HTTP.CertFile, cfg.HTTP.KeyFile),
		checkLogin("bus.credentials", cfg.Bus.Credentials), checkLogin("bus.nkey", cfg.Bus.NKey),
	}
	if cfg.Bus.URL == "" {
		errs = append(errs, checkCertificate("bus.tls", cfg.Bus.TLS.Cert, cfg.Bus.TLS.Key))
		if _, err := keys.PublicUser(cfg.OperatorKeyFile()); err != nil && !keys.Missing(err) {
			errs = append(errs, operatorError(err))
		}
	}
	for _, kind := range []keys.Kind{keys.Envelope, keys.Signing} {
		_, err := cfg.KeyPlace(kind).Check()
		errs = append(errs, err)
	}
	return p, errors.Join(errs...)
}

// setting puts the name of a setting before an error.
func setting(name string, err error) error {
	if err == nil {
		return nil
	}
	return hint.Usage(fmt.Errorf("%s: %w", name, err), "")
}

// checkLogin finds a file that is no credentials, or that others can read.
func checkLogin(name, file string) error {
	if file == "" {
		return nil
	}
	text, err := keys.ReadSecret(file)
	if err == nil {
		if _, err = nkeys.ParseDecoratedNKey(text); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	return setting(name, err)
}

// checkCertificate finds files that are no certificate with its key.
func checkCertificate(name, cert, key string) error {
	if cert == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(cert, key)
	return setting(name, err)
}

// checkWall says whether the wall is known to hold. The server inside shadowd has it by
// its configuration. On another one shadowd tries as each user of bus.users what must be
// refused, and what must not, and does not claim what it cannot try.
func (d *Daemon) checkWall(ctx context.Context) bool {
	if d.server != nil {
		return d.server.Walled()
	}
	const claim = ", so reports claim conformance level 1"
	visit := doctor.NewExaminer(d.cfg.Bus.URL, nats.Name("shadowd, trying the wall"))
	found, err := visit.ExamineUnknown()
	if err != nil {
		d.log.Warn("it could not be tried whether users without an account get in"+claim, "error", err)
		return false
	}
	var users []doctor.User
	for i, u := range d.users {
		if u.Role != layout.RoleOperator {
			users = append(users, doctor.User{User: u, Login: func() (nats.Option, error) { return login(d.cfg.Bus.Users[i]) }})
		}
	}
	found = append(found, visit.Examine(ctx, d.store.Subjects, users)...)
	var wrong []string
	for _, f := range found {
		switch {
		case f.Tried == doctor.Connect:
			wrong = append(wrong, f.User+": "+f.Note)
		case f.Allowed != f.Wanted:
			wrong = append(wrong, f.User+": "+f.Tried)
		}
	}
	switch {
	case len(wrong) > 0:
		d.log.Warn("the server has no wall, one with holes, or one that could not be tried as everybody"+claim+"; shadowd doctor lists all of it",
			"first", wrong[:min(len(wrong), 10)], "count", len(wrong))
	case !slices.ContainsFunc(d.users, func(u layout.User) bool { return u.Role == layout.RoleCommander }):
		d.log.Warn("the wall was not tried, since bus.users names no commander" + claim)
	default:
		d.log.Info("the wall holds for everybody that bus.users names", "users", len(d.cfg.Bus.Users), "tried", len(found))
		return true
	}
	return false
}
