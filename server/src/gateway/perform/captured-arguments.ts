import { redact } from '../../platform/redaction/index.ts'
import type { AttributeValue } from '../../telemetry/index.ts'
import { isObject } from '../json-rpc/message.ts'

const bytesMax = 16_384

/**
 * The arguments of a call as attributes: without what is private in them and a note of that, or only with a note why not. A
 * part of them would be judged as another call, so the simulator takes redacted ones as not recorded.
 */
export function capturedArguments(values: unknown): [name: string, value: AttributeValue][] {
	if (values !== undefined && !isObject(values)) return []
	const json = toJson(values ?? {})
	if (json === null) return [['signalbox.arguments_omitted', 'number']]
	if (Buffer.byteLength(json) > bytesMax) return [['signalbox.arguments_omitted', 'size']]
	const { text, found } = redact(json)
	if (found.size === 0) return [['gen_ai.tool.call.arguments', json]]
	const redacted: [string, AttributeValue] = ['signalbox.redacted', [...found.keys()]]
	return isJson(text)
		? [['gen_ai.tool.call.arguments', text], redacted]
		: [['signalbox.arguments_omitted', 'private'], redacted]
}

/** Null when a number has no form in JSON (`1e999` is read as infinite), so that it would come back as another value. */
function toJson(values: object): string | null {
	let whole = true
	const json = JSON.stringify(values, (_key, value: unknown) => {
		if (typeof value === 'number' && !Number.isFinite(value)) whole = false
		return value
	})
	return whole ? json : null
}

/** What has no end of its own, such as a key that was cut off, is redacted to the end of the text. */
function isJson(text: string): boolean {
	try {
		JSON.parse(text)
		return true
	} catch {
		return false
	}
}
