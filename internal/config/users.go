package config

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// User is somebody who may connect, with what the bus knows it by: the
// public key of an nkey, or a password in a file.
type User struct {
	Name string `yaml:"name" is:"required"`
	Role string `yaml:"role" is:"required,of=nexus|commander|consensus|reviewer|auditor|operator"`
	// Commander is the commander id of a commander; empty is its name.
	Commander string `yaml:"commander,omitempty"`
	// NKey is a public key (U…), NKeyFile the file of its seed or, if it ends in
	// .pub, of the public key, and PasswordFile that of a password, alone on the
	// first line. Files with secrets have mode 0600. One of the three is set.
	// With a secret, shadowd can try at its start what the user must not be able
	// to do.
	NKey         string `yaml:"nkey,omitempty"`
	NKeyFile     string `yaml:"nkey_file,omitempty"`
	PasswordFile string `yaml:"password_file,omitempty"`
}

// TLS are the PEM files of the embedded server's certificate and key.
type TLS struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// BusUser is what the bus makes of u, as yet without what is in its file.
func (u User) BusUser() layout.User {
	b := layout.User{Name: u.Name, Role: layout.Role(u.Role), Commander: u.Commander, NKey: u.NKey}
	if b.Role == layout.RoleCommander && b.Commander == "" {
		b.Commander = b.Name
	}
	return b
}

// BusUsers are the configured users without their credentials.
func (c *Config) BusUsers() []layout.User {
	var users []layout.User
	for _, u := range c.Bus.Users {
		users = append(users, u.BusUser())
	}
	return users
}

// The users that shadowd adds to those of the configuration.
const (
	OwnUser       = "shadowd"
	OperatorUser  = "operator"
	anonymousUser = "anonymous"
)

// checkUsers notes invalid users and users that have the same name or key. It
// replaces a pattern by the users that it stands for.
func (p *parse) checkUsers(c *Config) {
	const noHash = "$2a$" // stands for a password that is read at start
	good := []layout.User{
		{Name: OwnUser, Role: layout.RoleShadowd, PasswordHash: noHash},
		{Name: OperatorUser, Role: layout.RoleOperator, PasswordHash: noHash},
	}
	all := []User{}
	for i, entry := range c.Bus.Users {
		here := "bus.users[" + strconv.Itoa(i) + "]"
		if p.Failed(here) {
			continue
		}
		users, wrong := entry.expand()
		if wrong != "" {
			p.fail(here, "%s: allowed is one * in name and one in nkey_file or password_file, and no commander", wrong)
		} else if len(users) == 0 {
			p.fail(here, "no file fits %s, or its directory cannot be read: make the keys first, with shadowd bus config --commanders ID,ID, or leave the entry out", quote(entry.NKeyFile+entry.PasswordFile))
		}
		for _, u := range users {
			b := u.BusUser()
			if u.PasswordFile != "" || u.NKeyFile != "" {
				b.PasswordHash = noHash
			}
			switch err := layout.CheckUsers(append(good, b)); {
			case u.Name == anonymousUser:
				p.fail(here, "anonymous is whoever gives no credentials: allowed are other names")
			case u.PasswordFile != "" && b.Role == layout.RoleReviewer:
				p.fail(here, "a reviewer with a password: allowed is one with an nkey, which signs its reviews")
			case u.PasswordFile != "" && u.NKeyFile != "":
				p.fail(here, "nkey_file and password_file are both there: allowed is one of nkey, nkey_file and password_file")
			case err != nil:
				p.fail(here, "%s: allowed are users with a name of their own, a role and one of nkey, nkey_file and password_file", err)
			default:
				good = append(good, b)
				all = append(all, u)
			}
		}
	}
	if !p.Failed("bus.users") {
		c.Bus.Users = all
	}
}

// expand is the user itself or, where its name has a *, one for each file that
// fits: what a file has in the place of the * stands in the name, and is the id of
// a commander. wrong says why it is no pattern.
func (u User) expand() (users []User, wrong string) {
	const star = "*"
	files := u.NKeyFile + u.PasswordFile
	switch {
	case !strings.Contains(u.Name+files, star):
		return []User{u}, ""
	case strings.Count(u.Name, star) != 1 || strings.Count(u.NKeyFile, star) > 1 || strings.Count(u.PasswordFile, star) > 1 || !strings.Contains(files, star):
		return nil, "a pattern has a * in its name and in its file"
	case u.Commander != "":
		return nil, "the commanders of a pattern are called as the * says"
	}
	files = filepath.Clean(files) // as Glob names what it finds
	before, after, _ := strings.Cut(files, star)
	found, err := filepath.Glob(files)
	if err != nil {
		return nil, err.Error()
	}
	for _, file := range found {
		part := strings.TrimSuffix(strings.TrimPrefix(file, before), after)
		one := u
		one.Name = strings.Replace(u.Name, star, part, 1)
		if layout.Role(u.Role) == layout.RoleCommander {
			one.Commander = part
		}
		if u.NKeyFile != "" {
			one.NKeyFile = file
		} else {
			one.PasswordFile = file
		}
		users = append(users, one)
	}
	return users, ""
}
