package app

// sessionState is an AI session as the page shows it.
type sessionState struct{}
