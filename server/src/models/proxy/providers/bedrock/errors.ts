import type { Problem } from '../../../../platform/errors.ts'
import { awsEventMessage } from '../../tee/aws-event-stream.ts'

const types: Record<number, string> = {
	401: 'AccessDeniedException',
	403: 'AccessDeniedException',
	404: 'ResourceNotFoundException',
	429: 'ThrottlingException',
	503: 'ServiceUnavailableException',
}

function typeOf(status: number): string {
	return types[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException')
}

/** `{__type,message}`, as AWS's clients parse it; a `code` would be the type for them. */
export function errorBody({ status, message, code: reason }: Problem) {
	return { __type: typeOf(status), message, reason }
}

/** Exceptions that the streams of Bedrock know. */
const streamTypes = new Set(['ThrottlingException', 'ValidationException', 'ServiceUnavailableException'])

/** A message of the binary stream that AWS's clients raise. */
export function errorEvent({ status, message }: Problem): Buffer {
	const type = typeOf(status)
	const known = streamTypes.has(type) ? type : 'ModelStreamErrorException'
	const headers = {
		':message-type': 'exception',
		':exception-type': known.charAt(0).toLowerCase() + known.slice(1),
		':content-type': 'application/json',
	}
	return awsEventMessage(headers, JSON.stringify({ message }))
}
