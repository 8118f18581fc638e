//go:build !race

package texttest

// Size is how long a hostile text is, in bytes.
const Size = 256 << 10
