package shadow

// Bundle is a commander's finished work on its domain.
type Bundle struct {
	BundleID    string     `json:"bundle_id"`
	Domain      string     `json:"domain"`
	CommanderID string     `json:"commander_id"`
	Status      string     `json:"status"` // success, partial or failed
	Summary     string     `json:"summary,omitempty"`
	AtomsMerged int        `json:"atoms_merged,omitempty"`
	Conflicts   []Conflict `json:"conflicts,omitempty"`
	Content     string     `json:"content"` // Markdown: the document under test
	Confidence  float64    `json:"confidence,omitempty"`
	WallClockS  float64    `json:"wall_clock_s,omitempty"`
	Implementer *Model     `json:"implementer,omitempty"`
	OpenTests   *OpenTests `json:"open_tests,omitempty"`
}

// Conflict is a disagreement inside a commander's team, and how it ended.
type Conflict struct {
	Description string `json:"description"`
	Resolution  string `json:"resolution,omitempty"`
}

// OpenTests counts the tests that the implementer could see.
type OpenTests struct {
	Total      int                    `json:"total"`
	Passed     int                    `json:"passed"`
	Failed     int                    `json:"failed"`
	ByCategory map[Category]TestTally `json:"by_category,omitempty"`
}

// TestTally counts tests of one category.
type TestTally struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}
