package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
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
	_, token := HTTPToken(&cfg.HTTP)
	page := setting("http.listen", broker.CheckListen(cfg.HTTP.Listen))
	page = errors.Join(page, checkCertificate("http.cert_file", cfg.HTTP.CertFile, cfg.HTTP.KeyFile))
	errs := []error{participants, judged(cfg.Seal.Authors, cfg.Judging.Panel), users, token, page, checkNotify(&cfg.Notify), checkLogin(cfg)}
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
