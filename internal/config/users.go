package config

import (
	"strconv"

	"github.com/swarmspeed/shadowd/internal/bus"
)

// User is somebody who may connect, with what the bus knows it by: the
// public key of an nkey, or a password in a file.
type User struct {
	Name string `yaml:"name"`
	Role string `yaml:"role"`
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

// BusUser is what the bus makes of u, as yet without what is in its file.
func (u User) BusUser() bus.User {
	b := bus.User{Name: u.Name, Role: bus.Role(u.Role), Commander: u.Commander, NKey: u.NKey}
	if b.Role == bus.RoleCommander && b.Commander == "" {
		b.Commander = b.Name
	}
	return b
}

// People are the configured users without their credentials.
func (c *Config) People() []bus.User {
	var users []bus.User
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

// checkUsers notes users that are none or that could not be told apart.
func (p *parse) checkUsers(users []User) {
	const noHash = "$2a$" // stands for a password that is read at start
	good := []bus.User{
		{Name: OwnUser, Role: bus.RoleShadowd, PasswordHash: noHash},
		{Name: OperatorUser, Role: bus.RoleOperator, PasswordHash: noHash},
	}
	for i, u := range users {
		here := "bus.users[" + strconv.Itoa(i) + "]"
		b := u.BusUser()
		if u.PasswordFile != "" || u.NKeyFile != "" {
			b.PasswordHash = noHash
		}
		switch err := bus.CheckUsers(append(good, b)); {
		case p.Failed(here):
		case u.Name == anonymousUser:
			p.fail(here, "anonymous is whoever gives no credentials: allowed are other names")
		case u.PasswordFile != "" && u.NKeyFile != "":
			p.fail(here, "nkey_file and password_file are both there: allowed is one of nkey, nkey_file and password_file")
		case err != nil:
			p.fail(here, "%s: allowed are users with a name of their own, a role and one of nkey, nkey_file and password_file", err)
		default:
			good = append(good, b)
		}
	}
}
