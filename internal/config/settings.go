package config

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Settings is the part of the configuration that the protocol works by.
// Isolation is "strict" or "legacy", as the bus turns out to be.
func (c *Config) Settings(isolation string) shadow.Settings {
	s, cycles := c.ShadowScoring, 0
	if s.Hardening.Enabled {
		cycles = s.Hardening.MaxCycles
	}
	return shadow.Settings{
		Policy: shadow.Policy{
			SpecVersion: s.SpecVersion, ConformanceLevel: s.MaxLevel(), WorkspaceIsolation: isolation,
			MaxCycles: cycles, Threshold: s.Hardening.Threshold, EnforceGates: c.Gates.Enforce,
			Unread: shadow.Action(c.Gates.Unread), Undecided: shadow.Action(c.Gates.Undecided), Missing: c.Gates.Missing,
		},
		MaxCriteria:      s.SealedCriteriaCount,
		FixTimeout:       s.Hardening.Timeout,
		RunTimeout:       c.Run.Timeout,
		Categories:       s.Categories,
		Scales:           map[string]shadow.Scale{"ss-50": c.Scales.SS50, "ss-100": c.Scales.SS100, "ss-250": c.Scales.SS250},
		DefaultScale:     c.Scales.Default,
		Families:         c.ModelFamilies(),
		AbortOnViolation: c.Independence.OnViolation == "abort",
	}
}

// ModelFamilies are the known families: first what entries of models state, so that an
// implementer is of the family of the judge that is the same model, then the patterns of
// the configuration, and then what everybody knows of public models.
func (c *Config) ModelFamilies() shadow.Families {
	var families shadow.Families
	for _, entry := range c.Models {
		m, _, err := c.Endpoint(entry.Name)
		if err == nil && m.Family != "" {
			families = append(families, shadow.FamilyRule{Model: m.Model, Family: m.Family})
		}
	}
	return append(append(families, c.Families...), llm.Families()...)
}

// syncAlways: nothing is acknowledged that is not on the disk.
const syncAlways = "always"

// SyncInterval is bus.sync as a time; 0 is always.
func (b *Bus) SyncInterval() time.Duration {
	d, _ := strict.ParseDuration(b.Sync) // it was checked; always is none
	return d
}

// MaxLevel is the highest conformance level that a report may claim, 1 to 4.
// Version 1.0.0 of the spec ends at 3.
func (s ShadowScoring) MaxLevel() int {
	level, _ := strconv.Atoi(strings.TrimPrefix(s.ConformanceLevel, "L"))
	if s.SpecVersion == "1.0.0" {
		return min(level, 3)
	}
	return level
}

// KeyPlace is where the key of a kind is kept.
func (c *Config) KeyPlace(kind keys.Kind) keys.Place {
	named := c.Keys.Envelope
	if kind == keys.Signing {
		named = c.Keys.Signing
	}
	return keys.At(kind, named, c.Bus.DataDir)
}

// OperatorKeyFile holds the nkey of the operator, by which the commands get
// into the account of the streams on the embedded server.
func (c *Config) OperatorKeyFile() string { return filepath.Join(c.Bus.DataDir, "operator.nk") }
