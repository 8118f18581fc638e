package shadow

// Share is what became of one author's share of an envelope.
type Share struct {
	Author string
	// Written is how many of the criteria are the author's, Short how many of
	// its share others wrote in its place.
	Written, Short int
}

// Shares tells, for each author that was asked and then for the filler, what
// it wrote of the envelope. They are those of the [SealInput].
func (e *Envelope) Shares(authors []Author, filler Author) []Share {
	written := map[string]int{}
	for i := range e.Criteria {
		written[e.Criteria[i].Author]++
	}
	var shares []Share
	for i, a := range authors {
		if a.Name() == filler.Name() {
			continue
		}
		// As share deals them.
		asked := len(e.Criteria) / len(authors)
		if i < len(e.Criteria)%len(authors) {
			asked++
		}
		shares = append(shares, Share{a.Name(), written[a.Name()], max(asked-written[a.Name()], 0)})
	}
	return append(shares, Share{Author: filler.Name(), Written: written[filler.Name()]})
}
