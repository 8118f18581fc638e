package rules_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// reading is what a careful reader says of one item: that its bundle
// addresses it, that it does not, or that it cannot be told.
type reading string

const (
	addressed reading = "addressed"
	absent    reading = "absent"
	untold    reading = "cannot be told"
)

// jwtReadings are the readings of ../shared/runs/jwt-ss100.jsonl by domain.
var jwtReadings = map[string]map[string]reading{
	"architecture": {
		"Define the JWT token structure and its claims":                  addressed,
		"Design the login and token refresh flow":                        addressed,
		"Define key management and key rotation":                         addressed,
		"Plan the migration from session cookies to JWT":                 addressed,
		"Specify how expired, malformed and invalid tokens are rejected": addressed,
		"Define a rate limiting policy for the token endpoints":          absent,
		"token structure":                   addressed,
		"authentication flow":               addressed,
		"key rotation strategy":             addressed,
		"migration strategy":                addressed,
		"Access tokens expire after 1 hour": addressed,
		"Signatures use RS256":              addressed,
	},
	"implementation": {
		"Implement token generation and verification in a JWT service":              addressed,
		"Add the refresh endpoint to the auth routes":                               addressed,
		"Wrap the existing auth middleware for dual-mode authentication":            addressed,
		"Write the database migration script that creates the refresh_tokens table": absent,
		"Log issuance, refresh and revocation of tokens for the audit trail":        absent,
		"Configure storage for the RSA key pair":                                    addressed,
		"jwt-service.ts":                                                            addressed,
		"jwt-middleware.ts":                                                         addressed,
		"migration script for refresh_tokens":                                       absent,
		"Existing session users must stay logged in":                                addressed,
		"Roll out gradually":                                                        addressed,
	},
	"testing": {
		"Unit tests for token generation, validation and expiry":     addressed,
		"Integration tests for the login and refresh flow":           addressed,
		"Security tests for token tampering and replay attacks":      addressed,
		"Test concurrent refresh requests":                           addressed,
		"Test behaviour when the database is unavailable":            addressed,
		"Benchmark token validation latency against session lookups": untold, // four performance tests, of what is not said
		"test matrix":     addressed,
		"coverage target": addressed,
		"At least 95% coverage for new JWT modules": addressed,
	},
	"documentation": {
		"Update the README with the key generation step":             addressed,
		"Document the refresh endpoint in the OpenAPI specification": addressed,
		"Write the migration guide with a rollback procedure":        addressed,
		"Add an architecture diagram of the JWT flow":                addressed,
		"Document the error codes returned by the auth endpoints":    absent,
		"Write a runbook for emergency key revocation":               absent,
		"README section":  addressed,
		"OpenAPI update":  addressed,
		"migration guide": addressed,
	},
	"integration": {
		"Update the frontend API client to send the Authorization header":   addressed,
		"Plan secure token storage on iOS and Android":                      addressed,
		"Configure the API gateway and CORS for the Authorization header":   addressed,
		"Check OAuth providers and webhook receivers for required changes":  addressed,
		"Define a phased rollout":                                           addressed,
		"Update monitoring dashboards and alerts for authentication errors": untold, // "Monitor" is a phase of the rollout
		"integration points summary":                                        addressed,
		"rollout phases":                                                    addressed,
		"Partners get 60 days notice":                                       addressed,
	},
}

