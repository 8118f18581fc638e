package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ErrNone: nobody answers on a service's subject.
var ErrNone = errors.New("nobody answers: is the service running, as the user of its name?")

// Info is what a service says about itself. All of it is fit to print.
type Info struct {
	ID, Version, Description string
	Metadata                 map[string]string
}

// String is one line with the version, the description and the metadata.
func (i Info) String() string {
	parts := []string{"version " + i.Version}
	if i.Description != "" {
		parts = append(parts, i.Description)
	}
	for _, k := range slices.Sorted(maps.Keys(i.Metadata)) {
		parts = append(parts, k+"="+i.Metadata[k])
	}
	return shadow.Printable(strings.Join(parts, ", "))
}

// findTimeout bounds the wait for a service to say who it is.
const findTimeout = 5 * time.Second

// Find asks a judge or an author who it is, by the micro services
// protocol ($SRV.INFO). Of several instances the first answers. The error is
// ErrNone if none does.
func Find(ctx context.Context, nc *nats.Conn, role layout.Role, name string) (Info, error) {
	who := layout.ServiceSubject(role, name)
	subject, err := micro.ControlSubject(micro.InfoVerb, layout.ServiceName(role, name), "")
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", who, err)
	}
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	reply, err := nc.RequestWithContext(ctx, subject, nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded):
		return Info{}, fmt.Errorf("%s: %w", who, ErrNone)
	case err != nil:
		return Info{}, fmt.Errorf("%s: %w", who, err)
	}
	info, err := readInfo(reply.Data, who)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", who, err)
	}
	return info, nil
}

// readInfo reads what a service says about itself, which must serve a subject.
func readInfo(data []byte, subject string) (Info, error) {
	var info micro.Info
	if len(data) > maxReply || json.Unmarshal(data, &info) != nil || info.Type != micro.InfoResponseType {
		return Info{}, errors.New("it answers $SRV.INFO with something else than a service's information")
	}
	if !slices.ContainsFunc(info.Endpoints, func(e micro.EndpointInfo) bool { return e.Subject == subject }) {
		return Info{}, fmt.Errorf("it is there, and none of its %d endpoints has the subject %s", len(info.Endpoints), subject)
	}
	out := Info{ID: shadow.Printable(info.ID), Version: shadow.Printable(info.Version), Description: shadow.Printable(info.Description), Metadata: map[string]string{}}
	for _, k := range slices.Sorted(maps.Keys(info.Metadata)) {
		if len(out.Metadata) < maxMetadata {
			out.Metadata[shadow.Printable(k)] = shadow.Printable(info.Metadata[k])
		}
	}
	return out, nil
}

// maxMetadata is how much metadata is taken in: it goes into the log.
const maxMetadata = 20
