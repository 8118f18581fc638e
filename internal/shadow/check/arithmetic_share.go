package check
func (c *checker) shares() {}
func (c *checker) totals() {}
func (c *checker) tables() {}
func (c *checker) lists() {}
