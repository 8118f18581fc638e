// Package progress reports how far a long piece of work is, from where it is
// done to whoever shows it. Where nobody shows it, it does nothing.
package progress

import (
	"context"
	"sync"
)

// Show is told how many of a total are done. The total is 0 where it is not
// known. It is called by one goroutine at a time for each [Count].
type Show func(what string, done, total int)

type key struct{}

// With lets show hear of what is done under the context.
func With(ctx context.Context, show Show) context.Context {
	return context.WithValue(ctx, key{}, show)
}

// In puts the name of a part before what is said of it.
func In(ctx context.Context, part string) context.Context {
	show, ok := ctx.Value(key{}).(Show)
	if !ok {
		return ctx
	}
	return With(ctx, func(what string, done, total int) { show(part+": "+what, done, total) })
}

// Count begins to count. The function that it returns counts one more, and any
// goroutine may call it.
func Count(ctx context.Context, what string, total int) (step func()) {
	show, ok := ctx.Value(key{}).(Show)
	if !ok {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	show(what, done, total)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		show(what, done, total)
	}
}
