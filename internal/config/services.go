package config

import "github.com/swarmspeed/shadowd/internal/bus"

// Service is a service that the configuration asks.
type Service struct {
	Role    bus.Role
	Service string
}

// Services are those that the configuration asks, authors first.
func (c *Config) Services() []Service {
	var all []Service
	for _, a := range c.Seal.Authors {
		if a.Service != "" {
			all = append(all, Service{bus.RoleAuthor, a.Service})
		}
	}
	for _, j := range c.Judging.Panel {
		if j.Service != "" {
			all = append(all, Service{bus.RoleJudge, j.Service})
		}
	}
	return all
}
