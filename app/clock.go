package app

import "time"

// now is the time in unix seconds.
func now() int64 { return time.Now().Unix() }
