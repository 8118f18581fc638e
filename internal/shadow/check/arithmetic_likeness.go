package check

import (
	"strconv"
	"strings"
)

// The items of a list need not all be of the things that were counted: what
// they begin with tells those apart.

// isTests tells whether w names tests, of which a list may sum up several in
// one item.
func isTests(w string) bool {
	w = clean(w)
	return w == "tests" || w == "cases"
}

// distinct counts the items of a list but for those that begin with the same
// name of something, as in "quantile=0.5", "quantile=0.9", "sum".
func distinct(list *List) int {
	seen := map[string]bool{}
	for i := range list.Items {
		name := list.Items[i].Text
		if k := strings.IndexAny(name, "=: ("); k > 0 {
			name = name[:k]
		}
		if !strings.ContainsAny(name, "_.{}<>[]/$-") { // a word, not a name
			name = list.Items[i].Text
		}
		seen[name] = true
	}
	return len(seen)
}

// skips tells whether the last item has a number that only a longer list has:
// "Phase 8" as the fourth.
func skips(list *List) bool {
	words := strings.Fields(list.Items[len(list.Items)-1].Text)
	if len(words) < 2 {
		return false
	}
	v, err := strconv.Atoi(clean(words[1]))
	return err == nil && v > len(list.Items)
}

// headed counts the items that begin with a name and a mark: the others may
// say something of those.
func headed(list *List) int {
	n := 0
	for i := range list.Items {
		text := list.Items[i].Text
		text = text[:min(len(text), 60)]
		if strings.Contains(text, ": ") || strings.Contains(text, " → ") || strings.Contains(text, " -> ") || strings.Contains(text, " — ") || strings.Contains(text, " – ") {
			n++
		}
	}
	return n
}

// alike counts the items that begin alike, as "Option A" and "Option B" or as
// "3a" and "3b", where most do.
func alike(list *List) int {
	seen, most := map[string]int{}, 0
	for i := range list.Items {
		words := strings.Fields(list.Items[i].Text)
		if len(words) < 2 {
			continue
		}
		name := clean(words[0])
		end := digitsEnd(name, 0)
		if end > 0 {
			name = name[:end]
		}
		if end > 0 || len(clean(words[1])) < 3 && !notNouns[clean(words[1])] {
			seen[name]++
			most = max(most, seen[name])
		}
	}
	return most
}

// namesakes counts the items whose names end alike, as "Good players" and "Bad
// players" do, where most do.
func namesakes(list *List) int {
	seen, most := map[string]int{}, 0
	for i := range list.Items {
		head := list.Items[i].Text
		if k := strings.IndexAny(head, "(:—–"); k > 0 {
			head = head[:k]
		}
		words := strings.Fields(head)
		if len(words) < 2 || len(words) > 4 {
			continue
		}
		w := clean(words[len(words)-1])
		seen[w]++
		most = max(most, seen[w])
	}
	return most
}

// marked counts the items that begin with mark: others may go on about them.
func (c *checker) marked(list *List, mark string) int {
	n := 0
	for i := range list.Items {
		line := strings.TrimLeft(c.source(list.Items[i].No), " \t")
		if k := strings.IndexByte(line, ' '); k > 0 && strings.HasPrefix(strings.TrimLeft(line[k:], " "), mark) {
			n++
		}
	}
	return n
}

// remarkedItems counts the items that have a parenthesis that begins with the
// same word: "(weight: 0.2)".
func remarkedItems(list *List) int {
	seen, most := map[string]int{}, 0
	for i := range list.Items {
		_, remark, ok := strings.Cut(list.Items[i].Text, " (")
		if w, _, sep := strings.Cut(remark, ":"); ok && sep && !strings.ContainsAny(w, " )") {
			seen[w]++
			most = max(most, seen[w])
		}
	}
	return most
}
