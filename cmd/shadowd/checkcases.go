package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

// caseLine is a line on its way to a worker, and the place of its answer.
type caseLine struct {
	no     int
	data   []byte
	long   bool // longer than maxLine, and cut
	answer chan caseResult
}

// runCases evaluates the lines of a file on all cores and answers in their
// order.
func runCases(ctx context.Context, a *app, file string) error {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return hint.Usage(err, "")
		}
		defer f.Close()
		in = f
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan *caseLine)
	// Lines that wait for their turn to be written: enough that a slow one
	// leaves no core idle, few enough that long ones fit into memory.
	inOrder := make(chan *caseLine, 8*workers)
	e := newCaseEvaluator()
	for range workers {
		go func() {
			for l := range jobs {
				l.answer <- e.answer(l)
			}
		}()
	}
	var readErr error // to be read once inOrder is closed
	go func() {
		defer close(inOrder)
		defer close(jobs)
		readErr = readCases(ctx, in, inOrder, jobs)
	}()
	out := bufio.NewWriter(a.Stdout)
	total, bad, err := writeAnswers(ctx, out, inOrder)
	switch {
	case err != nil:
		return err
	case readErr != nil:
		return hint.Usage(fmt.Errorf("%s: %w", file, readErr), "")
	case total == 0:
		return hint.Usage(fmt.Errorf("%s holds no cases", file), `each line is {"id": …, "check": "text.words().size() > 100", "text": "…"}`)
	case bad > 0:
		return hint.Failed(fmt.Errorf("%d of %s could not be evaluated", bad, plural(total, "case")), "")
	}
	return nil
}

// readCases hands the lines of r that are not blank to the workers, in order.
func readCases(ctx context.Context, r io.Reader, inOrder, jobs chan<- *caseLine) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for no := 1; ; no++ {
		data, long, err := readLine(br)
		if no == 1 {
			data = bytes.TrimPrefix(data, byteOrderMark)
		}
		if data = bytes.TrimSpace(data); len(data) > 0 {
			l := &caseLine{no, data, long, make(chan caseResult, 1)}
			for _, to := range []chan<- *caseLine{inOrder, jobs} {
				select {
				case to <- l:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line, of which it keeps maxLine bytes.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room {
			part, long = part[:room], true
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// writeAnswers writes the answers in the order of their lines, and counts
// them and the errors among them.
func writeAnswers(ctx context.Context, out *bufio.Writer, inOrder <-chan *caseLine) (total, bad int, err error) {
	enc := render.NewEncoder(out)
	for {
		if len(inOrder) == 0 { // somebody may be waiting at the other end
			if err := out.Flush(); err != nil {
				return total, bad, err
			}
		}
		var l *caseLine
		more := false
		select {
		case l, more = <-inOrder:
		case <-ctx.Done():
			return total, bad, errors.Join(out.Flush(), ctx.Err())
		}
		if !more {
			return total, bad, out.Flush()
		}
		select {
		case r := <-l.answer:
			total++
			if r.Verdict == "error" {
				bad++
			}
			if err := enc.Encode(r); err != nil {
				return total, bad, err
			}
		case <-ctx.Done():
			return total, bad, errors.Join(out.Flush(), ctx.Err())
		}
	}
}
