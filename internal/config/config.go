// Package config is the configuration of shadowd: its types, its defaults, and
// how a file and the environment are read and checked. It reads no secret:
// what names a file with one is checked by whoever opens the file.
package config

import (
	"time"

	defaults "github.com/swarmspeed/shadowd"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// Config is the configuration of shadowd. [Default] has its values where a
// file says nothing; [Load] reads a file. schemas/config.json says what each
// setting may be. Relative paths start at the working directory.
type Config struct {
	ShadowScoring ShadowScoring   `yaml:"shadow_scoring"`
	Scales        Scales          `yaml:"scales"`
	Models        []Model         `yaml:"models"`
	Currency      string          `yaml:"currency" is:"currency"` // of prices, by its three letters
	Seal          Seal            `yaml:"seal"`
	Judging       Judging         `yaml:"judging"`
	Families      shadow.Families `yaml:"families"`
	Independence  Independence    `yaml:"independence"`
	Gates         Gates           `yaml:"gates"`
	Run           Run             `yaml:"run"`
	Bus           Bus             `yaml:"bus"`
	Keys          Keys            `yaml:"keys"`
	Limits        shadow.Limits   `yaml:"limits"`
	HTTP          HTTP            `yaml:"http"`
	Notify        Notify          `yaml:"notify"`
	Log           Log             `yaml:"log"`

	Places Places `yaml:"-"`
}

// Places say where in its file a setting stands, by its path: FILE:LINE: PATH.
// They are known of files that are opened later.
type Places map[string]string

// Equal holds for any two: configurations are the same wherever they stand.
func (Places) Equal(Places) bool { return true }

// ShadowScoring is the block that swarms share. It works alone.
type ShadowScoring struct {
	Enabled     bool   `yaml:"enabled"`
	SpecVersion string `yaml:"spec_version" is:"of=1.0.0|2.0.0"`
	// ConformanceLevel is the most that a report may claim; see [ShadowScoring.MaxLevel].
	ConformanceLevel    string            `yaml:"conformance_level" is:"of=L1|L2|L3|L4"`
	SealedCriteriaCount int               `yaml:"sealed_criteria_count" is:"min=1,max=50"` // a bound for every scale
	Hardening           Hardening         `yaml:"hardening"`
	Categories          []shadow.Category `yaml:"categories,flow" is:"min=1,unique"`
}

// Hardening is the loop in which a commander may fix its bundle.
type Hardening struct {
	Enabled   bool          `yaml:"enabled"`
	MaxCycles int           `yaml:"max_cycles" is:"min=1,max=10"`
	Threshold int           `yaml:"threshold" is:"max=100"` // in percent: a fix is asked for above it
	Timeout   time.Duration `yaml:"timeout" is:"min=1s,max=24h"`
}

// Scales are the sizes of a run. Default is for decompositions without one.
type Scales struct {
	Default string       `yaml:"default" is:"of=ss-50|ss-100|ss-250"`
	SS50    shadow.Scale `yaml:"ss-50,flow"`
	SS100   shadow.Scale `yaml:"ss-100,flow"`
	SS250   shadow.Scale `yaml:"ss-250,flow"`
}

// Seal says who writes the criteria of a run.
type Seal struct {
	// Authors write what items do not ask: files all that they have, models a
	// share each. Items take what they leave.
	Authors []Participant `yaml:"authors" is:"max=50"`
	Timeout time.Duration `yaml:"timeout" is:"min=1s,max=1h"` // of one author, retries included
}

// Independence says what becomes of runs whose seal authors or specifier are of
// an implementer's family.
type Independence struct {
	OnViolation string `yaml:"on_violation" is:"of=advisory|abort"`
}

// Gates says what follows from a score.
type Gates struct {
	Enforce   bool   `yaml:"enforce"`
	Unread    string `yaml:"unread" is:"of=proceed|warn|quarantine|reject"`
	Undecided string `yaml:"undecided" is:"of=proceed|warn|quarantine|reject"`
	Missing   int    `yaml:"missing" is:"min=1,max=100"` // in percent of a domain's sub-tasks and deliverables
}

// Run bounds a run.
type Run struct {
	Timeout time.Duration `yaml:"timeout" is:"min=1s,max=365d"` // from sealing
}

// Bus is the NATS side.
type Bus struct {
	URL         string `yaml:"url"`         // of servers, separated by commas; empty starts the embedded one
	Credentials string `yaml:"credentials"` // a .creds file, only with a URL
	NKey        string `yaml:"nkey"`        // or a file with an nkey seed
	// Listen is the embedded server's address; port 0 is any free port. Off
	// loopback it needs Users and TLS, or Insecure.
	Listen string `yaml:"listen"`
	// Users are those who may connect. Without any, the embedded server is in
	// development mode. On somebody's bus, shadowd makes durables for them.
	Users    []User `yaml:"users"`
	TLS      TLS    `yaml:"tls"`
	Insecure bool   `yaml:"insecure"`
	DataDir  string `yaml:"data_dir" is:"min=1"`      // of streams and keys
	Sync     string `yaml:"sync"`                     // "always", or how often the embedded server syncs to the disk
	Prefix   string `yaml:"prefix" is:"min=1,max=64"` // of every subject
	Replicas int    `yaml:"replicas" is:"of=1|3|5"`
	// MaxAge is how long IN keeps events; 0: for ever. OUT and the envelopes last twice
	// as long: reports are the state, and an audit needs the envelopes.
	MaxAge      time.Duration `yaml:"max_age" is:"max=36500d"`
	MaxBytes    int64         `yaml:"max_bytes" is:"size,min=1MiB,max=1024TiB"`
	OutMaxBytes int64         `yaml:"out_max_bytes" is:"size,max=1024TiB"` // of OUT and the bucket, each; 0: no bound
}

// Keys are files with secrets.
type Keys struct {
	Envelope string `yaml:"envelope"` // empty: envelope.nk in bus.data_dir
	Signing  string `yaml:"signing"`  // empty: signing.pem in bus.data_dir
}

// HTTP is the server for the page, metrics and health.
type HTTP struct {
	// Listen is its address; empty is no server. Off loopback it needs TokenFile,
	// or that all it serves is listed in Open, which needs no token.
	Listen    string         `yaml:"listen"`
	TokenFile string         `yaml:"token_file"`
	Reviewers []PageReviewer `yaml:"reviewers"`
	CertFile  string         `yaml:"cert_file"`
	KeyFile   string         `yaml:"key_file"`
	Open      []string       `yaml:"open" is:"unique;of=health|metrics|page"`
}

// PageReviewer is somebody who reviews on the page.
type PageReviewer struct {
	Name      string `yaml:"name" is:"required,id"` // in the reviews
	TokenFile string `yaml:"token_file" is:"required"`
}

// Notify is the webhook that is told what people should look at.
type Notify struct {
	URL        string `yaml:"url"` // empty: there is none
	Format     string `yaml:"format" is:"of=json|slack"`
	SecretFile string `yaml:"secret_file"` // of signatures
}

// Log is the log on standard error.
type Log struct {
	Level  string `yaml:"level" is:"of=debug|info|warn|error"`
	Format string `yaml:"format" is:"of=auto|text|json"`
}

// Default is the configuration of an empty file: what the documented config.yml
// says.
func Default() *Config {
	c := &Config{}
	if err := strict.ReadFile("config.yml", defaults.Config, c).Err(); err != nil {
		panic(err) // the file is part of the program
	}
	return c
}
