import { Type } from 'typebox'
import { people } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'

/** What happens to a call that cannot be announced in the telemetry log. */
export const callRecordingModes = ['required', 'best-effort'] as const
export type CallRecordingMode = (typeof callRecordingModes)[number]

const mode = {
	mode: OneOf(callRecordingModes, {
		description:
			'While the telemetry log is full, `required` refuses tool and model calls with 503 before anything happens; `best-effort` serves them without a record and counts the gap',
	}),
}
const toolContent = Type.Boolean({
	description:
		'Whether arguments and results of tool calls are recorded: redacted, at most 16 KiB each. A server may override it in its `configuration`',
})

export const CallRecording = Strict({ ...mode, tool_content: toolContent }, { title: 'CallRecording' })

export const callRecordingOperations = {
	get: operation({
		id: 'call-recording.get',
		method: 'GET',
		path: '/v1/call-recording',
		summary: 'Get what is recorded of calls, and what happens when they cannot be recorded',
		access: people(),
		status: 200,
		response: CallRecording,
	}),
	replace: operation({
		id: 'call-recording.replace',
		method: 'PUT',
		path: '/v1/call-recording',
		summary: 'Set what is recorded of calls, and what happens when they cannot be recorded',
		description:
			'The default is `required`, with the content of tool calls. Without `tool_content` that setting stays as it is. A call served without a record is missing from all lists, figures and costs; the metric `signalbox_unrecorded_calls` on `/metrics` counts it.',
		access: people('recording:write'),
		body: Strict({ ...mode, tool_content: Type.Optional(toolContent) }),
		status: 200,
		response: CallRecording,
	}),
}
