// Package pack is the author of standing criteria: those that a team writes
// down once, in a YAML file, and has asked of every run.
//
//	version: 1
//	criteria:
//	  - assertion: The bundle says how to undo the change.
//	    expectation: A passage on rollback that names a step.
//	    message: say how the change is undone
//	    check: text.reads('roll back the change') == 'found'
//	    category: error_handling
//	    domains: ["deploy*", backend]
//
// [Parse] reads a file and finds every mistake in it, with its line, before
// the first run. [New] makes an author of it. Of more criteria than its share
// the author takes some by a secret draw, and only such as are meant for a
// domain of the run. For other domains it is not
// applicable.
//
// Both are pure, but for the random bytes of the draw.
package pack
