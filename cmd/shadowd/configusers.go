package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/bcrypt"

	"github.com/swarmspeed/shadowd/internal/bus"
)

// BusUser is somebody who may connect, with what the bus knows it by: the
// public key of an nkey, or a password in a file.
type BusUser struct {
	Name string `yaml:"name"`
	Role string `yaml:"role" allowed:"nexus|commander|consensus|auditor|judge|author|operator"`
	// Commander is the commander id of a commander; empty is its name.
	Commander string `yaml:"commander,omitempty"`
	// NKey is a public key (U…), NKeyFile the file of its seed, and
	// PasswordFile that of a password, alone on the first line. Files have
	// mode 0600. One of the three is set. With a file, shadowd can try at its
	// start what the user must not be able to do.
	NKey         string `yaml:"nkey,omitempty"`
	NKeyFile     string `yaml:"nkey_file,omitempty"`
	PasswordFile string `yaml:"password_file,omitempty"`
}

// TLS are the PEM files of the embedded server's certificate and key.
type TLS struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// user is what the bus makes of u, as yet without what is in its file.
func (u BusUser) user() bus.User {
	b := bus.User{Name: u.Name, Role: bus.Role(u.Role), Commander: u.Commander, NKey: u.NKey}
	if b.Role == bus.RoleCommander && b.Commander == "" {
		b.Commander = b.Name
	}
	return b
}

// people are the configured users without their credentials.
func (c *Config) people() []bus.User {
	var users []bus.User
	for _, u := range c.Bus.Users {
		users = append(users, u.user())
	}
	return users
}

// own are the users that shadowd adds to those of the configuration.
const ownUser, operatorUser, anonymousUser = "shadowd", "operator", "anonymous"

// checkUsers notes users that are none or that could not be told apart.
func (p *parse) checkUsers(users []BusUser) {
	const noHash = "$2a$" // stands for a password that is read at start
	good := []bus.User{
		{Name: ownUser, Role: bus.RoleShadowd, PasswordHash: noHash},
		{Name: operatorUser, Role: bus.RoleOperator, PasswordHash: noHash},
	}
	for i, u := range users {
		here := "bus.users[" + strconv.Itoa(i) + "]"
		b := u.user()
		if u.PasswordFile != "" || u.NKeyFile != "" {
			b.PasswordHash = noHash
		}
		switch err := bus.CheckUsers(append(good, b)); {
		case p.failed(here):
		case u.Name == anonymousUser:
			p.failAt(here, "anonymous is whoever gives no credentials: allowed are other names")
		case u.PasswordFile != "" && u.NKeyFile != "":
			p.failAt(here, "nkey_file and password_file are both there: allowed is one of nkey, nkey_file and password_file")
		case err != nil:
			p.failAt(here, "%s: allowed are users with a name of their own, a role and one of nkey, nkey_file and password_file", err)
		default:
			good = append(good, b)
		}
	}
}

// busUsers are the users of the configuration with their files read: of
// passwords only the hashes, of seeds the public keys. Its error says which
// file is wrong.
func (c *Config) busUsers() ([]bus.User, error) {
	var users []bus.User
	for _, u := range c.Bus.Users {
		b := u.user()
		switch {
		case u.PasswordFile != "":
			hash, err := hashPassword(u.PasswordFile)
			if err != nil {
				return nil, usageError(fmt.Errorf("bus.users: the password of %s: %w", u.Name, err), "write the password into the file, alone on its first line, and chmod 600 it")
			}
			b.PasswordHash = hash
		case u.NKeyFile != "":
			public, err := publicKeyIn(u.NKeyFile)
			if err != nil {
				return nil, usageError(fmt.Errorf("bus.users: the nkey of %s: %w", u.Name, err), "where the seed is not at hand, give its public key instead: nkey: U…")
			}
			b.NKey = public
		}
		users = append(users, b)
	}
	// Two files may hold one key.
	if err := bus.CheckUsers(users); err != nil {
		return nil, usageError(fmt.Errorf("bus.users: %w", err), "")
	}
	return users, nil
}

func publicKeyIn(file string) (string, error) {
	seed, err := readSecret(file)
	if err != nil {
		return "", err
	}
	defer wipe(seed)
	public, err := publicKey(seed)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return public, nil
}

// login is how u logs in at a server, or nil if that is not known here.
func (u BusUser) login() (nats.Option, error) {
	switch {
	case u.NKeyFile != "":
		return nats.NkeyOptionFromSeed(u.NKeyFile)
	case u.PasswordFile != "":
		password, err := readPassword(u.PasswordFile)
		return nats.UserInfo(u.Name, string(password)), err
	}
	return nil, nil
}

// The shortest password that is let in. bcrypt reads no more than the longest.
const minPassword, maxPassword = 12, 72

func readPassword(file string) ([]byte, error) {
	text, err := readSecret(file)
	if err != nil {
		return nil, err
	}
	password, _, _ := bytes.Cut(text, []byte("\n"))
	password = bytes.TrimSuffix(password, []byte("\r"))
	if len(password) < minPassword || len(password) > maxPassword {
		wipe(text)
		return nil, fmt.Errorf("%s holds %d characters in its first line: a password has %d to %d", file, len(password), minPassword, maxPassword)
	}
	return password, nil
}

func hashPassword(file string) (string, error) {
	password, err := readPassword(file)
	if err != nil {
		return "", err
	}
	defer wipe(password)
	// The hash is kept in memory only, beside a file with the password itself.
	// A high cost would protect nothing, and let anyone who reaches the port
	// keep the server busy.
	hash, err := bcrypt.GenerateFromPassword(password, bcrypt.MinCost)
	if err != nil {
		return "", errors.New("it cannot be hashed")
	}
	return string(hash), nil
}
