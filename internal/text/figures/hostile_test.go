package figures

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/texttest"
)

// TestHostile: what is made to be slow takes no longer than its length allows.
func TestHostile(t *testing.T) {
	const size = texttest.Size
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	texts := texttest.Hostile(size)
	for name, text := range map[string]string{
		"one line of numbers": rep("17 "), "one sum": rep("1+1+"), "spaced sums": rep("1 + 1 + "), "equalities": rep("= "), "equations": rep("1 + 1 = 3\n"),
		"shares on lines": rep("8 of 20 (45%)\n\n"), "cells": "|a|b|\n|-|-|\n" + rep("|1|2|\n"), "totals": "|a|b|\n|-|-|\n" + rep("|Total|2|\n"),
		"narrow tables": rep("|a|b|\n|-|-|\n|x|1|\n|Total|2|\n\n"), "wide": strings.Repeat("|1", 16) + "\n" + strings.Repeat("|-", 16) + "\n" + rep("|Total"+strings.Repeat("|1", 15)+"\n"),
		"open brackets": rep("[insert "), "marks": rep("TODO: a\n\n"), "cells to fill": "|a|b|\n|-|-|\n" + rep("|TBD|TBD|\n"), "keys": rep("AKIA"), "key words": rep("ghp_ "), "begins": rep("-----BEGIN "),
		"stubs": "```\n" + rep("def f():\n") + "```", "filler": rep("lorem ipsum dolo "), "paragraph": rep("TODO: a [your b]\n"), "code spans": rep("`[your x]` "),
		"units": rep("1,200 ms and "),
	} {
		texts[name] = text
	}
	slowest, which := time.Duration(0), ""
	for name, text := range texts {
		doc := markdown.Parse(text)
		start := time.Now()
		Numbers(doc)
		Places(doc, false)
		Secrets(doc)
		if took := time.Since(start); took > slowest {
			slowest, which = took, fmt.Sprintf("%s, %d bytes", name, len(text))
		}
	}
	t.Logf("slowest: %v, %s", slowest, which)
	if slowest > 20*time.Second { // milliseconds where the time is linear
		t.Errorf("%s took %v", which, slowest)
	}
}
