// Package config is the configuration of shadowd: its types, its defaults, and
// how a file and the environment are read and checked. It reads no secret:
// what names a file with one is checked by whoever opens the file.
package config
