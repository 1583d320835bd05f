import { isObject } from '../../mcp-client/index.ts'
import { redact } from '../../platform/redaction/index.ts'
import type { AttributeValue } from '../../telemetry/index.ts'
import type { PlanResult } from './plan.ts'

const bytesMax = 16_384
/** A secret that lies across the end is seen whole, so that no half of it stays. */
const beyondBytes = 1024

/** What the tools of a server answered, as attributes. */
export interface CapturedResult {
	attributes: [name: string, value: AttributeValue][]
	/** What a failed tool says of its failure; '' where it says nothing. */
	message: string
}

/** The result of a call without what is private in it; of a longer one the beginning, and a note of that. */
export function capturedResult({ json, isError }: PlanResult): CapturedResult {
	const isCut = json.length > bytesMax
	const { text } = redact(isCut ? json.slice(0, bytesMax + beyondBytes) : json)
	const kept = text.slice(0, bytesMax).toWellFormed()
	return {
		attributes: [
			['gen_ai.tool.call.result', kept],
			...(isCut ? [['signalbox.result_cut', BigInt(json.length)] as [string, AttributeValue]] : []),
		],
		message: isError ? firstText(json) : '',
	}
}

/** Of the first piece of content that is a text; its beginning where it is long. */
function firstText(json: string): string {
	if (json.length > bytesMax) return ''
	const { content } = JSON.parse(json) as { content?: unknown }
	const texts = Array.isArray(content) ? content.filter(isObject).map(({ text }) => text) : []
	const first = texts.find((text) => typeof text === 'string')
	return typeof first === 'string' ? first.slice(0, 1024).toWellFormed() : ''
}

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
