package arithmetic

func (r *reader) relations()                  {}
func (r *reader) sums()                       {}
func (r *reader) lists()                      {}
func (r *reader) converted(from, at int) bool { return false }
