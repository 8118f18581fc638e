package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/swarmspeed/shadowd/internal/bus"
)

// askedService is a service that the configuration asks.
type askedService struct {
	role    bus.Role
	service string
}

// services are those that the configuration asks, authors first.
func (c *Config) services() []askedService {
	var all []askedService
	for _, a := range c.Seal.Authors {
		if a.Service != "" {
			all = append(all, askedService{bus.RoleAuthor, a.Service})
		}
	}
	for _, j := range c.Judging.Panel {
		if j.Service != "" {
			all = append(all, askedService{bus.RoleJudge, j.Service})
		}
	}
	return all
}

// checkServices refuses services that no user runs. In development mode that
// is all of them: nobody there could be told from anybody else.
func checkServices(users []bus.User, asked []askedService) error {
	for _, s := range asked {
		if !bus.Serves(users, s.role, s.service) {
			name := bus.ServiceName(s.role, s.service)
			return usageError(fmt.Errorf("the %s %s is a service, and no user in bus.users may run it", s.role, s.service),
				fmt.Sprintf("add {name: %s, role: %s, nkey: U…} to bus.users; docs/services.md has the steps", name, s.role))
		}
	}
	return nil
}

// meetServices says of each service whether it answers, and who it says it is.
// One that does not is asked all the same: it may come later.
func (d *daemon) meetServices(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range d.cfg.services() {
		all.Go(func() {
			log := d.log.With("service", bus.ServiceSubject(s.role, s.service))
			if info, err := bus.FindService(ctx, d.nc, s.role, s.service); err != nil {
				log.Warn("a service does not answer yet", "error", err)
			} else {
				log.Info("a service answers", "version", info.Version, "description", info.Description, "metadata", info.Metadata)
			}
		})
	}
	all.Wait()
}
