// Package page shows runs over HTTP to the operator: a list of the newest
// ones with trends, and each run from its seal to its verdict, live.
//
// What it guarantees: until a run is scored, nothing of it is shown that its
// envelope seals: no assertion, expectation or finding, and no words of judges.
// Reports are copied field by field before they are shown, so that a new field
// is hidden until somebody lets it through. Nothing can be changed over it, and
// what it keeps in memory is bounded: a few words on each of the newest runs.
// What it does not: scores, levels and gates are shown as soon as they are
// stored, and a scored run with all that was sealed. So it is not for the swarm.
package page
