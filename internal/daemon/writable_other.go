//go:build !unix

package daemon

// writable says why this process cannot make files in a directory, which only an
// attempt would tell here.
func writable(string) error { return nil }
