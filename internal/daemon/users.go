package daemon

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/bcrypt"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// Users are the users of the configuration with their files read: of
// passwords only the hashes, of seeds the public keys. Its error says which
// file is wrong.
func Users(c *config.Config) ([]layout.User, error) {
	var users []layout.User
	for _, u := range c.Bus.Users {
		b := u.BusUser()
		switch {
		case u.PasswordFile != "":
			hash, err := hashPassword(u.PasswordFile)
			if err != nil {
				return nil, hint.Usage(fmt.Errorf("bus.users: the password of %s: %w", u.Name, err), "write the password into the file, alone on its first line, and chmod 600 it")
			}
			b.PasswordHash = hash
		case u.NKeyFile != "":
			public, err := keys.PublicUser(u.NKeyFile)
			if err != nil {
				return nil, hint.Usage(fmt.Errorf("bus.users: the nkey of %s: %w", u.Name, err), "where the seed is not at hand, give its public key instead: nkey: U…")
			}
			b.NKey = public
		}
		users = append(users, b)
	}
	// Two files may hold one key.
	if err := layout.CheckUsers(users); err != nil {
		return nil, hint.Usage(fmt.Errorf("bus.users: %w", err), "")
	}
	return users, nil
}

// login is how u logs in at a server, or nil if that is not known here.
func login(u config.User) (nats.Option, error) {
	switch {
	case u.NKeyFile != "" && !strings.HasSuffix(u.NKeyFile, ".pub"):
		return nats.NkeyOptionFromSeed(u.NKeyFile)
	case u.PasswordFile != "":
		password, err := readPassword(u.PasswordFile)
		return nats.UserInfo(u.Name, password), err
	}
	return nil, nil
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

func hashPassword(file string) (string, error) {
	password, err := readPassword(file)
	if err != nil {
		return "", err
	}
	// The hash is kept in memory only, beside a file with the password itself.
	// A high cost would protect nothing, and let anyone who reaches the port
	// keep the server busy.
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	return string(hash), err
}
