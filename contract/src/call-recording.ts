import { people } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'

/** What becomes of a call that cannot be announced in the telemetry log. */
export const callRecordingModes = ['required', 'best-effort'] as const
export type CallRecordingMode = (typeof callRecordingModes)[number]

const fields = {
	mode: OneOf(callRecordingModes, {
		description:
			'What becomes of a tool or model call while the telemetry log is full: `required` refuses it with 503 before anything happens, `best-effort` serves it without a record and counts the gap',
	}),
}

export const CallRecording = Strict(fields, { title: 'CallRecording' })

export const callRecordingOperations = {
	get: operation({
		id: 'call-recording.get',
		method: 'GET',
		path: '/v1/call-recording',
		summary: 'Whether calls of the workspace are served when they cannot be recorded',
		access: people(),
		status: 200,
		response: CallRecording,
	}),
	replace: operation({
		id: 'call-recording.replace',
		method: 'PUT',
		path: '/v1/call-recording',
		summary: 'Choose whether calls are served when they cannot be recorded',
		description:
			'`required` at first. A call that was served without a record is in no list, no figure and no price; `signalbox_unrecorded_calls` of `/metrics` counts it.',
		access: people('recording:write'),
		body: Strict(fields),
		status: 200,
		response: CallRecording,
	}),
}
