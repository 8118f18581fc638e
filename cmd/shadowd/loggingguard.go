package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// guardedLog keeps sealed text out of a log: a message or a value that holds
// some is replaced by [shadow.Withheld]. What should be said is not in the log
// then; that it is missing is, and is counted.
//
// It is the last line, not the first: what logs is written so that there is
// nothing to withhold. Values that With gave are looked at when they are given.
type guardedLog struct{ slog.Handler }

func (h guardedLog) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, shadow.Guard(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(guarded(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h guardedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = guarded(a)
	}
	return guardedLog{h.Handler.WithAttrs(clean)}
}

func (h guardedLog) WithGroup(name string) slog.Handler { return guardedLog{h.Handler.WithGroup(name)} }

// guarded is an attribute without sealed text. Values that are neither text
// nor groups are judged by how they print.
func guarded(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, shadow.Guard(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, g := range group {
			clean[i] = guarded(g)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	case slog.KindAny:
		text := fmt.Sprint(v.Any())
		if b, ok := v.Any().([]byte); ok {
			text = string(b)
		}
		if shadow.Guard(text) != text {
			return slog.String(a.Key, shadow.Withheld)
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}
