package broker

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Describe answers, over a connection of shadowd's, those beyond the wall who ask what
// a stream is. Some clients ask that before they read or publish (Java, .NET, Rust's
// get_stream, Go's js.Stream, the Go SDK of CloudEvents). The server's own answer
// would tell a commander how many events there are and, with a filter, whose. This one
// says that the stream is there, and is the same whatever they ask. It ends with the
// connection.
func Describe(nc *nats.Conn) error {
	for _, stream := range []string{layout.StreamIn, layout.StreamOut} {
		answer, err := json.Marshal(struct {
			Type string `json:"type"`
			jetstream.StreamInfo
		}{"io.nats.jetstream.api.v1.stream_info_response", jetstream.StreamInfo{
			Config: jetstream.StreamConfig{
				Name: stream, Description: "shadowd answers this; what is in the stream is not told",
				MaxConsumers: -1, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1, Replicas: 1,
			},
			Created: time.Unix(0, 0).UTC(), TimeStamp: time.Unix(0, 0).UTC(),
		}})
		if err != nil {
			return err
		}
		// Several daemons share the questions.
		_, err = nc.QueueSubscribe(layout.Described(stream), "shadowd", func(m *nats.Msg) {
			_ = m.Respond(answer) // whoever gets none asks again
		})
		if err != nil {
			return fmt.Errorf("answering what %s is: %w", stream, err)
		}
	}
	return nil
}
