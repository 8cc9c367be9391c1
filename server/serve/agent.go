package serve

import (
	"context"
	"fmt"
	"path/filepath"

	"parley/server/agent"
	"parley/wasm/room"
)

// houseName is what the agent of the house is called.
const houseName = "House agent"

// prepareAgent makes the house agent of the embedded relay, if there is to be
// one. It does nothing yet.
func (m *Main) prepareAgent() error {
	if m.config.Agent == nil || !m.embedded() {
		return nil
	}
	config := *m.config.Agent
	config.Dir = filepath.Join(m.config.Data, "agent")
	secret, err := agent.Key(m.config.AgentKey, config.Dir)
	if err != nil {
		return err
	}
	url := webSocketURL(m.URL()) + relayPath
	config.Secret = secret
	config.Relays = []agent.Relay{{URL: url, Via: "ws://" + m.listener.Addr().String() + relayPath}}
	if config.Name == "" {
		config.Name = houseName
	}
	if len(config.Rooms) == 0 {
		config.Rooms = []agent.Room{{ID: lobby}}
	}
	config.Logger = m.log
	m.agent, err = agent.New(config)
	return err
}

// runAgent lets the agent work until Close.
func (m *Main) runAgent() {
	if m.agent == nil {
		return
	}
	go func() { // ends when Close closes the agent
		if err := m.agent.Run(context.Background()); err != nil {
			m.log.Error("the house agent has ended", "err", err)
		}
	}()
}

// closeAgent ends the agent, while the relay is still there to be told.
func (m *Main) closeAgent() error {
	if m.agent == nil {
		return nil
	}
	if err := m.agent.Close(); err != nil {
		return fmt.Errorf("closing the house agent: %w", err)
	}
	return nil
}

// agents are the npubs that the app is told about.
func (m *Main) agents() []string {
	if m.agent == nil {
		return []string{}
	}
	return []string{room.NPub(m.agent.PubKey())}
}
