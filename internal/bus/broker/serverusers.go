package broker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nkeys"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// addOwn adds the user that this process is itself and, in development mode,
// the one that everybody else is.
func (s *Server) addOwn(o *Options) error {
	public, err := s.self.PublicKey()
	if err != nil {
		return err
	}
	development := !hasWall(o.Users)
	o.Users = append([]layout.User{{Name: "shadowd", Role: layout.RoleShadowd, NKey: public}}, o.Users...)
	if development {
		o.Users = append(o.Users, layout.User{Name: "anonymous", Role: layout.RoleAnonymous, NKey: s.nobody})
	}
	return layout.CheckUsers(o.Users)
}

func newUserKey() (nkeys.KeyPair, string, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	public, err := kp.PublicKey()
	return kp, public, err
}

// hasWall says whether users put up a wall: there is somebody beyond it who is
// not anonymous.
func hasWall(users []layout.User) bool {
	return slices.ContainsFunc(users, func(u layout.User) bool { return !u.Inside() && u.Role != layout.RoleAnonymous })
}

// ErrWallChanged: users would put up a wall around a running server, or take it
// down. What was stored under the one claim must not go on under the other.
var ErrWallChanged = errors.New("the first user puts up a wall, and without the last one there is none: that takes a restart")

// SetUsers changes who may connect, as [Options] has them, while the server
// runs; TLSCert and TLSKey are read again. Whoever is no longer among the users is
// disconnected, and nobody else. With an error nothing has changed.
//
// The server does not change accounts in one step: who connects or asks in the
// very moment may be refused, and has to try again.
func (s *Server) SetUsers(users []layout.User) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hasWall(users) != hasWall(s.options.Users) {
		return ErrWallChanged
	}
	o := s.options
	o.Users = users
	if err := s.addOwn(&o); err != nil {
		return err
	}
	// Twice: the server sets the services up that an account imports only if it
	// knew the account before.
	for range 2 {
		opts, err := serverOptions(o)
		if err != nil {
			return err
		}
		// It compares the users with those it has, down to the counters of their
		// accounts, while clients use these: a race, once in a while a crash. With
		// none to compare it takes the new ones. It reads the list nowhere else.
		s.active.Nkeys = nil
		if err := s.srv.ReloadOptions(opts); err != nil {
			return fmt.Errorf("changing the users of the embedded nats-server: %w", err)
		}
		s.active = opts
	}
	s.options = o
	return nil
}

// Users are all who may connect: shadowd itself, those of the options and, in
// development mode, the anonymous one.
func (s *Server) Users() []layout.User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Users
}

// Walled says whether everybody has to give credentials.
func (s *Server) Walled() bool { return hasWall(s.Users()) }
