import type { AttributeValue } from '../../telemetry/index.ts'
import { isObject } from '../json-rpc/message.ts'

const bytesMax = 16_384

/** The arguments of a call as attributes: whole, or with a note why not. A part of them would be judged as another call. */
export function capturedArguments(values: unknown): [name: string, value: AttributeValue][] {
	if (values !== undefined && !isObject(values)) return []
	const json = toJson(values ?? {})
	if (json === null) return [['signalbox.arguments_omitted', 'number']]
	if (Buffer.byteLength(json) > bytesMax) return [['signalbox.arguments_omitted', 'size']]
	return [['gen_ai.tool.call.arguments', json]]
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
