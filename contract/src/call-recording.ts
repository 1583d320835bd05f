import { Type } from 'typebox'
import { people } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'

/** What becomes of a call that cannot be announced in the telemetry log. */
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
		summary: 'What is recorded of calls, and whether they are served when they cannot be recorded',
		access: people(),
		status: 200,
		response: CallRecording,
	}),
	replace: operation({
		id: 'call-recording.replace',
		method: 'PUT',
		path: '/v1/call-recording',
		summary: 'Choose what is recorded of calls, and whether they are served when they cannot be recorded',
		description:
			'`required` and with the content of tool calls at first; `tool_content` stays as it is where it is absent. A call that was served without a record is in no list, no figure and no price; `signalbox_unrecorded_calls` of `/metrics` counts it.',
		access: people('recording:write'),
		body: Strict({ ...mode, tool_content: Type.Optional(toolContent) }),
		status: 200,
		response: CallRecording,
	}),
}
