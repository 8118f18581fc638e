package daemon

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go/micro"
)

// serviceName is what shadowd is called among the services of its account, such as
// by "nats micro list".
const serviceName = "shadowd"

// register makes the daemon known as a service: who is in its account can ask which
// daemons there are, of which version. It has no endpoint, since nothing calls it.
func (d *Daemon) register(version string) error {
	service, err := micro.AddService(d.nc, micro.Config{
		Name: serviceName, Version: semantic(version), Description: "the sealed-envelope quality gate",
		Metadata: map[string]string{"prefix": d.store.Prefix, "build": version},
	})
	if err != nil {
		return fmt.Errorf("registering as a service: %w", err)
	}
	d.started("the registration as a service", func(context.Context) error { return service.Stop() })
	// The server has the subscriptions once it has answered: who asks a daemon that
	// is ready finds it.
	if err := d.nc.Flush(); err != nil {
		return fmt.Errorf("registering as a service: %w", err)
	}
	return nil
}

var isSemantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// semantic is a version in the form that services have to give. That of a build
// without one is 0.0.0.
func semantic(version string) string {
	if v := strings.TrimPrefix(version, "v"); isSemantic.MatchString(v) {
		return v
	}
	return "0.0.0"
}
