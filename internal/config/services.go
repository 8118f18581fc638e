package config

import (
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Service is a service that the configuration asks.
type Service struct {
	Role    layout.Role
	Service string
}

// Services are those that the configuration asks, authors first.
func (c *Config) Services() []Service {
	var all []Service
	for _, a := range c.Seal.Authors {
		if a.Service != "" {
			all = append(all, Service{layout.RoleAuthor, a.Service})
		}
	}
	for _, j := range c.Judging.Panel {
		if j.Service != "" {
			all = append(all, Service{layout.RoleJudge, j.Service})
		}
	}
	return all
}
