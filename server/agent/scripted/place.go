package scripted

// room answers a message in a room.
func (s *script) room() error { return s.session() }

// task carries out a task.
func (s *script) task() error { return s.session() }
