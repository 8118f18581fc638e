// Package rules is the built-in author of sealed criteria: rules written by
// hand, no model and no network.
//
// From a decomposition it takes what every domain was asked for (sub-tasks,
// deliverables, constraints, and the requirements that bear on them), gives
// each item to one category, and spreads the items of a category over that
// category's criteria. What is left of the quota goes to questions that can be
// asked of any piece of work: do the figures add up, is anything left open,
// does it say what happens on failure.
//
// A secret draw decides which questions are asked, in which words, and which
// items stand together. It never decides whether an item is asked: in every
// draw each domain's items are all in the envelope, once. The arithmetic is
// always asked too.
//
// A phrase of the decomposition is untrusted. It reaches a check only as
// material, never as part of the expression.
package rules
