package check

type index struct{}
