package bus

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var (
	trades = []struct {
		domain string
		verbs  []string
	}{
		{"architecture", []string{"Design the data model of", "Define the boundaries of", "Choose the storage for", "Plan the rollout of"}},
		{"implementation", []string{"Implement retries in", "Add input validation to", "Move the configuration of", "Write the migration for"}},
		{"testing", []string{"Write unit tests for", "Measure the latency of", "Simulate an outage of", "Fuzz the parser of"}},
		{"documentation", []string{"Describe the operation of", "Write a runbook for", "Draw a diagram of", "List the error codes of"}},
		{"integration", []string{"Connect the gateway to", "Agree on a contract for", "Monitor the health of", "Rehearse the rollback of"}},
	}
	things = []string{
		"the invoice export", "the session store", "the price cache", "the audit trail", "the mail queue", "the search index",
		"the upload form", "the payment webhook", "the report archive", "the address book", "the loyalty ledger", "the stock forecast",
	}
	circumstances = []string{
		"when the database is unavailable", "for expired entries", "within 30 seconds", "before the nightly backup",
		"for at most 500 tenants", "without losing open orders", "after a failed deployment", "for duplicate requests",
	}
	constraints = []string{"Existing customers must not notice the change", "Response times stay below 250 ms", "No personal data leaves the region"}
)

// writeDecomposition makes up a run of three to five domains.
func writeDecomposition(rnd *rand.Rand, run, scale string) *shadow.Decomposition {
	d := &shadow.Decomposition{RunID: run, Scale: scale, Task: "Renew the back office in a quarter without an interruption of sales"}
	for _, i := range rnd.Perm(len(trades))[:3+rnd.IntN(3)] {
		trade := trades[i]
		dom := shadow.Domain{
			Domain:       trade.domain,
			CommanderID:  "cmd-" + trade.domain,
			TaskBrief:    "Take care of the " + trade.domain + " of the renewed back office.",
			Deliverables: []string{trade.domain + " report"},
			Constraints:  []string{pick(rnd, constraints)},
		}
		about := rnd.Perm(len(things))
		for k := range 5 {
			dom.SubTasks = append(dom.SubTasks, fmt.Sprintf("%s %s %s", pick(rnd, trade.verbs), things[about[k]], pick(rnd, circumstances)))
		}
		d.Domains = append(d.Domains, dom)
	}
	return d
}

// writeBundle makes up the bundle of a domain that does so many of its
// sub-tasks. One that does not do all says so, and has a table that does not
// add up.
func writeBundle(rnd *rand.Rand, dom *shadow.Domain, does int) shadow.Bundle {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s report\n\nThis is the %s report for the renewed back office.\n", strings.ToUpper(dom.Domain), dom.Domain)
	days, total := make([]int, does), 0
	for i, task := range dom.SubTasks[:does] {
		days[i] = 1 + rnd.IntN(9)
		total += days[i]
		fmt.Fprintf(&b, "\n## Part %d\n\n%s: this is done. The team took %d days to %s. %s, and two reviewers agreed.\n",
			i+1, task, days[i], lowerFirst(task), pick(rnd, []string{"The result runs in production", "All checks are green", "The figures were taken twice"}))
	}
	for _, c := range dom.Constraints {
		fmt.Fprintf(&b, "\nWe kept to the constraint: %s. It was checked on the staging system.\n", lowerFirst(c))
	}
	if does < len(dom.SubTasks) {
		total += 7
		fmt.Fprintf(&b, "\n## Open ends\n\nTODO: the rest.\n\n")
		for _, task := range dom.SubTasks[does:] {
			fmt.Fprintf(&b, "- We did not %s.\n", lowerFirst(task))
		}
	}
	fmt.Fprintf(&b, "\n## Effort\n\n| part | days |\n|---|---|\n")
	for i, n := range days {
		fmt.Fprintf(&b, "| %d | %d |\n", i+1, n)
	}
	fmt.Fprintf(&b, "| total | %d |\n", total)
	return shadow.Bundle{
		BundleID:    "b-" + dom.Domain,
		Domain:      dom.Domain,
		CommanderID: dom.CommanderID,
		Status:      "success",
		Summary:     fmt.Sprintf("The %s of the renewed back office.", dom.Domain),
		Content:     b.String(),
		Confidence:  0.9,
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }
