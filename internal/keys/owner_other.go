//go:build !unix

package keys

import "io/fs"

// owner is the number of the user who owns a file, -1 if it is not known.
func owner(fs.FileInfo) int { return -1 }
