package e2e

import "testing"

func TestTwoBrowsersTalkBothWays(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ben := visit(t, s, "ben", "/").signUp().enter("lobby")
	ana.say("Hello Ben")
	ben.reads("Hello Ben")
	ben.say("Hello Ana")
	ana.reads("Hello Ben", "Hello Ana")
	ana.stands("Hello Ben", "stored")
}

func TestReloadShowsTheSameRoom(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.say("one")
	ana.say("two")
	ana.stands("two", "stored")
	ana.reload()
	ana.reads("one", "two")
}

func TestSendWhileTheRelayIsDownArrivesOnce(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ben := visit(t, s, "ben", "/").signUp().enter("lobby")
	ana.say("before")
	ben.reads("before")
	s.kill()
	ana.wait("to be offline", `document.querySelector("[data-connection]").dataset.connection !== "online"`)
	ana.say("while the relay is down")
	ana.stands("while the relay is down", "waiting")
	s.start()
	ben.reads("before", "while the relay is down")
	ana.stands("while the relay is down", "stored")
	ana.reads("before", "while the relay is down")
}
