// Package rules is the built-in author of sealed criteria: rules written by
// hand, no model and no network.
//
// It asks only what can be decided, by three kinds of criteria:
//
//   - Delivery: the items of each domain's assignment (sub-tasks, deliverables,
//     constraints, requirements that bear on it) are delivered. The rules of
//     reading decide where they are sure, a panel of judges where there is one.
//     What nobody reads fails nothing.
//   - Limits: a limit that the assignment states as a figure stands in the work.
//   - Questions to any work that a program can answer: do the figures come out,
//     is something left to fill in, is a secret printed.
//
// An item is filed by its grammar: a deliverable is completeness; an item is
// error handling if its verb, the head of its object or its condition is of
// failures; one with another condition or a bound is an edge case; the rest is
// the happy path. A word elsewhere in an item does not count. The words are
// those of filing.txt.
//
// A category with few items or none has fewer criteria, one at least, and the
// others have more: no category asks for what another is about.
//
// In every draw each item is asked, and so are the figures and whether the work
// is finished. A secret draw decides which items stand together, whether limits
// are asked for, and in which words.
//
// An item of the decomposition is untrusted text. It reaches a criterion as a
// reference or as material, never as part of an expression.
package rules
