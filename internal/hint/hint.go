// Package hint gives an error what the command line adds to it: what to do
// next, and the exit code.
package hint

// The exit codes of a command.
const (
	ExitClean  = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// Error is an error with a hint for the user.
type Error struct {
	error
	Hint string // what to do next; may be empty
	Code int    // the exit code
}

// Unwrap returns the error without its hint.
func (e *Error) Unwrap() error { return e.error }

// Usage marks err as wrong usage or a wrong configuration: exit code 2.
func Usage(err error, hint string) error { return &Error{err, hint, ExitUsage} }

// Failed gives err a hint: exit code 1.
func Failed(err error, hint string) error { return &Error{err, hint, ExitFailed} }
