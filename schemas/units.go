package schemas

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// withUnit puts a duration or a size into the form that the YAML library
// decodes. Which of them it is, the place of the schema says.
func withUnit(n *yaml.Node, s *jsonschema.Schema) (problem string) {
	var err error
	switch {
	case strings.HasSuffix(s.Location, "#/$defs/duration"):
		var d time.Duration
		if d, err = ParseDuration(n.Value); err == nil {
			n.Value = d.String()
		}
	case strings.HasSuffix(s.Location, "#/$defs/size"):
		var size int64
		if size, err = parseSize(n.Value); err == nil {
			n.Value, n.Tag = strconv.FormatInt(size, 10), "!!int"
		}
	}
	if err != nil {
		return quote(n.Value) + " is not " + s.Title
	}
	return ""
}

// ParseDuration reads a duration as configurations write it: what
// time.ParseDuration reads, and whole days before it.
func ParseDuration(s string) (time.Duration, error) {
	days, rest, ok := strings.Cut(s, "d")
	if !ok {
		return time.ParseDuration(s)
	}
	n, err := strconv.ParseUint(days, 10, 16) // 16 bits of days are within the range of a duration
	if err != nil {
		return 0, err
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	return d + more, err
}

// parseSize reads whole bytes: 10GB, 512KiB.
func parseSize(s string) (int64, error) {
	at := strings.IndexFunc(s, unicode.IsLetter)
	if at < 0 {
		return strconv.ParseInt(s, 10, 64)
	}
	unit, known := sizes[s[at:]]
	n, err := strconv.ParseInt(s[:at], 10, 64)
	if err != nil || !known || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n * unit, nil
}

var sizes = map[string]int64{
	"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}
