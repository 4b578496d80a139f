package ledger

import "dowse"

// A reason is written to disk as a small code: its position in dowse.ReasonHelp,
// counted from 1. Codes never change their meaning, so reasons are added at the
// end of that list. A retired reason keeps its code for reading: it is read as
// the reason that replaced it.
const codeHostDown = 17 // "host.down", now net.connect

var reasons, reasonCodes = func() ([]dowse.Reason, map[dowse.Reason]uint8) {
	list, codes := []dowse.Reason{""}, map[dowse.Reason]uint8{"": 0}
	for _, r := range dowse.ReasonHelp() {
		if len(list) == codeHostDown {
			list = append(list, dowse.FailConnect)
		}
		codes[r.Reason] = uint8(len(list))
		list = append(list, r.Reason)
	}
	return list, codes
}()

// ReasonCode returns the code of a reason; 0 for "" and for one that is not in
// the list.
func ReasonCode(r dowse.Reason) uint8 { return reasonCodes[r] }

// ReasonOf returns the reason with a code, "" for an unknown one.
func ReasonOf(code uint8) dowse.Reason {
	if int(code) < len(reasons) {
		return reasons[code]
	}
	return ""
}
