package shadow

// share deals an envelope's quota among n authors, one criterion at a time in
// the order of the categories and going on where the category before ended:
// within a category and over the whole envelope no author gets two more than
// another, and what does not divide goes to the first ones.
func share(quota map[Category]int, order []Category, n int) []map[Category]int {
	shares := make([]map[Category]int, n)
	for i := range shares {
		shares[i] = make(map[Category]int, len(order))
	}
	at := 0
	for _, c := range order {
		for range quota[c] {
			shares[at%n][c]++
			at++
		}
	}
	return shares
}

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
		if a.Ref().Name == filler.Ref().Name {
			continue
		}
		// As share deals them.
		asked := len(e.Criteria) / len(authors)
		if i < len(e.Criteria)%len(authors) {
			asked++
		}
		shares = append(shares, Share{a.Ref().Name, written[a.Ref().Name], max(asked-written[a.Ref().Name], 0)})
	}
	return append(shares, Share{Author: filler.Ref().Name, Written: written[filler.Ref().Name]})
}
