import { type OtlpSignal, writeRequest } from '../encode-request.ts'
import { WireWriter } from '../wire-writer.ts'

/** A request of OTLP's JSON form in protobuf, as strange as it may be. `packed`: whether lists of numbers are one field each. */
export function encodeMessage(name: OtlpSignal, json: object, packed = true): Buffer {
	const w = new WireWriter()
	writeRequest(w, name, json, { backwards: true, unpacked: !packed })
	w.text(900, 'a field of the future')
	return w.toBuffer()
}
