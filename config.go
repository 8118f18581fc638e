// Package shadowd holds the configuration that is in effect without a file.
package shadowd

import _ "embed"

// Config is config.yml: every setting, with its default.
//
//go:embed config.yml
var Config []byte
