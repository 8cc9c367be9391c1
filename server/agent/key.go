package agent

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley/server/folder"
)

// keyFile holds the agent's secret key, 64 hex digits.
const keyFile = "agent.key"

// Key is the agent's secret key: the one given (nsec or 64 hex digits) or, when
// that is empty, the one kept in dir, made at the first time.
func Key(given, dir string) (secret [32]byte, err error) {
	if given = strings.TrimSpace(given); given != "" {
		secret, err = folder.ParseKey(given)
	} else {
		secret, err = folder.Key(filepath.Join(dir, keyFile))
	}
	if err != nil {
		return secret, fmt.Errorf("the agent's key: %w", err)
	}
	return secret, nil
}
