//go:build race

package texttest

// Size is how long a hostile text is, in bytes: a quarter, since the race
// detector makes all of it ten times slower.
const Size = 64 << 10
