package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"golang.org/x/crypto/bcrypt"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/notify"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// minToken: so many random characters cannot be guessed.
const minToken = 20

// HTTPToken is the token of the page; empty where none is asked for.
func HTTPToken(h *config.HTTP) (string, error) {
	if h.TokenFile == "" {
		return "", nil
	}
	return readToken("http.token_file", h.TokenFile)
}

// reviewerTokens are the names of the page's reviewers, by their tokens.
func reviewerTokens(h *config.HTTP, token string) (map[string]string, error) {
	names := map[string]string{token: "http.token_file"}
	for _, r := range h.Reviewers {
		own, err := readToken("http.reviewers: "+r.Name, r.TokenFile)
		if err != nil {
			return nil, err
		}
		if other := names[own]; other != "" {
			return nil, hint.Usage(fmt.Errorf("http.reviewers: the token of %s is that of %s too: give each its own", r.Name, other), "")
		}
		names[own] = r.Name
	}
	delete(names, token)
	return names, nil
}

// readToken reads the token of a setting from its file.
func readToken(setting, file string) (string, error) {
	return fromFile(setting, file, "-hex", func(token string) (string, error) {
		if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", fmt.Errorf("it holds no token: one is %d or more printable ASCII characters", minToken)
		}
		return token, nil
	})
}

// notifySecret reads the secret of a webhook; nil where no file is named.
func notifySecret(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return fromFile("notify.secret_file", file, "-base64", notify.ParseSecret)
}

// fromFile reads the first line of the file of a setting. The hint is how to make one.
func fromFile[T any](setting, file, encoding string, parse func(string) (T, error)) (value T, err error) {
	text, err := keys.FirstLine(file)
	if err == nil {
		if value, err = parse(text); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err != nil {
		err = hint.Usage(fmt.Errorf("%s: %w", setting, err), fmt.Sprintf("make one with: openssl rand %s 32 > %[2]s && chmod 600 %[2]s", encoding, file))
	}
	return value, err
}

// keys reads the daemon's own keys, or creates them at the first start. What
// the bus holds must be theirs, and the bus is claimed for them.
func (d *Daemon) keys(ctx context.Context) (nkeys.KeyPair, *attest.Signer, error) {
	envelope, err := d.key(ctx, keys.Envelope, "a new envelope key was created; back it up: without it sealed envelopes cannot be opened")
	if err != nil {
		return nil, nil, err
	}
	key := envelope.Ring()
	d.started("keys", func(context.Context) error {
		key.Wipe()
		return nil
	})
	signing, err := d.key(ctx, keys.Signing, "a new signing key was created; back it up, and give its public key (shadowd keys public) to those who check reports")
	if err != nil {
		return nil, nil, err
	}
	d.signers = signing.Public()
	page, err := ReviewKey(d.cfg)
	if err == nil && page != nil {
		defer page.Wipe()
		d.pageKey, err = page.PublicKey()
	}
	return key, signing.Signer(), err
}

// key opens or creates a key and claims the bus for it. A rotated key has a claim of
// the one before it.
func (d *Daemon) key(ctx context.Context, kind keys.Kind, createdNote string) (*keys.Set, error) {
	claim, err := bus.Claimed(ctx, d.store, string(kind))
	if err != nil {
		return nil, err
	}
	place := d.cfg.KeyPlace(kind)
	k, created, err := place.Open(claim.ID)
	if err != nil {
		return nil, err
	}
	if created {
		d.log.Warn(createdNote, "file", place.String())
	}
	err = bus.ClaimKey(ctx, d.store, string(kind), k.IDs(kind)[0], claim)
	if errors.Is(err, bus.ErrClaimed) {
		err = hint.Failed(err, fmt.Sprintf("copy the %s key of that daemon to %s; docs/keys.md says how", kind, place))
	}
	return k, err
}

// Users are the users of the configuration with their files read: of passwords only the
// hashes, of seeds the public keys.
func Users(c *config.Config) ([]layout.User, error) {
	var users []layout.User
	for _, u := range c.Bus.Users {
		b := u.BusUser()
		var err error
		switch {
		case u.PasswordFile != "":
			if b.PasswordHash, err = hashPassword(u.PasswordFile); err != nil {
				return nil, hint.Usage(fmt.Errorf("bus.users: the password of %s: %w", u.Name, err), "write the password into the file, alone on its first line, and chmod 600 it")
			}
		case u.NKeyFile != "":
			if b.NKey, err = keys.PublicUser(u.NKeyFile); err != nil {
				return nil, hint.Usage(fmt.Errorf("bus.users: the nkey of %s: %w", u.Name, err), "shadowd bus config makes keys; where the seed is not at hand, give its public key instead: nkey: U…")
			}
		}
		users = append(users, b)
	}
	// Two files may hold one key.
	if err := layout.CheckUsers(users); err != nil {
		return nil, hint.Usage(fmt.Errorf("bus.users: %w", err), "")
	}
	return users, nil
}

// login is how u logs in at a server.
func login(u config.User) (nats.Option, error) {
	switch {
	case u.NKeyFile != "" && !strings.HasSuffix(u.NKeyFile, ".pub"):
		return nats.NkeyOptionFromSeed(u.NKeyFile)
	case u.PasswordFile != "":
		password, err := readPassword(u.PasswordFile)
		return nats.UserInfo(u.Name, password), err
	}
	return nil, errors.New("bus.users has its public key only: give nkey_file")
}

// The shortest password that is let in. bcrypt reads no more than the longest.
const minPassword, maxPassword = 12, 72

func readPassword(file string) (string, error) {
	password, err := keys.FirstLine(file)
	if err == nil && (len(password) < minPassword || len(password) > maxPassword) {
		err = fmt.Errorf("%s holds %d characters in its first line: a password has %d to %d", file, len(password), minPassword, maxPassword)
	}
	return password, err
}

// hashPassword hashes for the memory of this process alone, beside a file with the
// password itself. A high cost would protect nothing, and let anyone who reaches the
// port keep the server busy.
func hashPassword(file string) (string, error) {
	password, err := readPassword(file)
	if err != nil {
		return "", err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	return string(hash), err
}