// importReadings are those of testdata/import.jsonl.
var importReadings = map[string]map[string]reading{
	"importer": {
		"Parse the CSV file with the column mapping of the customer": addressed,
		"Merge duplicate contacts by email address":                  addressed,
		"Skip malformed rows and write them to the rejection report": addressed,
		"Store the original upload in the bucket import-originals":   addressed,
		"Send the customer an email with the import result":          absent,
		"Resume an interrupted import from the last checkpoint":      addressed,
		"importer worker cmd/importer":                               addressed,
		"migration 0007_import_jobs.sql":                             addressed,
		"An import has at most 50,000 rows":                          addressed,
		"Uploads are deleted after 14 days":                          addressed, // "two weeks"
		"Do not change the contacts API":                             untold,
	},
	"interface": {
		"Upload page with drag and drop for CSV files":              addressed,
		"Mapping page that shows the first 5 rows as a preview":     addressed,
		"Show validation errors beside the row that they belong to": addressed,
		"Progress bar for imports over 1,000 rows":                  absent,
		"Translate the import pages into German and French":         absent, // declined
		"wireframes of the upload page":                             addressed,
		"list of interface texts":                                   addressed,
		"Pages load within 2 seconds":                               addressed, // "in 0.8 seconds"
	},
}

// In 200 draws (-full) nothing that a reader finds addressed is called missing in more
// than 2 % of them, and what must be found is found in at least 95 %.
func TestReadings(t *testing.T) {
	type expectation struct {
		run      run
		readings map[string]map[string]reading
		found    []string // must be called missing
		wrong    []string // domains whose figures are wrong
	}
	cases := map[string]expectation{}
	own, _ := readRun(t, "testdata/import.jsonl")
	cases["import"] = expectation{own, importReadings,
		[]string{"Progress bar for imports over 1,000 rows", "Translate the import pages into German and French"}, []string{"interface"}}
	if r, ok := readRun(t, "../../../../shared/runs/jwt-ss100.jsonl"); ok {
		cases["jwt"] = expectation{r, jwtReadings, []string{
			"Write the database migration script that creates the refresh_tokens table",
			"Log issuance, refresh and revocation of tokens for the audit trail"}, nil}
	}
	draws := drawsOf(200)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			calls := map[string]int{}
			scores := map[string]tally{}
			for n := range draws {
				x := mustSeal(t, c.run.d, n, 8, fourCategories)
				for d, b := range c.run.bundles {
					j := x.Judge(evidence(&b))
					scores[d] = append(scores[d], j.Score().Failed)
					for _, p := range called(t, j, slices.Collect(maps.Keys(c.readings[d]))) {
						calls[p]++
					}
					miscalculated := false
					for i := range j.Verdicts {
						v := &j.Verdicts[i]
						miscalculated = miscalculated || strings.Contains(v.Criterion.Check, "miscalculations") && v.Actual != ""
					}
					if miscalculated != slices.Contains(c.wrong, d) {
						t.Errorf("draw %d: %s: miscalculations found: %v", n, d, miscalculated)
					}
				}
			}
			for d, rs := range c.readings {
				for p, r := range rs {
					if r == addressed && calls[p]*100 > 2*draws {
						t.Errorf("%s: %q is addressed, and called missing in %d of %d draws", d, p, calls[p], draws)
					}
					if r != addressed {
						t.Logf("called missing in %3d of %d draws (%s): %s: %s", calls[p], draws, r, d, p)
					}
				}
			}
			for _, p := range c.found {
				if calls[p]*100 < 95*draws {
					t.Errorf("%q is found missing in %d of %d draws only", p, calls[p], draws)
				}
			}
			for _, d := range slices.Sorted(maps.Keys(scores)) {
				least, median, most := scores[d].spread()
				t.Logf("%-15s failed of 8: %d / %d / %d (least, median, most)", d, least, median, most)
			}
		})
	}
}

// The readings cover all that the runs ask for.
func TestReadingsAreComplete(t *testing.T) {
	own, _ := readRun(t, "testdata/import.jsonl")
	runs := map[*run]map[string]map[string]reading{&own: importReadings}
	if r, ok := readRun(t, "../../../../shared/runs/jwt-ss100.jsonl"); ok {
		runs[&r] = jwtReadings
	}
	for r, readings := range runs {
		for i := range r.d.Domains {
			dom := &r.d.Domains[i]
			for _, p := range askedOf(dom) {
				if readings[dom.Domain][p] == "" {
					t.Errorf("%s: no reading of %q", dom.Domain, p)
				}
			}
		}
	}
}
