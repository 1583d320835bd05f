import type { Provider } from '@signalbox/contract'
import type { CallBody } from '../call-body.ts'
import type { ConnectionEntry } from '../connections/connection-entry.ts'
import type { Step } from '../reliability/call-plan.ts'

/** Whose chat completions tell of usage on a stream only when they are asked to. */
const silent: ReadonlySet<Provider> = new Set(['openai', 'openai_compatible', 'azure_openai'])
const wanted: ReadonlySet<string> = new Set(['stream', 'stream_options'])
const member = '"include_usage":true'

/** The step with a body that asks for usage, where its connection wants that and its client does not ask. */
export function askForUsage(step: Step, connection: ConnectionEntry | null): Step {
	const { provider, surface } = step.target
	const isSilent = silent.has(provider) || surface?.format === 'openai'
	if (!connection?.injectsUsage || !isSilent || surface?.operation !== 'chat') return step
	const body = bodyThatAsks(step.body)
	return body ? { ...step, body, usageInjected: true, plainAnswer: true } : step
}

/** The same to the byte else. Null: it is no stream, or its client has said whether it wants to know. */
function bodyThatAsks(body: CallBody): CallBody | null {
	const fields = body.fields(wanted)
	if (fields?.get('stream') !== true) return null
	const options = body.member('stream_options')
	const start = body.plain.indexOf('{') + 1
	if (!options) return body.edited(start, start, `"stream_options":{${member}},`)
	const asked = fields.get('stream_options')
	if (asked === null) return body.edited(options.from, options.to, `{${member}}`)
	if (typeof asked !== 'object' || Array.isArray(asked) || 'include_usage' in asked) return null
	const more = Object.keys(asked).length === 0 ? member : `${member},`
	return body.edited(options.from + 1, options.from + 1, more)
}
