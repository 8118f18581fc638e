package bench

import "fmt"

// Options say what is measured.
type Options struct {
	// Bundles are judged in all; each has so many words and is judged by so
	// many criteria.
	Bundles, Criteria, Words int
	// Engines share the work. They are those of as many daemons, within this
	// process.
	Engines int
	// Replicas of each stream: 1, or 3 or 5 on a cluster of as many servers.
	Replicas int
}

// Result is what was measured.
type Result struct {
	Bundles          int     `json:"bundles"`
	Criteria         int     `json:"criteria"`
	Words            int     `json:"words"`
	Engines          int     `json:"engines"`
	BundlesPerSecond float64 `json:"bundles_per_second"`
	FloorPerSecond   float64 `json:"floor_per_second"`
	// Ratio is how many times as long judging takes as the floor.
	Ratio   float64 `json:"ratio"`
	Latency Latency `json:"latency_ms"`
	// CPU is the time of all processors that one bundle takes in this process,
	// in microseconds: 0 where the system does not tell.
	CPU CPU `json:"cpu_us"`
	// Memory is that of this process after each tenth.
	Memory []Memory `json:"memory"`
}

// Memory is what is in use after a garbage collection. With a server in this
// process that of the server is counted too.
type Memory struct {
	// Bundles are those judged so far.
	Bundles int `json:"bundles"`
	// Heap is in MiB.
	Heap float64 `json:"heap_mib"`
}

// Latency is the time from the start of a publish until the report is stored
// and seen, in milliseconds.
type Latency struct {
	Alone    Percentiles `json:"alone"`
	HalfLoad Percentiles `json:"half_load"`
}

// Percentiles of N latencies.
type Percentiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// CPU is what a bundle takes, and what its parts take alone. With a server in this
// process its work is counted too.
type CPU struct {
	Bundle float64 `json:"bundle"`
	Floor  float64 `json:"floor"`
	// Reading decodes the event and holds it against its schema, Judging decides
	// the report, and Signing attests to it. They are parts of Bundle.
	Reading float64 `json:"reading"`
	Judging float64 `json:"judging"`
	Signing float64 `json:"signing"`
	// Sealing is a bundle's share in the envelope of its run, of five domains. It
	// is done before, and is no part of Bundle.
	Sealing float64 `json:"sealing"`
}

// String is the result for people.
func (r *Result) String() string {
	return fmt.Sprintf(`%d bundles of %d words, %d criteria
judged           %8.0f bundles/s
floor            %8.0f bundles/s: delivered, stored once, acknowledged
ratio            %8.1f
latency alone    p50 %.2f ms, p99 %.2f ms (n %d)
latency at half load  p50 %.2f ms, p99 %.2f ms (n %d)
CPU per bundle   %8.0f us: reading %.0f, judging %.0f, signing %.0f, the rest is the bus, of which the floor takes %.0f
CPU before       %8.0f us: a bundle's share in the seal of its run
heap             %8.0f MiB after the first tenth, %.0f after the last
`, r.Bundles, r.Words, r.Criteria, r.BundlesPerSecond, r.FloorPerSecond, r.Ratio,
		r.Latency.Alone.P50, r.Latency.Alone.P99, r.Latency.Alone.N, r.Latency.HalfLoad.P50, r.Latency.HalfLoad.P99, r.Latency.HalfLoad.N,
		r.CPU.Bundle, r.CPU.Reading, r.CPU.Judging, r.CPU.Signing, r.CPU.Floor, r.CPU.Sealing,
		r.Memory[0].Heap, r.Memory[len(r.Memory)-1].Heap)
}
