package components

// Actions are all that a component can ask for. Each is posted with a value of
// the type beside it; who draws the component handles it.
const (
	DoCopy   = "copy"   // Copy
	DoGo     = "go"     // string: a path of the app
	DoDialog = "dialog" // DialogCall: open a dialog; an empty Name closes the one that is open
	DoForget = "forget" // string: take the error of a form away

	// The composer.
	DoSend    = "send"    // Words
	DoType    = "type"    // Words: what stands in the composer now, to be kept
	DoCancel  = "cancel"  // nothing: neither reply nor edit
	DoMention = "mention" // room.Person: somebody was named by an @
	DoTooBig  = "toobig"  // int: the length, in code points, of what could not be pasted

	// A message.
	DoReact   = "react"   // Mark
	DoUnreact = "unreact" // Mark, ID is the reaction's
	DoReply   = "reply"   // string: the message's id
	DoEdit    = "edit"    // string
	DoRetry   = "retry"   // string
	DoDiscard = "discard" // string
	DoJump    = "jump"    // string: show the message with this id
	DoDelete  = "delete"  // string
	DoReport  = "report"  // Mark, Text is a NIP-56 type
	DoBlock   = "block"   // string: a public key

	// Identity.
	DoExtension    = "extension"     // nothing
	DoRemote       = "remote"        // string: the address of a remote signer
	DoInviteSigner = "invite_signer" // string: the relay to wait for a remote signer at
	DoCancelSigner = "cancel_signer" // nothing: give up connecting to one
	DoReconnect    = "reconnect"     // nothing: look for the remote signer that is away
	DoCreateKey    = "create_key"    // Secret
	DoImportKey    = "import_key"    // Secret
	DoUnlock       = "unlock"        // Secret
	DoBackup       = "backup"        // nothing
	DoCheckBackup  = "check_backup"  // Secret
	DoSignOut      = "sign_out"      // bool: wipe this browser
	DoSwitch       = "switch"        // string: a public key
	DoProfile      = "profile"       // Profile
	DoUnblock      = "unblock"       // string: a public key

	// The look.
	DoPictures = "pictures" // bool: load pictures of others without asking each time

	// Relays.
	DoAddRelay    = "add_relay"    // RelayChange
	DoRemoveRelay = "remove_relay" // RelayChange
	DoRelayAuth   = "relay_auth"   // RelayChange
	DoAskedRelay  = "asked_relay"  // RelayAnswer

	// Rooms.
	DoCreateRoom   = "create_room"   // RoomChange
	DoEditRoom     = "edit_room"     // RoomChange
	DoJoin         = "join"          // nothing: the room that is open
	DoLeave        = "leave"         // nothing
	DoInvite       = "invite"        // nothing
	DoAddMember    = "add_member"    // string: hex or npub
	DoRemoveMember = "remove_member" // string: hex
	DoReadAll      = "read_all"      // nothing
	DoDismiss      = "dismiss"       // string: a notice's code
	DoToastOff     = "toast_off"     // int: the number of a Toast that is done with
	DoFind         = "find"          // string: what somebody pasted to be opened

	// The page itself.
	DoReload  = "reload"  // nothing: another build is there
	DoRestart = "restart" // nothing: the core gave up
	DoDetails = "details" // nothing: show or hide the details
	DoLatest  = "latest"  // nothing: go to the end of the log
)

// Copy is a text for the clipboard. What names it for the reader.
type Copy struct {
	Text string
	What string
}

// Words are what somebody wrote, with the key of the draft they stand in.
type Words struct {
	Key  string
	Text string
}

// Mark is a short word on an event.
type Mark struct {
	ID   string
	Text string
}

// Secret is a key or a passphrase on its way to the core.
type Secret struct {
	Secret     string
	Passphrase string
}

// Profile is what a person says about themselves (kind 0).
type Profile struct {
	Name    string
	About   string
	Picture string
}

// RelayChange is a relay and what is to become of it.
type RelayChange struct {
	URL  string
	Auth string // always, ask or never
}

// RelayAnswer answers a dialog about a relay. Kind is open or auth.
type RelayAnswer struct {
	Kind  string
	URL   string
	Allow bool
}

// RoomChange is a room as somebody wants it.
type RoomChange struct {
	Relay      string
	Name       string
	About      string
	Private    bool
	Closed     bool
	Restricted bool
}

// DialogCall names a dialog and what it is about.
type DialogCall struct {
	Name string
	ID   string
}
