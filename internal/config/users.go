package config

import (
	"path/filepath"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// User is somebody who may connect, with what the bus knows it by: the
// public key of an nkey, or a password in a file.
type User struct {
	Name      string `yaml:"name" is:"required"`
	Role      string `yaml:"role" is:"required,of=nexus|commander|consensus|reviewer|auditor|operator"`
	Commander string `yaml:"commander,omitempty"` // the id of a commander; empty: its name
	// One of these is set: a public key (U…), the file of its seed or, if it ends in
	// .pub, of the public key, or that of a password. With a secret, shadowd can try
	// at its start what the user must not be able to do.
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

// The users that shadowd adds to those of the configuration.
const (
	OwnUser       = "shadowd"
	OperatorUser  = "operator"
	anonymousUser = "anonymous"
)

// checkUsers notes invalid and double users, and puts users for patterns.
func (p *parse) checkUsers(c *Config) {
	const noHash = "$2a$" // stands for a password that is read at start
	good := []layout.User{
		{Name: OwnUser, Role: layout.RoleShadowd, PasswordHash: noHash},
		{Name: OperatorUser, Role: layout.RoleOperator, PasswordHash: noHash},
	}
	all := []User{}
	p.each("bus.users", len(c.Bus.Users), func(i int) string {
		users, wrong := c.Bus.Users[i].expand()
		if wrong != "" {
			return wrong
		}
		for _, u := range users {
			b := u.BusUser()
			if u.PasswordFile != "" || u.NKeyFile != "" {
				b.PasswordHash = noHash
			}
			switch err := layout.CheckUsers(append(good, b)); {
			case u.Name == anonymousUser:
				return "anonymous is whoever gives no credentials: allowed are other names"
			case u.PasswordFile != "" && b.Role == layout.RoleReviewer:
				return "a reviewer with a password: allowed is one with an nkey, which signs its reviews"
			case u.PasswordFile != "" && u.NKeyFile != "":
				return "nkey_file and password_file are both there: allowed is one of nkey, nkey_file and password_file"
			case err != nil:
				return err.Error() + ": allowed are users with a name of their own, a role and one of nkey, nkey_file and password_file"
			}
			good, all = append(good, b), append(all, u)
		}
		return ""
	})
	if !p.Failed("bus.users") {
		c.Bus.Users = all
	}
}

// expand is the user itself or, where its name has a *, one for each file that fits:
// what a file has in its place stands in the name, and is the id of a commander.
func (u User) expand() (users []User, wrong string) {
	const star = "*"
	files := u.NKeyFile + u.PasswordFile
	if !strings.Contains(u.Name+files, star) {
		return []User{u}, ""
	}
	if strings.Count(u.Name, star) != 1 || strings.Count(files, star) != 1 || u.Commander != "" {
		return nil, "a pattern has a * in its name and in its file: allowed is one * in name and one in nkey_file or password_file, and no commander"
	}
	files = filepath.Clean(files) // as Glob names what it finds
	found, err := filepath.Glob(files)
	if err != nil || len(found) == 0 {
		return nil, "no file fits " + quote(files) + ", or its directory cannot be read: make the keys first, with shadowd bus config --commanders ID,ID, or leave the entry out: allowed are patterns of files that are there"
	}
	before, after, _ := strings.Cut(files, star)
	for _, file := range found {
		part := strings.TrimSuffix(strings.TrimPrefix(file, before), after)
		one := u
		one.Name = strings.Replace(u.Name, star, part, 1)
		if layout.Role(u.Role) == layout.RoleCommander {
			one.Commander = part
		}
		if one.PasswordFile = file; u.NKeyFile != "" {
			one.NKeyFile, one.PasswordFile = file, ""
		}
		users = append(users, one)
	}
	return users, ""
}
