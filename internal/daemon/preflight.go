package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// Check finds what Start would refuse, as far as no bus is needed to tell: files
// of criteria, keys of models, users and their files, services that nobody may
// run, credentials, certificates and keys. It creates nothing.
func Check(cfg *config.Config, getenv func(string) string) error {
	_, participants := NewParticipants(cfg, getenv)
	users, unread := Users(cfg)
	if unread == nil {
		unread = CheckServices(users, cfg.Services())
	}
	_, token := HTTPToken(&cfg.HTTP)
	return errors.Join(participants, unread, token, checkFiles(cfg), cfg.KeyPlace(keys.Envelope).Check(), cfg.KeyPlace(keys.Signing).Check())
}

// checkFiles finds files of the bus that are missing or are no good.
func checkFiles(cfg *config.Config) error {
	var errs []error
	for _, f := range []struct{ setting, file string }{{"bus.credentials", cfg.Bus.Credentials}, {"bus.nkey", cfg.Bus.NKey}} {
		if f.file == "" {
			continue
		}
		text, err := os.ReadFile(f.file)
		if err == nil {
			_, err = nkeys.ParseDecoratedNKey(text)
		}
		if err != nil {
			errs = append(errs, hint.Usage(fmt.Errorf("%s: %s: %w", f.setting, f.file, err), ""))
		}
	}
	if t := cfg.Bus.TLS; t.Cert != "" {
		if _, err := tls.LoadX509KeyPair(t.Cert, t.Key); err != nil {
			errs = append(errs, hint.Usage(fmt.Errorf("bus.tls: %w", err), ""))
		}
	}
	if info, err := os.Stat(cfg.Bus.DataDir); err == nil && !info.IsDir() {
		errs = append(errs, hint.Usage(fmt.Errorf("bus.data_dir: %s is no directory", cfg.Bus.DataDir), ""))
	}
	return errors.Join(errs...)
}
