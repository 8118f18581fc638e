package shadow

import "encoding/json"

// TaskHash is what must stand as task_hash in the commitment of a run with
// this decomposition.
func (d *Decomposition) TaskHash() (string, error) { return hashTask(d) }

// Velocity is (initial − final) / cycles in percentage points with one
// decimal; cycles is at least 1.
func Velocity(initial, final Score, cycles int) json.Number { return velocity(initial, final, cycles) }

// BeforeSeal is the advisory reason of a report whose bundle was stored before
// its run's commitment.
const BeforeSeal = beforeSeal
