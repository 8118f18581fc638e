package daemon

import (
	"context"
	"fmt"
	"sync"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/service"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// CheckServices refuses services that no user runs. In development mode it
// refuses all of them, since any client could claim to be the service.
func CheckServices(users []layout.User, asked []config.Service) error {
	for _, s := range asked {
		if !layout.Serves(users, s.Role, s.Service) {
			name := layout.ServiceName(s.Role, s.Service)
			return hint.Usage(fmt.Errorf("the %s %s is a service, and no user in bus.users may run it", s.Role, s.Service),
				fmt.Sprintf("add {name: %s, role: %s, nkey: U…} to bus.users; docs/services.md has the steps", name, s.Role))
		}
	}
	return nil
}

// findServices logs of each service whether it answers, and what it says about
// itself. A service that does not answer may start later, and is asked then.
func (d *Daemon) findServices(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range d.cfg.Services() {
		all.Go(func() {
			log := d.log.With("service", layout.ServiceSubject(s.Role, s.Service))
			if info, err := service.Find(ctx, d.nc, s.Role, s.Service); err != nil {
				log.Warn("a service does not answer yet", "error", err)
			} else {
				log.Info("a service answers", "version", info.Version, "description", info.Description, "metadata", info.Metadata)
			}
		})
	}
	all.Wait()
}
