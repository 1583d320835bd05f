import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '@signalbox/contract'
import { askedFields } from '../asked-model.ts'
import type { ConnectionEntry } from '../connections/connection-entry.ts'
import type { Step } from '../reliability/call-plan.ts'
import { topLevelValue } from '../top-level-value.ts'

/** Whose chat completions tell of usage on a stream only when they are asked to. */
const silent: ReadonlySet<Provider> = new Set(['openai', 'openai_compatible', 'azure_openai'])
const wanted: ReadonlySet<string> = new Set(['stream', 'stream_options'])
const member = '"include_usage":true'

/** The step with a body that asks for usage, where its connection wants that and its client does not ask. */
export function askForUsage(
	step: Step,
	connection: ConnectionEntry | null,
	headers: IncomingHttpHeaders,
): Step {
	const { provider, surface } = step.target
	if (!connection?.injectsUsage || !silent.has(provider) || surface?.operation !== 'chat') return step
	const body = bodyThatAsks(headers, step.body)
	return body ? { ...step, body, usageInjected: true, plainAnswer: true } : step
}

/** The same to the byte else. Null: it is no stream, or its client has said whether it wants to know. */
function bodyThatAsks(headers: IncomingHttpHeaders, body: Buffer): Buffer | null {
	const fields = askedFields(headers, body, wanted)
	if (fields?.get('stream') !== true) return null
	if (!fields.has('stream_options'))
		return insert(body, body.indexOf('{') + 1, `"stream_options":{${member}},`)
	const options = fields.get('stream_options')
	const at = topLevelValue(body.toString('latin1'), 'stream_options', /^(null|\{)/)
	if (at === null) return null
	if (options === null) return Buffer.concat([body.subarray(0, at), braced, body.subarray(at + 4)])
	if (typeof options !== 'object' || 'include_usage' in options) return null
	return insert(body, at + 1, Object.keys(options).length === 0 ? member : `${member},`)
}

const braced = Buffer.from(`{${member}}`)

function insert(body: Buffer, at: number, text: string): Buffer {
	return Buffer.concat([body.subarray(0, at), Buffer.from(text), body.subarray(at)])
}
