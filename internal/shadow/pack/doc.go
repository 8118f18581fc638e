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
// [Parse] reads a file and finds every mistake in it, with its line, before the
// first run. [New] makes an author of it. If the file has more criteria than
// the author's share, a secret draw takes some. Only criteria that are meant
// for a domain of the run are taken. In the other domains they are not
// applicable.
//
// Both are pure, except for the random bytes of the draw.
package pack
