package shadow

// ItemKind is what an item of an assignment is.
type ItemKind string

// The kinds of items.
const (
	SubTask         ItemKind = "sub_task"
	Deliverable     ItemKind = "deliverable"
	Constraint      ItemKind = "constraint"
	RequirementItem ItemKind = "requirement"
)

// ItemRef names an item of a domain's assignment: the Index-th, from 0, of the
// domain's sub-tasks, deliverables or constraints, or of the decomposition's
// requirements.
type ItemRef struct {
	Kind  ItemKind `json:"kind"`
	Index int      `json:"index"`
}

// Item is an item of an assignment with its words.
type Item struct {
	ItemRef
	Text string
}
