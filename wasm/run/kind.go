package run

// The kinds of the draft NIP. The table of kinds is damaged in the source; the
// numbers are those of its sections.
const (
	KindStatus   = 25800   // agent to client: state, progress
	KindDelta    = 25801   // agent to client: a piece of text
	KindPrompt   = 25802   // client to agent: the question; its id is the run's id
	KindResponse = 25803   // agent to client: the answer, terminal
	KindTool     = 25804   // agent to client: tool telemetry
	KindError    = 25805   // agent to client: the failure, terminal
	KindCancel   = 25806   // client to agent: please stop
	KindInfo     = 31340   // agent, public: capabilities
	KindSeal     = 13      // NIP-59
	KindWrap     = 1059    // NIP-59, stored
	KindWrapLive = 21059   // NIP-59, ephemeral
	Version      = 1       // "ver" of every payload
	Encryption   = "nip44" // the one encryption of this version
)

// IsKind says whether kind is one of the encrypted message kinds 25800-25806.
func IsKind(kind int) bool { return kind >= KindStatus && kind <= KindCancel }

// IsTerminal says whether kind ends a run: a response or an error.
func IsTerminal(kind int) bool { return kind == KindResponse || kind == KindError }

// IsDurable says whether the NIP wants kind to be kept by relays: prompts and
// terminals. The others are of the moment.
func IsDurable(kind int) bool { return kind == KindPrompt || IsTerminal(kind) }

// FromAgent says whether kind is written by the agent (else by the client).
func FromAgent(kind int) bool {
	return IsKind(kind) && kind != KindPrompt && kind != KindCancel
}
